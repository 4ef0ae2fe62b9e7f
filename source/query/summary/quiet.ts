import {sumUpTo} from '../../model/sum.js';
import {rootNode} from '../../model/frame.js';
import type {Snapshot} from '../../model/snapshot.js';
import {stateCode} from '../../model/thread-state.js';
import {
	countersInWindow, isCounted, scopeOf, type Scope,
} from '../counters/scope.js';
import {isOfJvm} from '../counters/thread-kind.js';
import type {Query} from '../types/query.js';
import {corePercent, sampledMs, threadCpuNs} from '../counters/cpu-time.js';
import {leastCpuPercent} from './summary.js';

/** Minimum window in which a program can be found to use no CPU: some CPU times are read once a second. */
export const leastMs = 1000;

/** Percentage of a core below which the JVM's own threads count as quiet: they also work for our samples. */
const leastJvmCpuPercent = 10;

/** Returns the query for the summary's rows: if the program only waits, all states of its threads. */
export function summaryQuery(snapshot: Snapshot, since: Snapshot | undefined, query: Query): Query {
	return query.summary?.showsWaits && isQuiet(snapshot, since, query)
		? {
			...query, ownFirst: true, unit: query.unit === 'cpu' ? 'ticks' : query.unit, states: ['RUNNABLE', 'BLOCKED', 'WAITING', 'TIMED_WAITING', 'IDLE'], threadKeys: query.threadKeys ?? threadsOfProgram(snapshot),
		}
		: query;
}

/** Whether the program, or the queried threads, use almost no CPU. */
function isQuiet(snapshot: Snapshot, since: Snapshot | undefined, query: Query): boolean {
	const {threads} = snapshot;
	const overMs = sampledMs(snapshot, since);
	const scope = scopeOf(snapshot, query);
	if (overMs < leastMs && (snapshot.session.samples === 0 || hasRunningThread(snapshot, since, scope))) {
		return false;
	}

	const isJvmThread = (thread: number) => !scope.threads && isOfJvm(threads.flags[thread], threads.name[thread]);
	const usedNs = (ofJvm: boolean) => sumUpTo(threads.count, thread => isCounted(scope, thread) && isJvmThread(thread) === ofJvm ? threadCpuNs(snapshot, since, thread) : 0);
	return corePercent(usedNs(false), overMs) < leastCpuPercent && corePercent(usedNs(true), overMs) < leastJvmCpuPercent;
}

/** Whether a sample found a thread of the program running: known before its CPU time is. */
function hasRunningThread(snapshot: Snapshot, since: Snapshot | undefined, scope: Scope): boolean {
	const {threads} = snapshot;
	const counters = countersInWindow(snapshot, since, scope);
	for (let counter = 0; counter < counters.count; counter++) {
		const thread = counters.thread[counter];
		if (counters.state[counter] === stateCode.RUNNABLE && counters.node[counter] !== rootNode && !isOfJvm(threads.flags[thread], threads.name[thread])) {
			return true;
		}
	}

	return false;
}

/** Returns the keys of the threads that do not serve the JVM. */
export function threadsOfProgram({threads}: Snapshot): ReadonlySet<number> {
	const keys = new Set<number>();
	for (let thread = 0; thread < threads.count; thread++) {
		if (!isOfJvm(threads.flags[thread], threads.name[thread])) {
			keys.add(threads.key[thread]);
		}
	}

	return keys;
}
