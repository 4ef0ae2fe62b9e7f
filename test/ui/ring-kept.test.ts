import {
	afterEach, beforeEach, expect, test, vi,
} from 'vitest';
import {SessionStore} from '../../source/ui/state/session-store.js';
import {picture} from '../helpers/picture.js';

beforeEach(() => {
	vi.useFakeTimers();
});

afterEach(() => {
	vi.useRealTimers();
});

/** A store of a session that takes ten samples a second and is ten seconds old. */
function storeOf(delayMs: number, phase: 'sampling' | 'recording' = 'sampling'): SessionStore {
	const startMs = Date.now() - 10_000;
	const store = new SessionStore({
		source: {
			status: () => ({phase, stale: false}),
			read() {
				const sinceMs = Date.now() - startMs;
				return picture('one\nR\na:1', {samples: Math.floor(sinceMs / 100), durationMs: sinceMs, takenAtMs: Date.now(), lastSampleAtMs: Date.now()});
			},
			setPaused() {/* Nothing samples here. */}, async close() {/* Nothing is open. */}, onChange: () => () => {/* It never changes. */},
		}, delayMs, vitals: () => ({cpuPercent: 50}),
	});
	store.start();
	return store;
}

test.each([[100, 20], [1000, 20], [5000, 20]])('with a refresh every %i ms a window of the past is a second long', async (delayMs, seconds) => {
	const store = storeOf(delayMs);
	await vi.advanceTimersByTimeAsync(seconds * 1000);
	store.refresh();
	store.stop();
	const {windows} = store.get().ring;
	expect(windows.length).toBeGreaterThanOrEqual(seconds - 1);
	expect(windows.slice(1).every(({samples}) => samples >= 9 && samples <= 11)).toBe(true);
});

test('while the screen is paused the past is kept on, and comes with the next refresh', async () => {
	const store = storeOf(1000);
	await vi.advanceTimersByTimeAsync(2000);
	store.hold(true);
	const before = store.get().ring.windows.length;
	await vi.advanceTimersByTimeAsync(10_000);
	expect(store.get().ring.windows.length).toBe(before);
	store.hold(false);
	expect(store.get().ring.windows.length).toBeGreaterThanOrEqual(before + 10);
	expect(store.get().ring.windows[0].vitals).toEqual({cpuPercent: 50});
	store.stop();
});

test('a recording has no past', async () => {
	const store = storeOf(1000, 'recording');
	await vi.advanceTimersByTimeAsync(3000);
	store.stop();
	expect(store.get().ring.windows).toEqual([]);
});
