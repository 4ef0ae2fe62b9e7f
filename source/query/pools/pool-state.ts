import type {Snapshot} from '../../model/snapshot.js';
import {isExecutor, poolSince, unknownFigure, type HeldConnection, type PoolReading} from '../../model/pool-reading.js';
import {safe, type Printable} from '../../util/printable.js';
import {appLine} from '../counters/attribution.js';
import {cachedByNode} from '../counters/waiting-stacks.js';
import {framesOf} from '../counters/stack-index.js';
import {programLocation} from '../locks/newest-sample.js';
import type {Location, Query} from '../types/query.js';

/** Figures that were read longer ago than this are not shown. */
const maxAgeMs = 10_000;

/** Readings in a window for a mean wait. */
const leastReadings = 3;

/** 97.5 % quantile of the normal distribution: half the width of a 95 % interval in standard deviations. */
const normalQuantile = 1.96;

/** Mean number of rare events that is too large if none was seen: 95 % of its intervals begin at 0 (rule of three). */
const noneSeen = 3;

/** By which part Student's quantiles exceed the normal one, times the number of readings. */
const fewReadings = 2.4;

/** Between these, the correlation of successive lengths of a queue makes the error less. */
const leastCorrelation = 0.01;
const maxCorrelation = 0.8;

/** A mean wait: half the width of its 95 % interval; or, if that has 0 in it, at most `ms`. */
type MeanWait = {readonly ms: number; readonly errorMs: number; readonly isAtMost: boolean};

/** A connection in use. */
export type Holder = {
	/** Key of the thread on whose stack it is; 0: it is on none that could be read. */
	readonly thread: number;
	readonly name: Printable;
	readonly heldMs: number;
	/** It was held before the pool was first read: `heldMs` is a lower bound. */
	readonly isHeldLonger: boolean;
	/** Where the thread is now, in the program's own code. */
	readonly at?: Location;
};

/** A pool in a window, from its readings. */
export type PoolState = {
	/** The newest figures, and the sums of the window. */
	readonly reading: PoolReading;
	/** The newest figures are too old to be shown. */
	readonly isOld: boolean;
	/** Tasks completed a second; undefined if the pool does not count them. */
	readonly perS?: number;
	readonly wait?: MeanWait;
	/** How long all of its threads or connections have been in use; 0 if they are not. */
	readonly fullMs: number;
	/** It was full at the first reading: `fullMs` is a lower bound. */
	readonly isFullLonger: boolean;
	/** Indexes of its threads in the snapshot; of a pool of connections, of those that wait for one. */
	readonly threads: readonly number[];
	readonly holders: readonly Holder[];
};

/** Returns the pools of a window: from `since`, by default the session's start, to `snapshot`. */
export function poolStates(snapshot: Snapshot, since: Snapshot | undefined, query: Query): readonly PoolState[] {
	const {pools = [], threads} = snapshot;
	const before = new Map((since?.pools ?? []).map(pool => [pool.id, pool]));
	const indexes = new Map<number, number>();
	for (let thread = 0; thread < threads.count; thread++) {
		if (threads.alive[thread] === 1) {
			indexes.set(threads.key[thread], thread);
		}
	}

	const indexOf = (key: number) => indexes.get(key) ?? -1;
	// The threads that wait for a connection do not say of which pool.
	const isOnlyOne = pools.filter(({kind, queued}) => kind === 'hikari' && queued > 0).length === 1;
	return pools.map((pool): PoolState => {
		const reading = poolSince(pool, before.get(pool.id));
		const nowMs = Math.max(snapshot.session.lastSampleAtMs, reading.atMs);
		const waiting = pool.kind === 'hikari' && pool.queued > 0 && isOnlyOne ? connectionWaiters(snapshot) : [];
		return {
			reading,
			isOld: nowMs - reading.atMs > maxAgeMs,
			perS: perSecond(reading),
			wait: meanWait(reading),
			fullMs: reading.fullSinceMs > 0 ? nowMs - reading.fullSinceMs : 0,
			isFullLonger: pool.atMs - pool.fullSinceMs >= pool.readMs,
			threads: [...reading.threads.map(key => indexOf(key)).filter(thread => thread >= 0), ...waiting],
			holders: reading.held.map(held =>
				holderOf(snapshot, held, {pool, nowMs, thread: indexOf(held.thread), query})),
		};
	});
}

