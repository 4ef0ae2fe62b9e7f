import {fromNames} from './column-types.js';
import type {Histograms} from './histogram.js';

/** Where the tracing stands: the patterns were looked up, methods are woven, all is taken out again. */
type TracePhase = 'surveyed' | 'tracing' | 'over';

/** A method that was woven. Strings are printable. */
export type TracedMethod = {
	/** With dots between packages. */
	readonly className: string;
	readonly method: string;
	/** Types of its parameters, as in Java: "int, java.lang.String[]". */
	readonly parameters: string;
	/** Above 1: only one call in this number is followed, and counts for the others: it is called too often. */
	readonly oneIn?: number;
	/** It cost too much even so, and is traced no more. */
	readonly isReleased?: boolean;
};

/**
Calls by the way that led to them. Node 0 is the root; a parent's id is always smaller than its child's, and ids mean the
same in every report of a session. Times in nanoseconds; `durations` are those of its calls.
*/
export type TraceNodes = {
	readonly count: number;
	readonly parent: Int32Array;
	readonly method: Int32Array;
	readonly calls: Float64Array;
	readonly exceptions: Float64Array;
	readonly cumulativeNs: Float64Array;
	readonly ownNs: Float64Array;
	readonly leastNs: Float64Array;
	readonly mostNs: Float64Array;
	readonly durations: Histograms;
};

export const actionKinds = ['START', 'END', 'EXCEPTION'] as const;

/** `method` indexes the report's methods; the time is since the trace's start. */
export type TraceAction = {readonly kind: typeof actionKinds[number]; readonly method: number; readonly atNs: number};

/** A trace with every action, from its head's start to that call's end. */
export type WholeTrace = {
	/** Milliseconds since the epoch at its start, and a number: different for each trace of a session. */
	readonly key: string;
	readonly startedAtMs: number;
	readonly thread: string;
	readonly durationNs: number;
	/** Actions that there was no room for, after those that are here. */
	readonly left: number;
	readonly actions: readonly TraceAction[];
};

export type ActiveTrace = {readonly thread: string; readonly method: number; readonly ageNs: number; readonly depth: number};

/** A pattern that means nothing that is loaded, and the names nearest to it. */
export type UnmatchedPattern = {
	readonly pattern: string;
	/** A class that it names is loaded, and has no such method. */
	readonly isLoaded: boolean;
	readonly nearest: readonly string[];
};

/** What cannot be woven, and why. */
export type RefusedName = {readonly name: string; readonly reason: string};

/** Calls by one way that led to them, in one thread; `node` is that of the report's nodes. Times in nanoseconds. */
export type ThreadWay = {
	readonly node: number;
	readonly calls: number;
	readonly exceptions: number;
	readonly cumulativeNs: number;
	readonly ownNs: number;
	/** 0 where it is not known, as it was before the window. */
	readonly mostNs: number;
};

/** What a thread called. */
export type ThreadCalls = {
	/** Different for each thread of a session; smaller than the number of `threadGroups`: several threads that count together. */
	readonly number: number;
	readonly name: string;
	readonly ways: readonly ThreadWay[];
};

/** By their numbers: several threads that count together. */
export const threadGroups = ['(ended threads)', '(virtual threads)', '(other threads)'] as const;
const endedThreads = 0;

/** What every report of the agent begins with. Its counters only grow. */
export type AgentReport = {
	/** As the agent wrote it, and as it is saved. */
	readonly bytes: Uint8Array;
	readonly phase: TracePhase;
	/** Number of the newest command that is carried out. */
	readonly command: number;
	/** Epoch milliseconds; 0 while nothing is woven. */
	readonly startedAtMs: number;
	/** For how long calls have been counted, or tasks followed. */
	readonly elapsedNs: number;
	readonly wovenClasses: number;
	readonly wovenMethods: number;
	readonly refused: readonly RefusedName[];
};

/** The agent's newest report of calls. */
export type TraceReport = AgentReport & {
	/** What the patterns mean of the classes loaded. */
	readonly survey: {
		readonly classes: number;
		readonly methods: number;
		/** Some of them. */
		readonly names: readonly string[];
		readonly refused: readonly RefusedName[];
		readonly unmatched: readonly UnmatchedPattern[];
	};
	/** Calls that there was no room to count. */
	readonly lostCalls: number;
	/** Traces that ended. */
	readonly traces: number;
	/** Threads that have called a traced method, and live. */
	readonly threads: number;
	readonly methods: readonly TracedMethod[];
	readonly nodes: TraceNodes;
	/** The same by thread. */
	readonly byThread: readonly ThreadCalls[];
	readonly activeCount: number;
	/** The oldest of them, the oldest first. */
	readonly active: readonly ActiveTrace[];
	/** The slowest first. */
	readonly slowest: readonly WholeTrace[];
	/** The report at the start of a window that was saved: what it counted is subtracted. */
	readonly since?: TraceReport;
};

/** Counters of a thread's way, that only grow. */
const counters = ['calls', 'exceptions', 'cumulativeNs', 'ownNs'] as const;

/** What threads called after `since`; what one that has ended called counts among the ended threads. */
export function threadsInWindow(threads: readonly ThreadCalls[], since: readonly ThreadCalls[]): ThreadCalls[] {
	const live = new Set(threads.map(({number}) => number));
	return threads
		.map(thread => {
			const before = since.filter(({number}) => number === thread.number || (thread.number === endedThreads && !live.has(number)));
			return before.length === 0 ? thread : {...thread, ways: waysInWindow(thread.ways, before.flatMap(({ways}) => ways))};
		})
		.filter(({ways}) => ways.length > 0);
}

function waysInWindow(ways: readonly ThreadWay[], before: readonly ThreadWay[]): ThreadWay[] {
	const known = new Map<number, ThreadWay>();
	for (const way of before) {
		const sums = known.get(way.node);
		known.set(way.node, sums ? {...way, ...fromNames(counters, name => sums[name] + way[name]), mostNs: Math.max(sums.mostNs, way.mostNs)} : way);
	}

	return ways
		.map(way => {
			const then = known.get(way.node);
			return then ? {...way, ...fromNames(counters, name => Math.max(0, way[name] - then[name])), mostNs: way.mostNs > then.mostNs ? way.mostNs : 0} : way;
		})
		.filter(({calls}) => calls > 0);
}
