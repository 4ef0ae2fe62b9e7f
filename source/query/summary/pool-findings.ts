import {getOrCreate} from '../../util/get-or-create.js';
import type {Snapshot, TargetVitals} from '../../model/snapshot.js';
import {mostOf} from '../../util/sum.js';
import {poolName, safe, type Printable} from '../../util/printable.js';
import {stateCode} from '../../model/thread-state.js';
import {locationNameOrEmpty} from '../columns/column.js';
import {formatCount, formatDuration} from '../columns/format.js';
import {maxLocationCells, nameWith, shortName, viaText} from '../columns/names.js';
import {appLine, type AppLine} from '../counters/attribution.js';
import {locationKey} from '../counters/location.js';
import {membersOfAll, threadKind} from '../counters/thread-table.js';
import {isPoolWorker} from '../counters/waiting-stacks.js';
import {waitsForWorkNow, stuckMs} from '../locks/newest-sample.js';
import {waitOf} from '../locks/wait-of.js';
import type {Finding, Query} from '../types/query.js';

/** A pool whose threads have waited for this long has no thread for its tasks; in a program that uses CPU, longer. */
const leastQuietMs = 2000;
const leastBusyMs = 5000;

/** Begins the names of the workers of ForkJoinPool.commonPool(). */
const commonPool = 'ForkJoinPool.commonPool-worker-';

/** The threads that serve one pool, as their names tell. */
type Pool = {readonly name: Printable; readonly threads: readonly number[]};

/**
Returns findings on pools whose threads all wait in tasks: for the results of other tasks, or, in the common pool, for
anything. A pool with a thread that runs or waits for work is not among them.
*/
export function poolFindings(snapshot: Snapshot, query: Query, all: readonly number[], isQuiet: boolean): Finding[] {
	const leastMs = isQuiet ? leastQuietMs : leastBusyMs;
	return poolsOf(snapshot, all).flatMap((pool): Finding[] => {
		const isWaiting = (thread: number) => stuckMs(snapshot, thread) >= leastMs
			&& snapshot.threads.state[thread] !== stateCode.RUNNABLE
			&& !waitsForWorkNow(snapshot, thread, query)
			&& appLine(snapshot.dictionary, snapshot.threads.node[thread], query) !== undefined;
		if (!pool.threads.every(thread => isWaiting(thread))) {
			return [];
		}

		const isCommon = pool.name.startsWith(commonPool);
		const isForResult = pool.threads.every(thread => waitOf(snapshot, thread, query)?.kind === 'future');
		// A single thread may well wait for a task of another pool, unless nothing else is at work.
		const isFound = (isCommon || isForResult) && (isQuiet || pool.threads.length > 1);
		return isFound ? [poolFinding(snapshot, query, pool, isForResult)] : [];
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

function poolFinding(snapshot: Snapshot, query: Query, {name, threads}: Pool, isForResult: boolean): Finding {
	const {at, via} = commonAppLine(snapshot, query, threads)!;
	const longestMs = Math.max(...threads.map(thread => stuckMs(snapshot, thread)));
	const isCommon = name.startsWith(commonPool);
	const pool = isCommon ? safe`the common pool (ForkJoinPool.commonPool)` : safe`${name}*`;
	const count = threads.length;
	const all = count === 2 ? safe`Both` : safe`All ${count}`;
	const who = count === 1 ? safe`The only thread of ${pool} waits` : safe`${all} threads of ${pool} wait`;
	const where = nameWith(at, via ? [viaText(via)] : [], maxLocationCells);
	const blocked = isCommon ? 'parallel streams and async tasks wait for it' : 'the pool can run no other task';
	return {
		id: 'pool',
		text: safe`${who}${isForResult ? ' for results of tasks' : ''}, ${formatDuration(longestMs)}, at ${where}: ${
			blocked
		}.`,
		figures: {
			threads: threads.length,
			pool: `${name}*`,
			at: locationNameOrEmpty(at),
			longestMs: Math.round(longestMs),
		},
	};
}

/** Returns the `appLine` of most of the threads. */
function commonAppLine(snapshot: Snapshot, query: Query, threads: readonly number[]): AppLine | undefined {
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

/** Threads that grow by at least this number a minute, and by this part of all, are a finding. */
const muchGrowthPerMin = 60;
const muchGrowth = 0.25;

/** Returns the finding that there are more and more threads, with those that there are most of. */
export function threadGrowthFinding(
	snapshot: Snapshot,
	query: Query,
	all: readonly number[],
	vitals: TargetVitals = {},
): Finding | undefined {
	const {threadCount = 0, threadGrowthPerMin: growth = 0} = vitals;
	if (growth < muchGrowthPerMin || growth < muchGrowth * threadCount) {
		return undefined;
	}

	const byName = new Map<Printable, number[]>();
	for (const thread of all) {
		getOrCreate(byName, poolName(snapshot.threads.name[thread]), () => []).push(thread);
	}

	const sizeOf = (threads: readonly number[]) => membersOfAll(snapshot.threads, threads);
	const [[name, threads] = [safe``, []]] = [...byName].toSorted(([, a], [, b]) => sizeOf(b) - sizeOf(a));
	const at = commonAppLine(snapshot, query, threads)?.at;
	const rate = safe`${formatCount(Math.round(growth / 60))} more a second`;
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