function perSecond({completedEver, completed, readMs}: PoolReading): number | undefined {
	return completedEver === unknownFigure || readMs <= 0 ? undefined : 1000 * completed / readMs;
}

/**
Returns the mean wait for a thread by Little's law, the mean length of the queue by the rate at which tasks leave it;
undefined if the pool counts no tasks, or has begun none. Unlike the rate of arrivals, this one also tells how long
tasks wait while a queue fills or drains. The error is that of a mean of some readings, which is less if successive
lengths are alike (`partUnknown`), and that of the rate, of tasks that begin at random. If it is as large as the wait,
only the upper bound is known.
*/
export function meanWait(
	{kind, completedEver, queued, readings, readMs, started, queuedSum, queuedSquares, queuedProducts}: PoolReading,
): MeanWait | undefined {
	const isCounted = isExecutor(kind) && completedEver !== unknownFigure && queued !== unknownFigure;
	if (!isCounted || readings < leastReadings || readMs <= 0 || started <= 0) {
		return undefined;
	}

	const length = queuedSum / readings;
	const perTaskMs = readMs / started;
	if (length === 0) {
		return {ms: perTaskMs * noneSeen / readings, errorMs: 0, isAtMost: true};
	}

	const variance = Math.max(0, (queuedSquares / readings) - (length ** 2));
	const covariance = (queuedProducts / readings) - (length ** 2);
	const ofMean = variance / readings * partUnknown(variance > 0 ? covariance / variance : 0);
	const ms = length * perTaskMs;
	// Many readings with an empty queue and some with a long one say as little as few readings.
	const effectiveReadings = (queuedSum ** 2) / queuedSquares;
	const quantile = normalQuantile * (1 + (fewReadings / effectiveReadings));
	const [ofLength, ofRate] = [((quantile / length) ** 2) * ofMean, (normalQuantile ** 2) / started];
	const errorMs = ms * Math.sqrt(ofLength + ofRate);
	return errorMs < ms ? {ms, errorMs, isAtMost: false} : {ms: ms + errorMs, errorMs: 0, isAtMost: true};
}

/**
Returns which part of a mean's variance remains if the value between two readings, of this correlation, is like them: of
a process whose correlation decays exponentially, the variance of the mean of its readings from its mean over time.
*/
function partUnknown(correlation: number): number {
	const r = Math.min(maxCorrelation, correlation);
	return r <= leastCorrelation ? 1 : ((1 + r) / (1 - r)) + (2 / Math.log(r));
}

function holderOf(
	snapshot: Snapshot,
	{thread: key, sinceMs}: HeldConnection,
	{pool: {atMs, readMs}, nowMs, thread, query}: {
		readonly pool: PoolReading;
		readonly nowMs: number;
		readonly thread: number;
		readonly query: Query;
	},
): Holder {
	const {threads, dictionary} = snapshot;
	const times = {heldMs: Math.max(0, nowMs - sinceMs), isHeldLonger: sinceMs <= atMs - readMs};
	return thread < 0
		? {thread: 0, name: safe``, ...times}
		: {
			thread: key,
			name: threads.name[thread],
			...times,
			at: appLine(dictionary, threads.node[thread], query)?.at ?? programLocation(snapshot, threads.node[thread]),
		};
}

/** Whether a stack is that of a thread that waits for a connection of HikariCP, which may be in another package. */
const waitsForConnection = cachedByNode((dictionary, node) => framesOf(dictionary, node).some(({className, method}) =>
	method === 'borrow' && className.endsWith('com.zaxxer.hikari.util.ConcurrentBag')));

function connectionWaiters({threads, dictionary}: Snapshot): number[] {
	return Array.from({length: threads.count}, (_, thread) => thread).filter(thread =>
		threads.alive[thread] === 1 && waitsForConnection(dictionary, threads.node[thread], {}));
}
