import {expect, test} from 'vitest';
import {KeptPool} from '../../../source/engines/memory/pools/kept-pool.js';
import {safe} from '../../../source/util/printable.js';

const found = {kind: 'executor', object: 1} as const;
const busy = {size: 4, limit: 4, active: 4, queued: 6, queueBound: -1};

function keptPool(): KeptPool {
	return new KeptPool({id: 1, kind: 'executor', name: safe`web`}, {object: 1, collections: 0});
}

test('sums grow from the first reading, and old copies of objects do not count', () => {
	const pool = keptPool();
	const read = (completedEver: number, isCertain: boolean, nowMs: number, change = {}) => {
		pool.add({found, figures: {...busy, completedEver, ...change}}, isCertain, nowMs);
	};

	read(100, true, 1000);
	expect(pool.reading).toMatchObject({readings: 1, readMs: 0, completed: 0, started: 0, queuedSum: 6});
	read(120, true, 2000, {queued: 10});
	expect(pool.reading).toMatchObject({readMs: 1000, completed: 20, started: 20, queuedSum: 16, queuedProducts: 96});
	read(50, false, 3000);
	expect(pool.reading).toMatchObject({readings: 2, atMs: 2000, completedEver: 120});
	// A worker that just ended counted twice.
	read(130, true, 4000);
	read(125, true, 5000);
	read(135, true, 6000);
	expect(pool.reading).toMatchObject({readings: 5, completed: 35, completedEver: 135, fullSinceMs: 1000});
	read(136, true, 7000, {active: 3});
	expect(pool.reading?.fullSinceMs).toBe(0);
	read(137, true, 8000);
	expect(pool.reading?.fullSinceMs).toBe(8000);
});

test('a queue grows if each quarter of the last minute has a higher minimum', () => {
	const pool = keptPool();
	for (let second = 0; second <= 60; second++) {
		const figures = {...busy, completedEver: 0, queued: 10 * second};
		pool.add({found, figures}, true, 1000 * second);
	}

	expect(pool.reading?.queuedGrowthPerMin).toBeCloseTo(600, -2);
});
