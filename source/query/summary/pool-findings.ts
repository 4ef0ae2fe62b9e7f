import {getOrCreate} from '../../util/get-or-create.js';
import {isExecutor, unknownFigure, type PoolReading} from '../../model/pool-reading.js';
import type {Snapshot, TargetVitals} from '../../model/snapshot.js';
import {mostOf} from '../../util/sum.js';
import {poolName, safe, type Printable} from '../../util/printable.js';
import {stateCode} from '../../model/thread-state.js';
import {locationNameOrEmpty} from '../columns/column.js';
import {formatCount, formatDuration, plural, stuckInWords} from '../columns/format.js';
import {maxLocationCells, nameWith, shortName, viaText} from '../columns/names.js';
import {appLine, type AppLine} from '../counters/attribution.js';
import {locationKey} from '../counters/location.js';
import {membersOfAll, threadKind} from '../counters/thread-table.js';
import {isPoolWorker} from '../counters/waiting-stacks.js';
import {waitsForWorkNow, stuckMs} from '../locks/newest-sample.js';
import {poolStates, type PoolState} from '../pools/pool-state.js';
import {waitOf} from '../locks/wait-of.js';
import type {Finding, Query} from '../types/query.js';
import {fullInText, steadyGrowth} from './growth-trend.js';

/** A pool whose threads have waited for this long has no thread for its tasks; in a program that uses CPU, longer. */
const leastQuietMs = 2000;
const leastBusyMs = 5000;

/** A pool that has been full for this long, with tasks in its queue, has too few threads or connections. */
const leastFullMs = 5000;
const leastFullOfConnectionsMs = 2000;

/** Tasks that wait for at least this time are slow; many pools that do well are full of short ones. */
const leastStuckMs = 1000;

/**
A queue that grows by this number a minute and this part of its length is not kept up with; over several minutes, one
that grows by less.
*/
const muchQueueGrowthPerMin = 60;
const muchQueueGrowth = 0.02;
const muchSteadyQueueGrowthPerMin = 12;
const muchSteadyQueueGrowth = 0.005;

/** Begins the names of the workers of ForkJoinPool.commonPool(). */
const commonPool = 'ForkJoinPool.commonPool-worker-';

/** The threads that serve one pool, as their names tell. */
type Pool = {readonly name: Printable; readonly threads: readonly number[]};

/**
Returns findings on pools: those of connections that are used up; those whose threads all wait in tasks, for the results
of other tasks or, in the common pool, for anything; executors whose queues grow; and those that have been full with
tasks in their queues while most of their threads wait.
*/
export function poolFindings(snapshot: Snapshot, query: Query, all: readonly number[], isQuiet: boolean): Finding[] {
	const states = poolStates(snapshot, undefined, query).filter(({isOld, reading}) => !isOld && reading.isCertain);
	const connections = states.map(state => connectionFinding(state)).filter(finding => finding !== undefined);
	const waiting = waitingPoolFindings(snapshot, query, {all, isQuiet, states});
	const named = new Set(waiting.map(({figures: {pool}}) => pool));
	const full = states.filter(({reading: {name}}) => !named.has(`${name}-*`)).map(state =>
		growingQueueFinding(snapshot, query, state)
		?? (connections.length > 0 ? undefined : fullPoolFinding(snapshot, query, state)));
	return [...connections, ...waiting, ...full.filter(finding => finding !== undefined)];
}

/** Returns findings on pools whose threads all wait: none of them runs or waits for work. */
function waitingPoolFindings(
	snapshot: Snapshot,
	query: Query,
	{all, isQuiet, states}: {
		readonly all: readonly number[];
		readonly isQuiet: boolean;
		readonly states: readonly PoolState[];
	},
): Finding[] {
	const leastMs = isQuiet ? leastQuietMs : leastBusyMs;
	return poolsOf(snapshot, all).flatMap((pool): Finding[] => {
		const state = states.find(({threads}) => threads.includes(pool.threads[0]));
		const isCommon = pool.name.startsWith(commonPool);
		// Its short waits follow one another if tasks have been in its queue all the time.
		const isStarved = isCommon && state !== undefined && state.reading.queued > 0 && state.fullMs >= leastFullMs;
		const isWaiting = (thread: number) => (isStarved || stuckMs(snapshot, thread) >= leastMs)
			&& snapshot.threads.state[thread] !== stateCode.RUNNABLE
			&& !waitsForWorkNow(snapshot, thread, query)
			&& appLine(snapshot.dictionary, snapshot.threads.node[thread], query) !== undefined;
		if (!pool.threads.every(thread => isWaiting(thread))) {
			return [];
		}

		const isForResult = pool.threads.every(thread => waitOf(snapshot, thread, query)?.kind === 'future');
		// A single thread may well wait for a task of another pool, unless nothing else is at work.
		const isFound = (isCommon || isForResult) && (isQuiet || pool.threads.length > 1);
		return isFound ? [poolFinding(snapshot, query, pool, {isForResult, state})] : [];
	});
}

