import {printable, safe, type Printable} from '../../util/printable.js';
import {sumUpTo} from '../../util/sum.js';
import {isOfEvents, type StateTicks, type Query} from '../types/query.js';
import type {SessionStats, Snapshot} from '../../model/snapshot.js';
import {stateCount, stateCode, threadStates} from '../../model/thread-state.js';
import {isCollector} from '../../model/jvm-stacks.js';
import {threadFlag} from '../../model/sample.js';
import {unattributedReasons, rootNode} from '../../model/frame.js';
import {unattributedNs} from '../counters/aligned.js';
import {threadCpuNs, threadRunDelayNs, membersOf, threadKind, isOfJvm} from '../counters/thread-table.js';
import {percentOf, corePercent, sampledMs, windowMs} from '../counters/share.js';
import {deadlocksOf, type Deadlock} from '../locks/deadlocks.js';
import {isHeldUpNow, lacksCarrier, waitsForWorkNow} from '../locks/newest-sample.js';
import {shownState, type OwnCodeRule} from '../counters/waiting-stacks.js';
import {countersInWindow, isCounted, scopeOf, type Scope} from '../counters/scope.js';
import {filterOf} from '../filter/filter.js';

export type Summary = {
	readonly deadlocks: readonly Deadlock[];
	/**
	Java threads (see `threadKind`) alive in the newest sample, and how many are in each state (see `shownState`).
	*/
	readonly threads: number;
	readonly statesNow: StateTicks;
	/** Number of the virtual threads that are ready to run, but have no carrier; RUNNABLE in `statesNow`. */
	readonly lackingCarrier: number;
	/** Number of the Java threads that wait for a lock held by another thread. */
	readonly contendingNow: number;
	readonly vmThreads: number;
	/** CPU percent (100 = one core) in the window: Java code, JIT compilers, the JVM's other threads. */
	readonly javaCpuPercent: number;
	readonly jitCpuPercent: number;
	readonly vmCpuPercent: number;
	/** The part of `vmCpuPercent` that collects garbage. */
	readonly collectorCpuPercent: number;
	/** Time that threads were runnable without a CPU, percent of one thread's time. */
	readonly runDelayPercent: number;
	/** Percentage of the CPU time that is unattributed, and why; empty if unknown. */
	readonly unattributed: {readonly percent: number; readonly reason: Printable};
	/** Milliseconds of sampling in the window, without pauses, and its samples. */
	readonly windowMs: number;
	readonly samples: number;
};

/** Returns the option that bounds how often samples are taken. */
export function limitOf(
	{intervalMs, cpuIntervalMs}: Pick<SessionStats, 'intervalMs' | 'cpuIntervalMs'>,
): '--max-cpu' | '--max-overhead' {
	return cpuIntervalMs >= intervalMs ? '--max-cpu' : '--max-overhead';
}

/** A window of at least `leastStarvedMs` is starved if it has fewer samples than planned by this factor. */
const starvedFactor = 5;
const leastStarvedMs = 2000;

/** Returns a note on a window with far fewer samples than planned; empty for others. */
export function starvedText({session}: Snapshot, since: Snapshot | undefined): Printable {
	const {timer, intervalMs, requestedIntervalMs} = session;
	const [samples, late, failed, durationMs] = (['samples', 'late', 'failed', 'durationMs'] as const).map(name =>
		session[name] - (since?.session[name] ?? 0));
	// If few samples were late, few were planned, because no thread ran.
	const isStarved = requestedIntervalMs > 0 && durationMs >= leastStarvedMs && late >= samples
		&& samples * starvedFactor * Math.max(intervalMs, requestedIntervalMs) < durationMs;
	// Without a timer, samples are the target's own answers, so it needs a CPU too.
	const why = failed > samples
		? safe`the target did not answer`
		: safe`tprof-top ${timer === '' ? 'or the target ' : ''}had no CPU`;
	return isStarved
		? safe`${samples} sample${samples === 1 ? '' : 's'} in ${Math.round(durationMs / 1000)} s: ${why}`
		: safe``;
}

/** Returns a note on threads that were renamed in the session, if the filter selects threads by name; else empty. */
export function renamedText({threads: {count: rows, flags}}: Snapshot, filter: string): Printable {
	if (!filterOf(filter).thread) {
		return safe``;
	}

	const count = sumUpTo(rows, row => Number((flags[row] & threadFlag.renamed) !== 0));
	const [threads, their] = count === 1 ? [safe`1 thread was`, safe`its`] : [safe`${count} threads were`, safe`their`];
	return count === 0 ? safe`` : safe`${threads} renamed: ${their} samples count under ${their} last name`;
}

/** Percentage of a core below which a program uses almost no CPU. */
export const leastCpuPercent = 1;

const minUnattributedPercent = 5;

/** Returns a note on unattributed CPU time; empty if there is little of it, or the program uses almost no CPU. */
export function unattributedText(
	{unattributed: {percent, reason}, javaCpuPercent}: Pick<Summary, 'unattributed' | 'javaCpuPercent'>,
): Printable {
	return percent < minUnattributedPercent || javaCpuPercent < leastCpuPercent
		? safe``
		: safe`${Math.round(percent)}% unattributed${reason ? safe`: ${reason}` : ''}`;
}

