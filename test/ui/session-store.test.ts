import {
	afterEach, beforeEach, expect, test, vi,
} from 'vitest';
import type {Snapshot} from '../../source/model/snapshot.js';
import {SessionStore} from '../../source/ui/state/session-store.js';
import {picture} from '../helpers/picture.js';

beforeEach(() => {
	vi.useFakeTimers();
});

afterEach(() => {
	vi.useRealTimers();
});

/** A store of a session that is as young as `moment` says, and the times at which it reads it, from its start on. */
function readsOf(moment: (sinceMs: number) => {readonly samples: number; readonly durationMs: number}): {readonly store: SessionStore; readonly readsMs: number[]} {
	const readsMs: number[] = [];
	const startMs = Date.now();
	const read = (): Snapshot => {
		const sinceMs = Date.now() - startMs;
		readsMs.push(sinceMs);
		return picture('one\nR\na:1', moment(sinceMs));
	};

	const store = new SessionStore({
		source: {
			status: () => ({phase: 'sampling', stale: false}), read, setPaused() {/* Nothing samples here. */}, async close() {/* Nothing is open. */}, onChange: () => () => {/* It never changes. */},
		}, delayMs: 1000, vitals: () => ({}),
	});
	store.start();
	return {store, readsMs};
}

test('a young session is read as soon as it may have a share, then often, then at its delay', async () => {
	const {store, readsMs} = readsOf(sinceMs => ({samples: sinceMs < 75 ? 1 : 2, durationMs: sinceMs}));
	await vi.advanceTimersByTimeAsync(5000);
	store.stop();
	expect(readsMs.filter(ms => ms < 300)).toEqual([0, 25, 50, 75, 175, 275]);
	expect(readsMs.filter(ms => ms > 2000)).toEqual([2075, 3075, 4075]);
});

test('an old session of a single sample is read at the delay', async () => {
	const {store, readsMs} = readsOf(sinceMs => ({samples: 1, durationMs: 10_000 + sinceMs}));
	await vi.advanceTimersByTimeAsync(2500);
	store.stop();
	expect(readsMs).toEqual([0, 1000, 2000]);
});
