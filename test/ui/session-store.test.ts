import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import type {SourceStatus} from '../../source/model/source.js';
import {readBody} from '../../source/query/past/window-body.js';
import {SessionStore} from '../../source/ui/state/session-store.js';
import {deadlocksOf} from '../../source/query/locks/deadlocks.js';
import {deadlocked, picture} from '../helpers/picture.js';
import {sourceOf, storeOf} from '../helpers/session-screen.js';

beforeEach(() => {
	vi.useFakeTimers();
});

afterEach(() => {
	vi.useRealTimers();
});

test('a young session is read often, at once when it has a share, then at its delay', async () => {
	const readsMs: number[] = [];
	const startMs = Date.now();
	let status: SourceStatus = {phase: 'sampling', stale: false};
	let changed = () => {/* Nobody listens yet. */};
	const read = () => {
		const sinceMs = Date.now() - startMs;
		readsMs.push(sinceMs);
		return picture('one | R | a:1', {samples: sinceMs < 75 ? 1 : 2, durationMs: sinceMs});
	};

	const store = storeOf(read, {
		status: () => status, onChange(listener) {
			changed = listener;
			return () => {/* Nothing is left of it. */};
		},
	});
	store.start();
	await vi.advanceTimersByTimeAsync(130);
	status = {...status, hasCpu: true};
	changed();
	changed();
	await vi.advanceTimersByTimeAsync(4870);
	store.stop();
	expect(readsMs.filter(ms => ms < 400)).toEqual([0, 100, 130, 230, 330]);
	expect(readsMs.filter(ms => ms > 1000)).toEqual([1030, 2030, 3030, 4030]);
});

test('a source whose screen costs too much is read more rarely', async () => {
	const readsMs: number[] = [];
	const startMs = Date.now();
	const store = storeOf(() => {
		readsMs.push(Date.now() - startMs);
		return picture('one | R | a:1', {durationMs: 60_000});
	}, {refreshEvery: () => 2.5});
	store.refresh();
	store.setDelay(400);
	await vi.advanceTimersByTimeAsync(3000);
	store.stop();
	expect(readsMs).toEqual([0, 1000, 2000, 3000]);
});

test('a deadlock is shown when it comes and when it is over, however long the delay', async () => {
	let sinceMs = 99_500;
	const store = new SessionStore({source: sourceOf(() => deadlocked(sinceMs)), delayMs: 60_000, vitals: () => ({})});
	store.start();
	const deadlocks = () => deadlocksOf(store.get().snapshot!).length;
	await vi.advanceTimersByTimeAsync(5000);
	expect(deadlocks()).toBe(0);
	sinceMs = 95_000;
	await vi.advanceTimersByTimeAsync(1100);
	expect(deadlocks()).toBe(1);
	sinceMs = 99_500;
	await vi.advanceTimersByTimeAsync(1100);
	store.stop();
	expect(deadlocks()).toBe(0);
});

/** A store of a session that takes ten samples a second and is ten seconds old. */
function ringStore(delayMs: number, phase: 'sampling' | 'recording' = 'sampling'): SessionStore {
	const startMs = Date.now() - 10_000;
	const read = () => {
		const sinceMs = Date.now() - startMs;
		return picture('one | R | a:1', {
			samples: Math.floor(sinceMs / 100),
			durationMs: sinceMs,
			takenAtMs: Date.now(),
			lastSampleAtMs: Date.now(),
		});
	};

	const store = new SessionStore({
		source: sourceOf(read, {status: () => ({phase, stale: false})}),
		delayMs,
		vitals: () => ({cpuPercent: 50}),
	});
	store.start();
	return store;
}

test.each([[100, 20], [1000, 20], [5000, 20]])(
	'with a refresh every %i ms a window of the past is a second long',
	async (delayMs, seconds) => {
		const store = ringStore(delayMs);
		await vi.advanceTimersByTimeAsync(seconds * 1000);
		store.refresh();
		store.stop();
		const {windows} = store.get().ring;
		expect(windows.length).toBeGreaterThanOrEqual(seconds - 1);
		expect(windows.slice(1).every(({samples}) => samples >= 9 && samples <= 11)).toBe(true);
	},
);

test('while the screen is paused the past is kept on, and comes with the next refresh', async () => {
	const store = ringStore(1000);
	await vi.advanceTimersByTimeAsync(2000);
	store.keepSnapshot(true);
	const before = store.get().ring.windows.length;
	await vi.advanceTimersByTimeAsync(10_000);
	expect(store.get().ring.windows.length).toBe(before);
	store.keepSnapshot(false);
	expect(store.get().ring.windows.length).toBeGreaterThanOrEqual(before + 10);
	expect(readBody(store.get().ring.windows[0].body()).vitals).toEqual({cpuPercent: 50});
	store.stop();
});

test('a recording has no past', async () => {
	const store = ringStore(1000, 'recording');
	await vi.advanceTimersByTimeAsync(3000);
	store.stop();
	expect(store.get().ring.windows).toEqual([]);
});

test('a snapshot is shown as stale if reading it found that it is, and only then', () => {
	let [isLocked, isStale] = [true, false];
	const store = storeOf(() => {
		isStale = isLocked;
		return picture('one | R | a:1');
	}, {status: () => ({phase: 'sampling', stale: isStale})});
	store.refresh();
	expect(store.get().status.stale).toBe(true);
	isLocked = false;
	store.refresh();
	expect(store.get().status.stale).toBe(false);
});
