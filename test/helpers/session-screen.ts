import {createElement} from 'react';
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
		status: () => ({phase: 'sampling', stale: false}), read, setPaused() {/* Nothing samples here. */}, async close() {/* Nothing is open. */}, onChange: () => () => {/* It never changes. */}, ...more,
	};
}

/** The screen of a session, without colours by default; closed after the test. */
export function openScreen(store: SessionStore, size: Size, {view, ...props}: Partial<Omit<ScreenProps, 'store' | 'view'>> & {readonly view?: Partial<InitialView>} = {}): ComponentScreen {
	return closedAfterTest(new ComponentScreen(createElement(SessionScreen, {
		store, data: new SessionData({saveFormats: [{id: 'pprof', title: 'pprof'}]}), theme: new Theme({color: false, ascii: true}), save: async () => 'saved it', onQuit() {/* The test ends it. */},
		view: {query: defaultQuery, delayMs: 1000, ...view}, ...props,
	}), size));
}

/** The screen of a session that stays as it is. */
export function screenOf(snapshot: Snapshot, size: Size, {status = {phase: 'sampling', stale: false}, vitals, ...props}: Parameters<typeof openScreen>[2] & {readonly status?: SourceStatus; readonly vitals?: TargetVitals} = {}): ComponentScreen {
	const store = storeOf(() => snapshot, {status: () => status}, vitals);
	store.refresh();
	return openScreen(store, size, props);
}

/** A store of a session that is read when the test says so. */
export function storeOf(read: () => Snapshot | undefined, more?: Partial<SnapshotSource>, vitals = {}): SessionStore {
	return new SessionStore({source: sourceOf(read, more), delayMs: 1000, vitals: () => vitals});
}
