import {expect, test} from 'vitest';
import {meanWait, poolStates} from '../../source/query/pools/pool-state.js';
import type {PoolReading} from '../../source/model/pool-reading.js';
import {defaultQuery} from '../../source/query/types/query.js';
import {poolsView} from '../../source/views/pools/pools-view.js';
import {safe} from '../../source/util/printable.js';
import {picture} from '../helpers/picture.js';
import {poolReading} from '../helpers/pool-reading.js';

/** Pseudo-random numbers from 0 to 1 (Lehmer's, with the multiplier of Park and Miller). */
function randomNumbers(seed: number): () => number {
	let state = seed;
	return () => {
		state = state * 48_271 % 2_147_483_647;
		return state / 2_147_483_647;
	};
}

/**
Simulates a pool of one thread: tasks arrive at random with the mean distance `everyMs`, and take `taskMs` on average.
Returns the reading of its queue after a reading every second, and how long its tasks waited on average.
*/
function simulated({everyMs, taskMs, seconds, random}: {
	readonly everyMs: number;
	readonly taskMs: number;
	readonly seconds: number;
	readonly random: () => number;
}) {
	const exponential = (mean: number) => -mean * Math.log(1 - random());
	const endMs = seconds * 1000;
	const tasks: Array<{readonly atMs: number; readonly startMs: number}> = [];
	let freeMs = 0;
	for (let atMs = exponential(everyMs); atMs < endMs; atMs += exponential(everyMs)) {
		const startMs = Math.max(atMs, freeMs);
		freeMs = startMs + exponential(taskMs);
		tasks.push({atMs, startMs});
	}

	let [queuedSum, queuedSquares, queuedProducts] = [0, 0, 0];
	let before: number | undefined;
	let first = 0;
	let next = 0;
	for (let nowMs = 1000; nowMs <= endMs; nowMs += 1000) {
		while (next < tasks.length && tasks[next].atMs <= nowMs) {
			next++;
		}

		while (first < next && tasks[first].startMs <= nowMs) {
			first++;
		}

		const length = next - first;
		queuedSum += length;
		queuedSquares += length ** 2;
		queuedProducts += length * (before ?? length);
		before = length;
	}

	const reading = poolReading({
		readings: seconds,
		readMs: endMs,
		started: tasks.filter(({startMs}) => startMs <= endMs).length,
		queuedSum,
		queuedSquares,
		queuedProducts,
	});
	const waitedMs = tasks.reduce((sum, {atMs, startMs}) => sum + startMs - atMs, 0) / tasks.length;
	return {reading, waitedMs};
}

test.each([[20, 14], [20, 18], [200, 150], [5, 2]])(
	'the mean wait of tasks that come every %i ms and take %i ms is within its error',
	(everyMs, taskMs) => {
		const random = randomNumbers(everyMs);
		const runs = Array.from({length: 200}, () => simulated({everyMs, taskMs, seconds: 60, random}));
		const within = runs.filter(({reading, waitedMs}) => {
			const {ms, errorMs, isAtMost} = meanWait(reading)!;
			return isAtMost ? waitedMs <= ms : Math.abs(ms - waitedMs) <= errorMs;
		});
		expect(within.length).toBeGreaterThan(170);
		// The errors are not much wider than they need be.
		const withinThird = runs.filter(({reading, waitedMs}) => {
			const {ms, errorMs} = meanWait(reading)!;
			return Math.abs(ms - waitedMs) <= errorMs / 3;
		});
		expect(withinThird.length).toBeLessThan(175);
	},
);

test('a queue in which no reading found a task has an upper bound', () => {
	expect(meanWait(poolReading({readings: 30, readMs: 30_000, started: 3000}))).toEqual({
		ms: 1, errorMs: 0, isAtMost: true,
	});
});

/** The readings of a queue with a length at each second, from which this number of tasks is begun a second. */
function readingOf(lengths: readonly number[], perS: number): PoolReading {
	const sum = (of: (length: number, index: number) => number) =>
		lengths.reduce((all, length, index) => all + of(length, index), 0);
	return poolReading({
		readings: lengths.length,
		readMs: 1000 * (lengths.length - 1),
		started: perS * (lengths.length - 1),
		queuedSum: sum(length => length),
		queuedSquares: sum(length => length ** 2),
		queuedProducts: sum((length, index) => length * (lengths[index - 1] ?? length)),
	});
}

