import {createElement} from 'react';
import {safe} from '../../source/util/printable.js';
import type {Snapshot, TargetVitals} from '../../source/model/snapshot.js';
import type {SnapshotSource, SourceStatus} from '../../source/model/source.js';
import {defaultQuery} from '../../source/query/types/query.js';
import {SessionScreen} from '../../source/ui/screens/session.js';
import {SessionData} from '../../source/ui/state/session-data.js';
import {SessionStore} from '../../source/ui/state/session-store.js';
import type {InitialView} from '../../source/ui/state/state.js';
import {Theme} from '../../source/ui/terminal/theme.js';
import type {Size} from '../../source/ui/terminal/terminal.js';
import {ComponentScreen} from './component-screen.js';
import {closedAfterTest} from './for-test.js';

type ScreenProps = Parameters<typeof SessionScreen>[0];

/** A source that says what the test says, and never that it has changed. */
export function sourceOf(read: SnapshotSource['read'], more: Partial<SnapshotSource> = {}): SnapshotSource {
	return {
		status: () => ({phase: 'sampling', stale: false}),
		read,
		setPaused() {/* Nothing samples here. */},
		async close() {/* Nothing is open. */},
		onChange: () => () => {/* It never changes. */},
		...more,
	};
}

type ScreenOptions = Partial<Omit<ScreenProps, 'store' | 'view'>> & Partial<Size> & {
	readonly view?: Partial<InitialView>;
};

/** The screen of a session, of 80 x 24 and without colours unless said otherwise; closed after the test. */
export function openScreen(
	store: SessionStore,
	{view, columns = 80, rows = 24, ...props}: ScreenOptions = {},
): ComponentScreen {
	return closedAfterTest(new ComponentScreen(
		createElement(SessionScreen, {
			store,
			session: new SessionData({saveFormats: [{id: 'pprof', title: 'pprof'}]}),
			theme: new Theme({color: false, ascii: true}),
			save: async () => safe`saved it`,
			explain: () => '# explained',
			onLeave() {/* The test ends it. */},
			view: {query: defaultQuery, delayMs: 1000, ...view},
			...props,
		}),
		{columns, rows},
	));
}

/** The screen of a session that stays as it is, or that is read anew at each `store.refresh()`. */
export function screenOf(
	session: Snapshot | (() => Snapshot | undefined) | undefined,
	{status = {phase: 'sampling', stale: false}, vitals, askForHolders, ...options}: ScreenOptions & {
		readonly status?: SourceStatus;
		readonly vitals?: TargetVitals;
	} & Pick<SnapshotSource, 'askForHolders'> = {},
): ComponentScreen & {readonly store: SessionStore} {
	const store = storeOf(typeof session === 'function' ? session : () => session, {
		status: () => status,
		askForHolders,
	}, vitals);
	store.refresh();
	return Object.assign(openScreen(store, options), {store});
}

/** A store of a session that is read when the test says so. */
export function storeOf(read: () => Snapshot | undefined, more?: Partial<SnapshotSource>, vitals = {}): SessionStore {
	return new SessionStore({source: sourceOf(read, more), delayMs: 1000, vitals: () => vitals});
}
