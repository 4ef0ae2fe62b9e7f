import {printable, type Printable} from '../util/printable.js';
import {fromNames, namesOf} from './column-types.js';

/** Kinds of pools. `carriers`: the fork/join pool whose threads run virtual threads. */
export const poolKinds = ['executor', 'scheduled', 'forkjoin', 'carriers', 'netty', 'hikari'] as const;
export type PoolKind = (typeof poolKinds)[number];

/** Whether a pool of this kind is an executor: it counts its tasks, and its queue has those that wait for a thread. */
export function isExecutor(kind: PoolKind): boolean {
	return kind === 'executor' || kind === 'scheduled';
}

/** A figure that the pool does not have, or that could not be read. */
export const unknownFigure = -1;

/**
The figures of a pool. `newest`: at the last reading, or `unknownFigure`; `difference`: a sum over all readings, of
which a window has the difference.
*/
export const poolFigures = {
	/** Threads, or connections. */
	size: 'newest',
	/** Most threads or connections that the pool makes while its queue has room; unknown: no limit. */
	limit: 'newest',
	/** Threads that run tasks, or connections in use. */
	active: 'newest',
	/** Tasks in the queue, if scheduled only those that are due, or threads that wait for a connection. */
	queued: 'newest',
	/** Room of the queue; unknown: no bound. */
	queueBound: 'newest',
	/** By how much the queue grows, see `Growth`; unknown at the start. */
	queuedGrowthPerMin: 'newest',
	/** Tasks completed since the pool was made; of a fork/join pool, as its getStealCount counts. */
	completedEver: 'newest',
	/** Epoch ms of the last reading. */
	atMs: 'newest',
	/** Epoch ms since which all readings found as many active as the limit; 0: the last did not. */
	fullSinceMs: 'newest',
	/** Time from the first reading to the last. */
	readMs: 'difference',
	readings: 'difference',
	completed: 'difference',
	/** Tasks that threads have begun: what became completed or active. */
	started: 'difference',
	/** Sums over readings: of the queue's length, its square, and its product with the length before. */
	queuedSum: 'difference',
	queuedSquares: 'difference',
	queuedProducts: 'difference',
	/** By how much the queue grows over several minutes. */
	queuedSteadyGrowthPerMin: 'newest',
} as const;

export type PoolFigures = {readonly [Name in keyof typeof poolFigures]: number};

const figureNames = namesOf(poolFigures);

/** A connection that is in use: the key of the thread on whose stack it is (0: on none), and since when. */
export type HeldConnection = {readonly thread: number; readonly sinceMs: number};

/** A pool of threads or connections as last read in the target's memory. */
export type PoolReading = PoolFigures & {
	/** Identifies the pool in its session. */
	readonly id: number;
	readonly kind: PoolKind;
	readonly name: Printable;
	/** Whether the figures are certain; if not, a moving collector may have left an old copy to be read. */
	readonly isCertain: boolean;
	/** Keys of its threads; of a pool of connections, of those that wait for one. */
	readonly threads: readonly number[];
	readonly held: readonly HeldConnection[];
};

/** Bounds on pools, and on keys of threads and held connections of all pools together. */
export const poolLimit = 200;
export const poolThreadsLimit = 4000;

/** Returns the pool's figures since an earlier reading of it. */
export function poolSince(now: PoolReading, then: PoolReading | undefined): PoolReading {
	return then
		? {
			...now,
			...fromNames(figureNames, name => now[name] - (poolFigures[name] === 'difference' ? then[name] : 0)),
		}
		: now;
}

/** Returns the readings of pools since earlier ones, both from one session. */
export function poolsSince(
	now: readonly PoolReading[],
	then: readonly PoolReading[] | undefined = [],
): readonly PoolReading[] {
	const before = new Map(then.map(pool => [pool.id, pool]));
	return now.map(pool => poolSince(pool, before.get(pool.id)));
}

/** Returns readings of pools as JSON values without names of fields, which would be most of it. */
export function savedPools(pools: readonly PoolReading[]): unknown {
	return pools.map(pool => [
		pool.id,
		poolKinds.indexOf(pool.kind),
		pool.name,
		Number(pool.isCertain),
		figureNames.map(name => pool[name]),
		pool.threads,
		pool.held.flatMap(({thread, sinceMs}) => [thread, sinceMs]),
	]);
}

/** Reads what `savedPools` returned. Throws RangeError. */
export function readPools(saved: unknown): readonly PoolReading[] {
	return listOf(saved, poolLimit).map(pool => {
		const [id, kind, name, isCertain, figures, threads, held] = listOf(pool, 7);
		const numbers = numbersOf(figures, figureNames.length);
		const pairs = numbersOf(held, 2 * poolThreadsLimit);
		if (numbers.length === 0 || typeof name !== 'string') {
			throw wrong();
		}

		return {
			// An older file lacks the last ones.
			...fromNames(figureNames, (_, index) => numbers[index] ?? unknownFigure),
			id: number(id),
			kind: poolKinds[number(kind)] ?? poolKinds[0],
			name: printable(name),
			isCertain: isCertain === 1,
			threads: numbersOf(threads, poolThreadsLimit),
			held: Array.from(
				{length: Math.floor(pairs.length / 2)},
				(_, index) => ({thread: pairs[2 * index], sinceMs: pairs[(2 * index) + 1]}),
			),
		};
	});
}

function listOf(value: unknown, most: number): readonly unknown[] {
	if (!Array.isArray(value) || value.length > most) {
		throw wrong();
	}

	return value;
}

function numbersOf(value: unknown, most: number): readonly number[] {
	return listOf(value, most).map(each => number(each));
}

function number(value: unknown): number {
	if (typeof value !== 'number' || !Number.isFinite(value)) {
		throw wrong();
	}

	return value;
}

function wrong(): RangeError {
	return new RangeError('the figures of a pool are wrong');
}