/** Returns the pools of java.util.concurrent, whose workers all have a loop of a pool on their stacks. */
function poolsOf({threads, dictionary}: Snapshot, all: readonly number[]): Pool[] {
	const pools = new Map<Printable, number[]>();
	for (const thread of all) {
		if (threadKind(threads.flags[thread]) === 'java' && isPoolWorker(dictionary, threads.node[thread], {})) {
			getOrCreate(pools, threads.name[thread].replace(/\d+$/, safe``), () => []).push(thread);
		}
	}

	return Array.from(pools, ([name, ofPool]) => ({name, threads: ofPool}));
}

function poolFinding(
	snapshot: Snapshot,
	query: Query,
	{name, threads}: Pool,
	{isForResult, state}: {readonly isForResult: boolean; readonly state: PoolState | undefined},
): Finding {
	const {reading: {queued}, fullMs} = state ?? {reading: {queued: 0}, fullMs: 0};
	const {at, via} = commonAppLine(snapshot, query, threads)!;
	const isCommon = name.startsWith(commonPool);
	const longestMs = Math.max(isCommon ? fullMs : 0, ...threads.map(thread => stuckMs(snapshot, thread)));
	const pool = isCommon ? safe`the common pool` : safe`${name}*`;
	const count = threads.length;
	const all = count === 2 ? safe`Both` : safe`All ${count}`;
	const who = count === 1 ? safe`The only thread of ${pool} waits` : safe`${all} threads of ${pool} wait`;
	const where = nameWith(at, via ? [viaText(via)] : [], maxLocationCells);
	const blocked = isCommon ? 'parallel streams and async tasks wait for it' : 'the pool can run no other task';
	return {
		id: 'pool',
		text: safe`${who}${isForResult ? ' for results of tasks' : ''}, ${formatDuration(longestMs)}, at ${where}: ${
			blocked
		}${queued > 0 ? safe`, ${plural(queued, safe`task`)} queued` : ''}.`,
		figures: {
			threads: threads.length,
			pool: `${name}*`,
			at: locationNameOrEmpty(at),
			longestMs: Math.round(longestMs),
			...(queued > 0 ? {queued} : {}),
		},
	};
}

/** Returns the finding that all connections of a pool are in use and threads wait for one, with who holds them. */
function connectionFinding({reading, fullMs, isFullLonger, holders}: PoolState): Finding | undefined {
	const {kind, name, limit, queued} = reading;
	if (kind !== 'hikari' || queued <= 0 || fullMs < leastFullOfConnectionsMs) {
		return undefined;
	}

	const known = holders.filter(({at}) => at).toSorted((a, b) => b.heldMs - a.heldMs);
	const counts = new Map<string, number>();
	for (const {at} of known) {
		counts.set(locationKey(at!, 'line'), 1 + (counts.get(locationKey(at!, 'line')) ?? 0));
	}

	const [most, count = 0] = mostOf(counts) ?? [];
	const longest = known.find(({at}) => locationKey(at!, 'line') === most);
	const time = longest && stuckInWords({stuckMs: longest.heldMs, stuckAtLeast: longest.isHeldLonger});
	const at = longest && shortName(longest.at!, maxLocationCells);
	const who = longest
		? (count === 1
			? safe`; ${longest.name} has held one for ${time!}, at ${at!}`
			: safe`; ${count} are held at ${at!}, longest ${time!}`)
		: safe``;
	const waiting = plural(queued, safe`thread waits`, safe`threads wait`);
	return {
		id: 'pool-connections',
		text: safe`Connection pool ${name} is used up, ${stuckInWords({stuckMs: fullMs, stuckAtLeast: isFullLonger})}: ${
			waiting
		} for its ${plural(limit, safe`connection`)}${who}.`,
		figures: {
			pool: name,
			threads: queued,
			connections: limit,
			fullMs: Math.round(fullMs),
			...(longest
				? {holder: longest.name, at: locationNameOrEmpty(longest.at), heldMs: Math.round(longest.heldMs)}
				: {}),
		},
	};
}

