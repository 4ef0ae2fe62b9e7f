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

/** A shorter window does not say that a program uses no CPU: some CPU times are read once a second. */
export const leastMs = 1000;

/** The JVM's own threads also work for our samples: below this share of a core, percent, they are at rest. */
const leastJvmCpuPercent = 10;

/** The query that rows at a glance come from: all states of the program's threads where they only wait. */
export function summaryQuery(snapshot: Snapshot, since: Snapshot | undefined, query: Query): Query {
	return query.summary?.showsWaits && isQuiet(snapshot, since, query)
		? {
			...query, ownFirst: true, unit: query.unit === 'cpu' ? 'ticks' : query.unit, states: ['RUNNABLE', 'BLOCKED', 'WAITING', 'TIMED_WAITING', 'IDLE'], threadKeys: query.threadKeys ?? threadsOfProgram(snapshot),
		}
		: query;
}

/** Whether the program, or the threads that are asked for, use almost no CPU. */
function isQuiet(snapshot: Snapshot, since: Snapshot | undefined, query: Query): boolean {
	const {threads} = snapshot;
	const overMs = sampledMs(snapshot, since);
	const scope = scopeOf(snapshot, query);
	if (overMs < leastMs && (snapshot.session.samples === 0 || isAnybodySeenRunning(snapshot, since, scope))) {
		return false;
	}

	const isJvms = (thread: number) => !scope.threads && isOfJvm(threads.flags[thread], threads.name[thread]);
	const usedNs = (ofJvm: boolean) => sumUpTo(threads.count, thread => isCounted(scope, thread) && isJvms(thread) === ofJvm ? threadCpuNs(snapshot, since, thread) : 0);
	return corePercent(usedNs(false), overMs) < leastCpuPercent && corePercent(usedNs(true), overMs) < leastJvmCpuPercent;
}

/** CPU times are not known yet, but what stands on the stacks is. */
function isAnybodySeenRunning(snapshot: Snapshot, since: Snapshot | undefined, scope: Scope): boolean {
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

/** Keys of the threads that are not there for the JVM alone. */
export function threadsOfProgram({threads}: Snapshot): ReadonlySet<number> {
	const keys = new Set<number>();
	for (let thread = 0; thread < threads.count; thread++) {
		if (!isOfJvm(threads.flags[thread], threads.name[thread])) {
			keys.add(threads.key[thread]);
		}
	}

	return keys;
}
