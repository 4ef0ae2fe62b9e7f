import type {Snapshot} from '../model/snapshot.js';
import type {Ring} from '../query/past/ring.js';
import type {SessionPorts} from './screens/session.js';
import {SessionData, type DataOptions} from './state/session-data.js';
import {SessionStore, type StoreOptions} from './state/session-store.js';
import {runShell, type ShellOptions} from './shell.js';
import type {InitialView} from './state/state.js';
import {Theme, type ThemeOptions} from './terminal/theme.js';
import type {ChoiceColumn, ChoiceRow} from './screens/chooser.js';

type AppOptions = ShellOptions & SessionPorts & Omit<DataOptions, 'top'> & Omit<StoreOptions, 'delayMs'> & {
	readonly view: InitialView & Pick<DataOptions, 'top'>;
	readonly theme: ThemeOptions;
};

type AppResult = {
	readonly reason: 'quit' | 'signal' | 'gone';
	readonly signal?: NodeJS.Signals;
	readonly lastSnapshot?: Snapshot;
	readonly ring: Ring;
};

/** Shows the source on the terminal until the user, a signal or the terminal ends it. Does not close the source. */
export async function runApp({source, vitals, recorded, onWindow, saveFormats, idleReason, sourceOf, view, theme, stdin, stdout, hasMouse, ...ports}: AppOptions): Promise<AppResult> {
	const store = new SessionStore({
		source, delayMs: view.delayMs, vitals, recorded, onWindow,
	});
	try {
		const leaving = await runShell<undefined>({stdin, stdout, hasMouse}, async leave => {
			// It imports Ink, which only `runShell` may load first.
			const {SessionScreen} = await import('./screens/session.js');
			store.start();
			const data = new SessionData({
				saveFormats, idleReason, sourceOf, top: view.top,
			});
			const quit = () => {
				leave(undefined);
			};

			return <SessionScreen {...ports} {...{store, data, view}} theme={new Theme(theme)} onQuit={quit}/>;
		});
		const {shown, ring} = store.get();
		return {reason: leaving.reason, ...('signal' in leaving ? {signal: leaving.signal} : {}), lastSnapshot: shown, ring};
	} finally {
		store.stop();
	}
}

type ChooserOptions = ShellOptions & {
	readonly columns: readonly ChoiceColumn[];
	readonly theme: ThemeOptions;
	/** Lists the running JVMs; called once a second. */
	list(): readonly ChoiceRow[];
};

/** Shows a live list of JVMs. Resolves to the pid chosen, or undefined if the user chose none. */
export async function runChooser({list, columns, theme, stdin, stdout, hasMouse}: ChooserOptions): Promise<number | undefined> {
	const leaving = await runShell<number | undefined>({stdin, stdout, hasMouse}, async onLeave => {
		const {ChooserScreen} = await import('./screens/chooser.js');
		return <ChooserScreen {...{list, columns, onLeave}} theme={new Theme(theme)}/>;
	});
	return leaving.reason === 'quit' ? leaving.result : undefined;
}
