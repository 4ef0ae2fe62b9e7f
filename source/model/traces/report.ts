/** Where the tracing stands: the patterns were looked up, methods are woven, all is taken out again. */
export type TracePhase = 'surveyed' | 'tracing' | 'over';

/** A method that was woven. Strings are printable. */
export type TracedMethod = {
	/** With dots between packages. */
	readonly className: string;
	readonly method: string;
	/** Types of its parameters, as in Java: "int, java.lang.String[]". */
	readonly parameters: string;
	/** It was called so often that only one call in so many is followed, and stands for the others; otherwise 1. */
	readonly oneIn?: number;
	/** It cost too much even so, and is traced no more. */
	readonly isLetGo?: boolean;
};

/**
Calls by the way that led to them. Node 0 is the root; a parent's id is always smaller than its child's, and ids mean the
same in every report of a session. Times in nanoseconds; `buckets` has `bucketCount` numbers a node.
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
	readonly buckets: Float64Array;
};

/** Bucket b counts calls of less than 2^b ns that bucket b - 1 does not; the last one has all others. */
export const bucketCount = 42;

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
export type UnmatchedPattern = {readonly pattern: string; readonly nearest: readonly string[]};

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
	/** Different for each thread of a session; smaller than `firstThread`: several threads that count together. */
	readonly number: number;
	readonly name: string;
	readonly ways: readonly ThreadWay[];
};

/** By their numbers: several threads that count together. */
export const threadGroups = ['(ended threads)', '(virtual threads)', '(other threads)'] as const;
export const endedThreads = 0;
export const firstThread = threadGroups.length;

/** What the agent in the target reported last. Counters only grow. */
export type TraceReport = {
	readonly phase: TracePhase;
	/** Number of the newest command that is carried out. */
	readonly command: number;
	/** Epoch milliseconds; 0 while nothing is woven. */
	readonly startedAtMs: number;
	/** For how long calls have been counted. */
	readonly elapsedNs: number;
	/** What the patterns mean of the classes loaded. */
	readonly survey: {
		readonly classes: number;
		readonly methods: number;
		/** Some of them. */
		readonly names: readonly string[];
		readonly refused: readonly RefusedName[];
		readonly unmatched: readonly UnmatchedPattern[];
	};
	readonly wovenClasses: number;
	readonly wovenMethods: number;
	readonly refused: readonly RefusedName[];
	/** Calls that there was no room to count. */
	readonly lostCalls: number;
	/** Traces that ended. */
	readonly traces: number;
	/** Threads that have called a traced method, and live. */
	readonly threads: number;
	readonly methods: readonly TracedMethod[];
	readonly nodes: TraceNodes;
	/** The same by thread; empty in files of before version 0.11. */
	readonly byThread: readonly ThreadCalls[];
	readonly activeCount: number;
	/** The oldest of them, the oldest first. */
	readonly active: readonly ActiveTrace[];
	/** The slowest first. */
	readonly slowest: readonly WholeTrace[];
};
