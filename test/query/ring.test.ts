import {expect, test} from 'vitest';
import type {Snapshot} from '../../source/model/snapshot.js';
import {sumOf} from '../../source/util/sum.js';
import {LookBack} from '../../source/query/past/look-back.js';
import {addToRing, emptyRing, usualBounds} from '../../source/query/past/past-ring.js';
import {RecentVitals, vitalsTrend} from '../../source/query/past/recent-vitals.js';
import {RowTrends} from '../../source/query/past/row-trends.js';
import {intervalAfter, intervalBefore} from '../../source/query/past/steps.js';
import {defaultQuery, type Query} from '../../source/query/types/query.js';
import {randomSession, ringOf, saidBy, startMs} from '../helpers/random-session.js';

test('every moment that is kept comes back as it was, near ones and far ones, in any order', () => {
	const session = [...randomSession(60)];
	const ring = ringOf(session);
	expect(ring.windows.length).toBe(60);
	const lookBack = new LookBack();
	for (const index of [59, 58, 0, 30, 31, 29, 59, 12, -1]) {
		expect(saidBy(lookBack.at(ring, index)?.snapshot), `window ${index}`).toEqual(saidBy(session[index]));
	}
});

test('what is old is kept in windows of ten seconds, whole ones on the clock', () => {
	const session = [...randomSession(160)];
	expect(usualBounds.fineForMs).toBe(600_000);
	const ring = ringOf(session, {...usualBounds, fineForMs: 60_000});
	const coarse = ring.windows.filter(({samples}) => samples > 50);
	expect(coarse.length).toBe(10);
	expect(ring.windows.length).toBe(10 + 60);
	expect(coarse.map(({atMs}) => (atMs - startMs) / 1000)).toEqual([10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
	expect(ring.windows.map(({body, bytes}) => bytes < body().length)).toEqual([
		...Array.from({length: 9}, () => true),
		...Array.from({length: 61}, () => false),
	]);
	const lookBack = new LookBack();
	for (const index of [0, 3, 9, 10, 40, 8]) {
		const second = (ring.windows[index].atMs - startMs) / 1000;
		expect(saidBy(lookBack.at(ring, index)?.snapshot)).toEqual(saidBy(session[second - 1]));
	}
});

test('with room for less the oldest windows go, and what is left begins where they ended', () => {
	const session = [...randomSession(120)];
	const ring = ringOf(session, {...usualBounds, maxBytes: 60_000});
	expect(sumOf(ring.windows, ({bytes}) => bytes)).toBeLessThanOrEqual(60_000);
	expect(ring.windows.length).toBeGreaterThan(10);
	expect(ring.windows.length).toBeLessThan(120);
	const lookBack = new LookBack();
	const first = (ring.windows[0].atMs - startMs) / 1000;
	expect(saidBy(lookBack.at(ring, -1)?.snapshot)).toEqual(saidBy(session[first - 2]));
	expect(saidBy(lookBack.at(ring, 0)?.snapshot)).toEqual(saidBy(session[first - 1]));
	expect(ringOf(session, {...usualBounds, maxWindows: 7}).windows.length).toBe(7);
});

/** The same at another time of the clock. */
function shifted(snapshot: Snapshot, ms: number): Snapshot {
	const {takenAtMs, lastSampleAtMs} = snapshot.session;
	return {
		...snapshot,
		session: {...snapshot.session, takenAtMs: takenAtMs + ms, lastSampleAtMs: lastSampleAtMs + ms},
	};
}

test('windows go on when the clock is set back', () => {
	const {windows}
		= ringOf([...randomSession(6)].map((snapshot, index) => shifted(snapshot, index < 3 ? 0 : -3_600_000)));
	expect(windows.length).toBe(6);
	expect(windows.every(({atMs}, index) => index === 0 || atMs > windows[index - 1].atMs)).toBe(true);
});

test('a refresh that comes early, or brings nothing new, begins no window', () => {
	const [first, second, third] = randomSession(3);
	const again = {...first, session: {...first.session, takenAtMs: first.session.takenAtMs + 5000}};
	const early = {...second, session: {...second.session, takenAtMs: first.session.takenAtMs + 500}};
	const ring = ringOf([first]);
	expect(addToRing(ring, again)).toBe(ring);
	expect(addToRing(ring, early)).toBe(ring);
	expect(ringOf([first, early, third]).windows.length).toBe(2);
});

test('steps pass over a time without samples', () => {
	const paused = ringOf([...randomSession(30)].map((snapshot, index) => shifted(snapshot, index < 15 ? 0 : 600_000)));
	const first = intervalBefore(paused, undefined, 10_000)!;
	const second = intervalBefore(paused, first, 10_000)!;
	expect(first - startMs).toBe(620_000);
	expect(second - startMs).toBe(20_000);
	expect(intervalAfter(paused, second, 10_000)).toBe(first);
});

test.each(['javaOnly', 'native'] as const)('a trend follows the toggle %s', option => {
	const ring = ringOf([...randomSession(30)]);
	const view = {
		columns: [{past: (_now: Snapshot, _since: Snapshot | undefined, query: Query) => () => query[option] ? 1 : 0}],
	};
	const trends = new RowTrends();
	expect(trends.of('row', view, {...defaultQuery, [option]: true}, ring, 29)).toContain(1);
	expect(trends.of('row', view, {...defaultQuery, [option]: false}, ring, 29)).not.toContain(1);
});

test('figures of the last minute are those of its windows; one that cannot be read has none', () => {
	const ring = ringOf([...randomSession(70)], undefined, {vitals: {gcPercent: 50}});
	const recent = new RecentVitals();
	const steps = recent.upTo(ring, 69);
	expect(steps.map(step => step.length)).toEqual(Array.from({length: 12}, () => 5));
	expect(recent.upTo(ring, 69)).toBe(steps);
	expect(vitalsTrend(steps, ({gcPercent}) => gcPercent, 100)).toEqual(Array.from({length: 12}, () => 0.5));
	expect(vitalsTrend(steps, ({cpuPercent}) => cpuPercent, 100)).toBeUndefined();
	expect(recent.upTo(emptyRing, -1)).toEqual([]);
	const broken = ring.windows.with(69, {...ring.windows[69], body: () => new Uint8Array([9])});
	expect(recent.upTo({...ring, windows: broken}, 69).at(-1)!.map(vitals => vitals.gcPercent))
		.toEqual([50, 50, 50, 50, undefined]);
	// A recording may hold anything.
	const hostile = [[{gcPercent: 'x' as unknown as number}, {gcPercent: 0}]];
	expect(vitalsTrend(hostile, ({gcPercent}) => gcPercent, 100)![0]).toBeGreaterThan(0);
});