/** Returns by how much a minute a queue grows; undefined if it does not, or that does not matter. */
function queueGrowthPerMin(
	{queued, queuedGrowthPerMin: fast, queuedSteadyGrowthPerMin: steady}: PoolReading,
): number | undefined {
	if (fast >= muchQueueGrowthPerMin && fast >= muchQueueGrowth * queued) {
		return fast;
	}

	return steady >= muchSteadyQueueGrowthPerMin && steady >= muchSteadyQueueGrowth * queued ? steady : undefined;
}

/** Says by how many a number grows. */
function moreText(perMin: number): Printable {
	return perMin < 59
		? safe`${formatCount(Math.round(perMin))} more a minute`
		: safe`${formatCount(Math.round(perMin / 60))} more a second`;
}

/** Returns the finding that an executor's queue has grown for a while, although it makes no more threads. */
function growingQueueFinding(
	snapshot: Snapshot,
	query: Query,
	{reading, threads}: PoolState,
): Finding | undefined {
	const {kind, name, size, limit, queued, queueBound} = reading;
	const growth = queueGrowthPerMin(reading);
	// Between two tasks no thread is at work, and a pool may still make threads.
	if (!isExecutor(kind) || growth === undefined || size < limit) {
		return undefined;
	}

	const at = commonAppLine(snapshot, query, threads)?.at;
	const most = at ? safe`, most at ${shortName(at, maxLocationCells)}` : safe``;
	const inMs = queueBound > 0 ? Math.max(0, queueBound - queued) / growth * 60_000 : undefined;
	const full = inMs === undefined ? safe`` : safe`, full in ${fullInText(inMs)}`;
	const rate = safe`${moreText(growth)}${full}`;
	const several = size === 2 ? safe`both threads are` : safe`all ${size} threads are`;
	const who = size === 1 ? safe`its only thread is` : several;
	return {
		id: 'pool-queue',
		text: safe`The queue of ${name} grows: ${plural(queued, safe`task`)}, ${rate}; ${who} busy${most}.`,
		figures: {
			pool: name,
			queued,
			growthPerMin: Math.round(growth),
			threads: size,
			...(at ? {at: locationNameOrEmpty(at)} : {}),
		},
	};
}

/** Returns the finding that an executor has been full with as many tasks in its queue, and most threads wait. */
function fullPoolFinding(snapshot: Snapshot, query: Query, state: PoolState): Finding | undefined {
	const {reading: {kind, name, size, queued, queueBound}, threads, fullMs} = state;
	const waiting = threads.filter(thread =>
		snapshot.threads.state[thread] !== stateCode.RUNNABLE && stuckMs(snapshot, thread) >= leastStuckMs);
	const isQueueFull = queueBound > 0 && queued >= queueBound;
	const isFull = fullMs >= leastFullMs && size > 1 && (queued >= size || isQueueFull);
	if (!isExecutor(kind) || !isFull || 2 * waiting.length <= size) {
		return undefined;
	}

	const line = commonAppLine(snapshot, query, waiting);
	if (!line) {
		return undefined;
	}

	const where = nameWith(line.at, line.via ? [viaText(line.via)] : [], maxLocationCells);
	const tasks = safe`${isQueueFull ? 'as many tasks as its queue holds, ' : ''}${
		plural(queued, safe`task`)
	}`;
	return {
		id: 'pool-full',
		text: safe`${name} has been full for ${
			stuckInWords({stuckMs: fullMs, stuckAtLeast: state.isFullLonger})
		}: ${tasks} wait for its ${plural(size, safe`thread`)}, which are at ${where}.`,
		figures: {pool: name, queued, threads: size, fullMs: Math.round(fullMs), at: locationNameOrEmpty(line.at)},
	};
}