test.each([
	['drains without arrivals', -50, 1000, 10],
	['drains slowly', -5, 1000, 60],
	['fills', 50, 0, 20],
	['fills fast', 5000, 0, 10],
])('the mean wait of a queue that %s is what its tasks wait, within a close error', (_, perS, from, seconds) => {
	const lengths = Array.from({length: seconds + 1}, (_, second) => from + (perS * second));
	// A task that arrives waits until 50 a second have begun those before it.
	const waitMs = lengths.reduce((sum, length) => sum + (1000 * length / 50), 0) / lengths.length;
	const {ms, errorMs, isAtMost} = meanWait(readingOf(lengths, 50))!;
	expect(isAtMost).toBe(false);
	expect(Math.abs(ms - waitMs)).toBeLessThan(errorMs);
	expect(errorMs).toBeLessThan(waitMs);
});

test('of few tasks that were begun, the bound is no more than their number makes it', () => {
	// One task in three seconds, and 32 wait: about 96 s.
	const {ms, isAtMost} = meanWait({...readingOf([31, 32, 32, 33], 1), started: 1})!;
	expect(isAtMost).toBe(true);
	expect(ms).toBeGreaterThan(96_000);
	expect(ms).toBeLessThan(3.1 * 96_000);
});

test('there is no mean wait if no task began, with few readings, or where tasks are not counted', () => {
	const known = {readings: 30, readMs: 30_000, started: 3000, queuedSum: 30};
	expect(meanWait(poolReading(known))).toBeDefined();
	for (const unknown of [{started: 0}, {readings: 2}, {completedEver: -1}, {queued: -1}, {kind: 'forkjoin'}] as const) {
		expect(meanWait(poolReading({...known, ...unknown}))).toBeUndefined();
	}
});

test('an empty view says why it is', () => {
	const now = picture(`
		main | w | com.acme.Main.main:3
		pool-1-thread-1 | w | java.util.concurrent.ThreadPoolExecutor.runWorker:1130 | java.util.X.poll:1
	`);
	const query = {...defaultQuery, sort: poolsView.sort};
	const saidOf = (pools: readonly PoolReading[] | undefined, snapshot = now) =>
		poolsView.emptyText!(poolsView.query({...snapshot, pools}, undefined, query), query);
	expect(saidOf(undefined)).toMatch(/^pools are not known here: only the memory engine/);
	expect(saidOf([])).toMatch(/^the pools of these threads cannot be read now/);
	expect(saidOf([], picture('main | w | com.acme.Main.main:3'))).toBe('no thread belongs to a pool');
});

test('a window has the rates since its start, and how long a pool has been full', () => {
	const now = picture(`
		http-1 | w | com.acme.Main.main:3
		http-2 | R | com.acme.Main.main:3
	`);
	const atMs = now.session.lastSampleAtMs;
	const reading = {atMs, readMs: 60_000, completed: 900, fullSinceMs: atMs - 42_000, active: 4, threads: [2, 99]};
	const [pool] = poolStates(
		{...now, pools: [poolReading(reading)]},
		{...now, pools: [poolReading({...reading, readMs: 50_000, completed: 400})]},
		defaultQuery,
	);
	expect(pool).toMatchObject({perS: 50, fullMs: 42_000, isFullLonger: false, isOld: false, threads: [1]});
	const earlier = poolReading({...reading, atMs: atMs - 60_000, readMs: 5000});
	const [old] = poolStates({...now, pools: [earlier]}, undefined, defaultQuery);
	expect(old).toMatchObject({isOld: true});
});

test('who holds a connection is named with its line, and who waits for one is listed', () => {
	const now = picture(`
		http-1 | w | com.acme.Dao.find:12 | com.zaxxer.hikari.util.ConcurrentBag.borrow:2
		http-2 | R | com.acme.Main.main:3 | com.acme.Dao.load:33
	`);
	const atMs = now.session.lastSampleAtMs;
	const pool = poolReading({
		kind: 'hikari', name: safe`HikariPool-1`, atMs, queued: 1, readMs: 60_000,
		held: [{thread: now.threads.key[1], sinceMs: atMs - 12_000}, {thread: 0, sinceMs: atMs - 1000}],
	});
	const [state] = poolStates({...now, pools: [pool]}, undefined, defaultQuery);
	expect(state.threads).toEqual([0]);
	expect(state.holders).toEqual([
		{thread: now.threads.key[1], name: 'http-2', heldMs: 12_000, isHeldLonger: false, at: expect.objectContaining({method: 'load', line: 33})},
		{thread: 0, name: '', heldMs: 1000, isHeldLonger: false},
	]);
});
