import {expect, test} from 'vitest';
import type {Snapshot} from '../../source/model/snapshot.js';
import {
	ratesOf,
	windowStart,
	noStarts,
	remember,
	reset,
	undoReset,
	type WindowStarts,
} from '../../source/query/past/windows.js';
import {picture} from '../helpers/picture.js';

const startMs = 1_000_000;

/** A snapshot that many seconds into the session, at ten samples a second. */
function at(second: number): Snapshot {
	return picture('main | R | a:1', {
		samples: Math.round(second * 10),
		lastSampleAtMs: startMs + (second * 1000),
		takenAtMs: startMs + (second * 1000) + 50,
	});
}

const secondOf = (snapshot: Snapshot | undefined) =>
	snapshot ? (snapshot.session.lastSampleAtMs - startMs) / 1000 : 'start';

function startsUntil(until: number, everyS: number): WindowStarts {
	let found = noStarts;
	for (let second = everyS; second <= until + 1e-9; second += everyS) {
		found = remember(found, at(second));
	}

	return found;
}

test.each([1, 0.1, 0.25, 3, 30])(
	'a refresh every %d s: the last 10 s are 10 s and no more than a second or a refresh longer, with few snapshots kept',
	everyS => {
		let found = noStarts;
		for (let second = everyS; second < 60; second += everyS) {
			const now = at(second);
			found = remember(found, now);
			const since = secondOf(windowStart('last-10s', found, now));
			const length = since === 'start' ? second : second - since;
			expect(length).toBeLessThanOrEqual(10 + Math.max(1, everyS) + everyS);
			expect(length).toBeGreaterThanOrEqual(Math.min(second, 10) - 1e-6);
			expect(found.refreshes.length).toBeLessThanOrEqual(14);
		}
	},
);

test('the last refresh begins at the snapshot before', () => {
	expect(secondOf(windowStart('refresh', startsUntil(5, 1), at(5)))).toBe(4);
	expect(secondOf(windowStart('refresh', startsUntil(5, 1), at(6)))).toBe(5);
	expect(secondOf(windowStart('refresh', noStarts, at(6)))).toBe('start');
});

test('while nothing is sampled the windows stay as they are', () => {
	const before = startsUntil(30, 1);
	const again = {...at(30), session: {...at(30).session, takenAtMs: startMs + 900_000}};
	expect(remember(before, again)).toBe(before);
	expect(secondOf(windowStart('last-10s', before, again))).toBe(20);
	expect(secondOf(windowStart('refresh', before, again))).toBe(29);
});

test('a reset begins a window, is undone, and loses nothing', () => {
	const first = reset(startsUntil(5, 1), at(5));
	const second = reset(first, at(7));
	expect(secondOf(windowStart('reset', second, at(9)))).toBe(7);
	expect(secondOf(windowStart('reset', undoReset(second), at(9)))).toBe(5);
	expect(secondOf(windowStart('reset', undoReset(undoReset(second)), at(9)))).toBe('start');
	expect(undoReset(undoReset(undoReset(second))).resets).toEqual([]);
	expect(secondOf(windowStart('start', second, at(9)))).toBe('start');
	expect(first.resets.length).toBe(1);
});

test('the samples of a window are those of the time up to the last one: two or three scans a second of a JVM at rest are no lower rate', () => {
	const [since, now] = ([[50, 1000], [90, 1800]] as const).map(([samples, sampledMs], index) =>
		picture('main | w | a:1', {samples, sampledMs, durationMs: 1000 * (index + 1)}));
	expect(ratesOf(now, since).samplesPerS).toBe(50);
});
