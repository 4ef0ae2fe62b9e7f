import {describe, expect, test} from 'vitest';
import {fullInMs, fullInText, trendOf} from '../../source/query/summary/growth-trend.js';
import {HeapAfterCollections} from '../../source/jvm/counters/heap-after-collections.js';
import {Growth, overMinutes} from '../../source/util/growth.js';
import {seeded} from '../helpers/random.js';

/** The growth after a reading each second of what `count` returns for it. */
function after(
	seconds: number,
	count: (second: number) => number,
	growth = new Growth(),
): number | undefined {
	let last: number | undefined;
	for (let second = 0; second <= seconds; second++) {
		last = growth.with(1000 * second, count(second));
	}

	return last;
}

describe('growth by readings of the last minute', () => {
	test('is a rate if each quarter is above the one before', () => {
		expect(after(15, second => 100 + (3 * second))).toBeCloseTo(180);
		expect(after(600, second => 100 + (3 * second))).toBeCloseTo(180);
		expect(after(600, second => 5000 - (3 * second))).toBeCloseTo(-180);
		// What comes and goes does not hide it if that is less.
		expect(after(60, second => (3 * second) + (second % 5 === 0 ? 0 : 130))).toBeCloseTo(180, -1);
	});

	test.each<[string, number, (second: number) => number]>([
		['a step', 40, second => second < 20 ? 5 : 800],
		['a start that has ended', 40, second => Math.min(200, 20 * second)],
		['garbage that is collected', 60, second => 40 * (second % 9)],
		['a wave', 200, second => 10 * (second % 20)],
		['a wave between whose ends no quarter fits', 204, second => 10 * (second % 24)],
		['a cache that fills ever more slowly', 60, second => 1000 * (1 - Math.exp(-second / 10))],
		['one more for a while', 60, second => second === 58 ? 900 : 100],
		['a rest', 60, second => Math.min(second, 44)],
		['nothing', 60, () => 7],
	])('is zero for %s', (_, seconds, count) => {
		expect(after(seconds, count)).toBe(0);
	});

	test.each<[string, number, (second: number) => number]>([
		['falls fast', 3, second => 1000 - (50 * second)],
		['falls', 5, second => 1000 - (10 * second)],
		['falls slowly', 7, second => 1000 - second],
		['stays', 8, () => 1000],
		['nearly stays', 9, second => 1000 + (second % 3)],
	])('has ended soon after the number %s, and slows down until then', (_, seconds, then) => {
		const peak = 100;
		const paces = Array.from({length: 20}, (_, second) =>
			after(peak + second, at => at <= peak ? 10 * at : then(at - peak)) ?? Number.NaN);
		expect(paces[0]).toBeCloseTo(600);
		expect(Math.max(...paces.slice(seconds))).toBeLessThanOrEqual(0);
		expect(paces.slice(0, seconds)).toEqual(paces.slice(0, seconds).toSorted((a, b) => b - a));
	});

	test('is unknown from few readings, or within a short time', () => {
		expect(after(14, second => second)).toBeUndefined();
		const growth = new Growth();
		expect([0, 20, 40].map(second => growth.with(1000 * second, second) ?? 'unknown'))
			.toEqual(['unknown', 'unknown', 'unknown']);
		expect(growth.with(50_000, 50)).toBeCloseTo(60);
	});
});

describe('growth over several minutes', () => {
	const steady = (seconds: number, count: (second: number) => number) =>
		after(seconds, count, new Growth(overMinutes));
	test('is found if it is slow, from three minutes on', () => {
		expect(steady(179, second => Math.floor(second / 4))).toBeUndefined();
		expect(steady(200, second => Math.floor(second / 4))).toBeCloseTo(15, -1);
		expect(steady(1200, second => 20 + Math.floor(second / 4))).toBeCloseTo(15, 0);
		expect(steady(600, second => second + (second % 7 === 0 ? 0 : 300))).toBeCloseTo(60, -1);
	});

	test('is found if things come at random', () => {
		const random = seeded(11);
		let count = 0;
		const growth = steady(600, () => {
			count += random() < 0.2 ? 1 : 0;
			return count;
		});
		expect(growth).toBeGreaterThan(6);
		expect(growth).toBeLessThan(18);
	});

	test.each<[string, number, (second: number) => number]>([
		['a cache that has filled a minute ago', 460, second => Math.min(second, 400)],
		['a cache that fills with what is asked for', 1200, second => 1000 * (1 - Math.exp(-second / 150))],
		['a pool that has reached its size', 300, second => Math.min(200, 2 * second)],
		['waves', 900, second => second % 110],
		['what grows now and then', 600, second => 50 * Math.floor(second / 150)],
	])('is zero for %s', (_, seconds, count) => {
		expect(steady(seconds, count)).toBe(0);
	});

	test('is hardly ever seen in what moves at random', () => {
		const random = seeded(12);
		const paces = Array.from({length: 100}, () => {
			let count = 500;
			return steady(300, () => {
				count += Math.round(20 * (random() - 0.5));
				return count;
			});
		});
		expect(paces.filter(pace => pace !== 0).length).toBeLessThan(5);
	});

	test('of the heap is that of what collections of the old generation leave', () => {
		// A collection each second; one of the old generation every half minute frees all but what leaks.
		const grown = (leakedPerS: number, isOldCollected = true) => {
			const heap = new HeapAfterCollections();
			let last: number | undefined;
			for (let second = 0; second <= 600; second++) {
				const garbage = (isOldCollected ? second % 30 : second) * 1000;
				const reading = {
					atMs: 1000 * second,
					collections: second + 1,
					oldCollections: isOldCollected ? Math.floor(second / 30) : 0,
					eden: {usedBytes: 0},
				};
				last = heap.with(reading, 50_000 + (leakedPerS * second) + garbage).heapSteadyGrowthBytesPerMin;
			}

			return last;
		};

		expect(grown(100)).toBeCloseTo(6000, -2);
		expect(grown(0)).toBe(0);
		expect(grown(100, false)).toBeUndefined();
	});
});

test('a figure rises if half a minute changes what is in use, or left, by a twentieth', () => {
	expect(trendOf({used: 50, max: 100})).toBeUndefined();
	expect([4.9, 5].map(growthPerMin => trendOf({used: 50, max: 100, growthPerMin}))).toEqual(['flat', 'rising']);
	expect([-4.9, -5].map(growthPerMin => trendOf({used: 50, max: 100, growthPerMin}))).toEqual(['flat', 'falling']);
	expect([0.99, 1].map(growthPerMin => trendOf({used: 91, max: 100, growthPerMin}))).toEqual(['flat', 'rising']);
	expect(trendOf({used: 50, growthPerMin: 5})).toBe('rising');
	expect(trendOf({used: 0, max: 100, growthPerMin: 0})).toBe('flat');
	expect(fullInMs({used: 50, max: 100, growthPerMin: 5})).toBe(600_000);
	expect(fullInMs({used: 110, max: 100, growthPerMin: 20})).toBe(0);
	expect([{used: 50, growthPerMin: 5}, {used: 50, max: 100, growthPerMin: -5}].map(each => fullInMs(each)))
		.toEqual([undefined, undefined]);
	expect([42_000, 120_000, 125_000, 840_000].map(ms => fullInText(ms))).toEqual(['42s', '2m', '2m05s', '14m']);
});
