import type {Snapshot} from '../model/snapshot.js';
import type {Ring} from '../query/past/past-ring.js';
import type {SessionPorts} from './screens/session-effects.js';
import {SessionData, type DataOptions} from './state/session-data.js';
import {SessionStore, type StoreOptions} from './state/session-store.js';
import {runShell, type ShellOptions} from './shell.js';
import type {InitialView} from './state/state.js';
import {Theme, type ThemeOptions} from './terminal/theme.js';
import type {ChooserPorts} from './screens/chooser.js';

type AppOptions = ShellOptions & SessionPorts & Omit<DataOptions, 'top'> & Omit<StoreOptions, 'delayMs'> & {
	readonly view: InitialView & Pick<DataOptions, 'top'>;
	readonly theme: ThemeOptions;
};

type AppResult = {
	/** `back`: to the table of a backend; `gone`: the terminal went away. */
	readonly reason: 'quit' | 'back' | 'signal' | 'gone';
	readonly signal?: NodeJS.Signals;
	readonly lastSnapshot?: Snapshot;
	readonly ring: Ring;
};

/** Shows a session on the terminal until the user, a signal or the terminal ends it. Does not close the source. */
export async function runApp({
	source,
	vitals,
	recorded,
	onWindow,
	saveFormats,
	idleReason,
	sourceOf,
	view,
	theme,
	stdin,
	stdout,
	hasMouse,
	...ports
}: AppOptions): Promise<AppResult> {
	const store = new SessionStore({source, delayMs: view.delayMs, vitals, recorded, onWindow});
	try {
		const leaving = await runShell<'quit' | 'back'>({stdin, stdout, hasMouse}, async leave => {
			// It imports Ink, which is slow to load.
			const {SessionScreen} = await import('./screens/session.js');
			store.start();
			const session = new SessionData({saveFormats, idleReason, sourceOf, top: view.top});
			return <SessionScreen {...ports} {...{store, session, view}} theme={new Theme(theme)} onLeave={leave}/>;
		});
		const {snapshot, ring} = store.get();
		return {
			reason: leaving.reason === 'quit' ? leaving.result : leaving.reason,
			...('signal' in leaving ? {signal: leaving.signal} : {}),
			lastSnapshot: snapshot,
			ring,
		};
	} finally {
		store.stop();
	}
}

type ChooserOptions = ShellOptions & ChooserPorts & {readonly theme: ThemeOptions};

/** Shows a live list. Resolves to the id of the row chosen, or undefined if the user chose none. */
export async function runChooser(options: ChooserOptions): Promise<string | undefined> {
	const {theme, stdin, stdout, hasMouse, ...ports} = options;
	const leaving = await runShell<string | undefined>({stdin, stdout, hasMouse}, async onLeave => {
		const {ChooserScreen} = await import('./screens/chooser.js');
		return <ChooserScreen {...ports} theme={new Theme(theme)} onLeave={onLeave}/>;
	});
	return leaving.reason === 'quit' ? leaving.result : undefined;
}
