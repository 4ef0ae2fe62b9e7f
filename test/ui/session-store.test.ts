import {
	afterEach, beforeEach, expect, test, vi,
} from 'vitest';
import type {Snapshot} from '../../source/model/snapshot.js';
import type {SourceStatus} from '../../source/model/source.js';
import {SessionStore} from '../../source/ui/state/session-store.js';
import {picture} from '../helpers/picture.js';

beforeEach(() => {
	vi.useFakeTimers();
});

afterEach(() => {
	vi.useRealTimers();
});

/**
A store of a session that is as young as `moment` says, and the times at which it reads it, from its start on; `hasCpu`
says that there is CPU time now, `deadlock` that a deadlock has come or is over.
*/
function readsOf(moment: (sinceMs: number) => {readonly samples: number; readonly durationMs: number}) {
	const readsMs: number[] = [];
	const startMs = Date.now();
	let status: SourceStatus = {phase: 'sampling', stale: false};
	let changed = () => {/* Nobody listens yet. */};
	const hasCpu = () => {
		status = {...status, hasCpu: true};
		changed();
	};

	const read = (): Snapshot => {
		const sinceMs = Date.now() - startMs;
		readsMs.push(sinceMs);
		return picture('one\nR\na:1', moment(sinceMs));
	};

	const deadlock = () => {
		status = {...status, deadlockChanges: (status.deadlockChanges ?? 0) + 1};
		changed();
	};

	const store = new SessionStore({
		source: {
			status: () => status, read, setPaused() {/* Nothing samples here. */}, async close() {/* Nothing is open. */}, onChange(listener) {
				changed = listener;
				return () => {/* Nothing is left of it. */};
			},
		}, delayMs: 1000, vitals: () => ({}),
	});
	store.start();
	return {
		store, readsMs, hasCpu, deadlock,
	};
}

test('a young session is read often, at once when it has a share, then at its delay', async () => {
	const {store, readsMs, hasCpu} = readsOf(sinceMs => ({samples: sinceMs < 75 ? 1 : 2, durationMs: sinceMs}));
	await vi.advanceTimersByTimeAsync(130);
	hasCpu();
	hasCpu();
	await vi.advanceTimersByTimeAsync(4870);
	store.stop();
	expect(readsMs.filter(ms => ms < 400)).toEqual([0, 100, 130, 230, 330]);
	expect(readsMs.filter(ms => ms > 1000)).toEqual([1030, 2030, 3030, 4030]);
});

test('an old session of a single sample is read at the delay', async () => {
	const {store, readsMs} = readsOf(sinceMs => ({samples: 1, durationMs: 10_000 + sinceMs}));
	await vi.advanceTimersByTimeAsync(2500);
	store.stop();
	expect(readsMs).toEqual([0, 1000, 2000]);
});

test('a deadlock is looked at when it comes and when it is over, however long the delay', async () => {
	const {store, readsMs, deadlock} = readsOf(sinceMs => ({samples: 100, durationMs: 60_000 + sinceMs}));
	store.setDelay(60_000);
	await vi.advanceTimersByTimeAsync(100);
	readsMs.length = 0;
	store.refresh();
	await vi.advanceTimersByTimeAsync(9000);
	const ringOnly = readsMs.length;
	deadlock();
	await vi.advanceTimersByTimeAsync(150);
	deadlock();
	expect(store.get().nowMs).toBe(Date.now());
	await vi.advanceTimersByTimeAsync(150);
	store.stop();
	expect(readsMs.slice(ringOnly)).toEqual([9100, 9250]);
});