/** Returns the `appLine` of most of the threads. */
export function commonAppLine(snapshot: Snapshot, query: Query, threads: readonly number[]): AppLine | undefined {
	const {dictionary, threads: {node}} = snapshot;
	const counts = new Map<string, number>();
	const lineOf = new Map<string, AppLine>();
	for (const thread of threads) {
		const line = appLine(dictionary, node[thread], query);
		if (line) {
			const key = locationKey(line.at, 'line');
			lineOf.set(key, line);
			counts.set(key, 1 + (counts.get(key) ?? 0));
		}
	}

	const [key] = mostOf(counts) ?? [];
	return key === undefined ? undefined : lineOf.get(key);
}

/**
Threads that grow by at least this number a minute, and by this part of all, are a finding; in the first minute, in
which pools grow to their size, only if there are many.
*/
const muchGrowthPerMin = 60;
const muchGrowth = 0.25;
const startMs = 60_000;
const manyAtStart = 500;

/** Threads that come and go in waves grow, too, but not beyond those of the last wave by this factor. */
const leastTimesBefore = 1.1;

/** Threads that have grown for several minutes by at least this number a minute are a finding, too. */
const muchSteadyGrowthPerMin = 4;

/** Returns by how many a minute the threads grow; undefined if they do not, or that does not matter. */
function threadGrowthPerMin(vitals: TargetVitals): number | undefined {
	const {threadCount = 0, threadsBefore = 0, threadGrowthPerMin: fast = 0, uptimeMs = startMs} = vitals;
	const isStart = uptimeMs < startMs && threadCount < manyAtStart;
	const isWave = threadCount < leastTimesBefore * threadsBefore;
	if (fast >= muchGrowthPerMin && fast >= muchGrowth * threadCount && !isStart && !isWave) {
		return fast;
	}

	const steady = steadyGrowth({used: threadCount, steadyPerMin: vitals.threadSteadyGrowthPerMin}, uptimeMs);
	return steady && steady.perMin >= muchSteadyGrowthPerMin ? steady.perMin : undefined;
}

/** Whether most threads are those of one pool that makes only some number of them. */
function isOfBoundedPool({pools = [], threads: {key}}: Snapshot, threads: readonly number[]): boolean {
	const keys = new Set(threads.map(thread => key[thread]));
	return pools.some(({limit, threads: ofPool}) => {
		const ofThese = ofPool.filter(each => keys.has(each)).length;
		return limit !== unknownFigure && 2 * ofThese > keys.size;
	});
}

/** Returns the finding that there are more and more threads, with those that there are most of. */
export function threadGrowthFinding(
	snapshot: Snapshot,
	query: Query,
	all: readonly number[],
	vitals: TargetVitals = {},
): Finding | undefined {
	const {threadCount = 0, tasksMax} = vitals;
	const growth = threadGrowthPerMin(vitals);
	if (growth === undefined) {
		return undefined;
	}

	const byName = new Map<Printable, number[]>();
	for (const thread of all) {
		getOrCreate(byName, poolName(snapshot.threads.name[thread]), () => []).push(thread);
	}

	const sizeOf = (threads: readonly number[]) => membersOfAll(snapshot.threads, threads);
	const [[name, threads] = [safe``, []]] = [...byName].toSorted(([, a], [, b]) => sizeOf(b) - sizeOf(a));
	if (isOfBoundedPool(snapshot, threads)) {
		return undefined;
	}

	const at = commonAppLine(snapshot, query, threads)?.at;
	const inMs = tasksMax ? Math.max(0, tasksMax - threadCount) / growth * 60_000 : undefined;
	const limit = inMs === undefined ? safe`` : safe`, at the limit of the cgroup in ${fullInText(inMs)}`;
	const rate = safe`${moreText(growth)}${limit}`;
	const most = safe`${formatCount(sizeOf(threads))} are ${name}${
		at ? safe`, at ${shortName(at, maxLocationCells)}` : ''
	}`;
	return {
		id: 'threads', text: safe`Threads grow: ${formatCount(threadCount)} now, ${rate}; ${most}.`,
		figures: {
			threads: threadCount,
			growthPerMin: Math.round(growth),
			name,
			...(at ? {at: locationNameOrEmpty(at)} : {}),
		},
	};
}