/** Returns the figures of the whole target for the header. */
export function summarize(snapshot: Snapshot, since: Snapshot | undefined, rule: OwnCodeRule = {}): Summary {
	const {threads, session} = snapshot;
	const statesNow = Array.from({length: stateCount}, () => 0);
	const cpuNs = {java: 0, jit: 0, vm: 0};
	let collectorNs = 0;
	let runDelayNs = 0;
	let alive = 0;
	let vmThreads = 0;
	let contendingNow = 0;
	let lackingCarrier = 0;
	for (let thread = 0; thread < threads.count; thread++) {
		const kind = threadKind(threads.flags[thread]);
		const usedNs = threadCpuNs(snapshot, since, thread);
		cpuNs[kind] += usedNs;
		collectorNs += kind === 'vm' && isCollector(threads.name[thread]) ? usedNs : 0;
		runDelayNs += threadRunDelayNs(snapshot, since, thread);
		if (threads.alive[thread] === 1 && kind === 'java') {
			const members = membersOf(threads, thread);
			alive += members;
			const isForWork = waitsForWorkNow(snapshot, thread, rule);
			statesNow[stateCode[shownState(threadStates[threads.state[thread]], isForWork)]]
				+= members;
			contendingNow += isHeldUpNow(snapshot, thread, rule) ? members : 0;
			lackingCarrier += lacksCarrier(threads, thread) ? members : 0;
		} else if (threads.alive[thread] === 1) {
			vmThreads++;
		}
	}

	const overMs = sampledMs(snapshot, since);
	return {
		deadlocks: deadlocksOf(snapshot),
		threads: alive,
		vmThreads,
		contendingNow,
		lackingCarrier,
		statesNow,
		javaCpuPercent: corePercent(cpuNs.java, overMs),
		jitCpuPercent: corePercent(cpuNs.jit, overMs),
		vmCpuPercent: corePercent(cpuNs.vm, overMs),
		collectorCpuPercent: corePercent(collectorNs, overMs),
		runDelayPercent: corePercent(runDelayNs, overMs),
		unattributed: {
			percent: percentOf(unattributedNs(snapshot, since), cpuNs.java + cpuNs.jit + cpuNs.vm),
			reason: printable(unattributedReasons[session.unattributedReason] ?? ''),
		},
		windowMs: windowMs(snapshot, since),
		samples: Math.max(0, session.samples - (since?.session.samples ?? 0)),
	};
}

/** Minimum window in which a program can be found to use no CPU: some CPU times are read once a second. */
export const minQuietMs = 1000;

/** Percentage of a core below which the JVM's own threads count as quiet: they also work for our samples. */
const leastJvmCpuPercent = 10;

/** A program that was quiet is so until it uses this multiple of these. */
const timesWhileQuiet = 3;

/**
Returns the query for the summary's rows: if the program only waits, all states of its threads, but waits for work only
with `showsWaitsForWork`.
*/
export function summaryQuery(snapshot: Snapshot, since: Snapshot | undefined, query: Query): Query {
	return query.summary?.showsWaits && !isOfEvents(query.unit) && isQuiet(snapshot, since, query)
		? {
			...query,
			ownFirst: true,
			unit: query.unit === 'cpu-ms' ? query.unit : 'ticks',
			states: ['RUNNABLE', 'BLOCKED', 'WAITING', 'TIMED_WAITING', 'IDLE'],
			threadKeys: query.threadKeys ?? threadsOfProgram(snapshot),
			withoutWaitsForWork: !query.showsWaitsForWork,
		}
		: query;
}

/** Whether the program, or the queried threads, use almost no CPU. */
export function isQuiet(snapshot: Snapshot, since: Snapshot | undefined, query: Query): boolean {
	const {threads, counters, session} = snapshot;
	// Another tool's CPU profile says nothing about waits.
	if (
		session.engine === 'pprof'
		&& counters.state.subarray(0, counters.count).every(code => code === stateCode.RUNNABLE)
	) {
		return false;
	}

	const overMs = sampledMs(snapshot, since);
	const scope = scopeOf(snapshot, query);
	if (overMs < minQuietMs && (session.samples === 0 || hasRunningThread(snapshot, since, scope))) {
		return false;
	}

	const isJvmThread = (thread: number) => !scope.threads && isOfJvm(threads.flags[thread], threads.name[thread]);
	const usedNs = (ofJvm: boolean) =>
		sumUpTo(
			threads.count,
			thread =>
				isCounted(scope, thread) && isJvmThread(thread) === ofJvm ? threadCpuNs(snapshot, since, thread) : 0,
		);
	const times = query.summary?.wasQuiet ? timesWhileQuiet : 1;
	return corePercent(usedNs(false), overMs) < leastCpuPercent * times
		&& corePercent(usedNs(true), overMs) < leastJvmCpuPercent * times;
}

/** Whether a sample found a thread of the program running, before its CPU time is known. Without frames it may wait. */
function hasRunningThread(snapshot: Snapshot, since: Snapshot | undefined, scope: Scope): boolean {
	const {threads} = snapshot;
	const {count, node, state, thread} = countersInWindow(snapshot, since, scope);
	return thread.subarray(0, count).some((index, counter) =>
		state[counter] === stateCode.RUNNABLE && node[counter] !== rootNode
		&& !isOfJvm(threads.flags[index], threads.name[index]));
}

/** Returns the keys of the threads that do not serve the JVM. */
export function threadsOfProgram({threads}: Snapshot): ReadonlySet<number> {
	return new Set(threads.key.subarray(0, threads.count).filter((_, thread) =>
		!isOfJvm(threads.flags[thread], threads.name[thread])));
}
