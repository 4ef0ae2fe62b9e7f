import type {Printable} from '../util/printable.js';
import {fromNames} from './column-types.js';
import type {Histograms} from './histogram.js';

/** What the agent did last: it looked up the patterns, has rewritten ("woven") methods, or has restored all of them. */
type TracePhase = 'surveyed' | 'tracing' | 'over';

/** A method that was woven. */
export type TracedMethod = {
	/** With dots between packages. */
	readonly className: Printable;
	readonly method: Printable;
	/** Types of its parameters, as in Java: "int, java.lang.String[]". */
	readonly parameters: Printable;
	/** Above 1: the method is called so often that only one in this many calls is followed, and counts for all. */
	readonly oneIn?: number;
	/** Whether the method exceeded the allowed overhead although thinned, and is no longer traced. */
	readonly isReleased?: boolean;
};

/**
Calls by call path, as a tree: a node is a call path. Node 0 is the root; a parent's id is always smaller than its
child's, and ids mean the same in every report of a session. Times in nanoseconds.
*/
export type TraceNodes = {
	readonly count: number;
	readonly parent: Int32Array;
	/** Index in the report's methods; -1 for the root. */
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

/** A trace with all actions from the start to the end of its outermost call. */
export type WholeTrace = {
	/** Epoch milliseconds of its start, and a number: unique in a session. */
	readonly key: Printable;
	readonly startedAtMs: number;
	readonly thread: Printable;
	readonly durationNs: number;
	/** Number of later actions that were dropped because there was no room. */
	readonly droppedActions: number;
	readonly actions: readonly TraceAction[];
};

/** A trace whose outermost call (of `method`) has not ended; `depth`: number of open calls. */
export type ActiveTrace = {
	readonly thread: Printable;
	readonly method: number;
	readonly ageNs: number;
	readonly depth: number;
};

/** A pattern that matches nothing loaded, and the most similar names. */
export type UnmatchedPattern = {
	readonly pattern: Printable;
	/** Whether a class that it names is loaded, but has no such method. */
	readonly isLoaded: boolean;
	readonly nearest: readonly Printable[];
};

/** A class or method that cannot be woven, and why. */
export type RefusedName = {readonly name: Printable; readonly reason: Printable};

/** Calls of one thread by one call path, `node` of the report's `nodes`. Times in nanoseconds. */
export type PathCalls = {
	readonly node: number;
	readonly calls: number;
	readonly exceptions: number;
	readonly cumulativeNs: number;
	readonly ownNs: number;
	/** 0 if unknown: the longest call was before the window. */
	readonly mostNs: number;
};

export type ThreadCalls = {
	/** Unique in a session. Below `threadGroups.length` it is an index there: a group of threads counted together. */
	readonly number: number;
	readonly name: Printable;
	readonly paths: readonly PathCalls[];
};

export const threadGroups = ['(ended threads)', '(virtual threads)', '(other threads)'] as const;
const endedThreadsGroup = 0;

/** Fields common to the agent's reports. Counters only grow. */
export type AgentReport = {
	/** The report as the agent wrote it, and as files hold it. */
	readonly bytes: Uint8Array;
	readonly phase: TracePhase;
	/** Number of the last command that the agent has executed. */
	readonly command: number;
	/** Epoch milliseconds; 0 while nothing is woven. */
	readonly startedAtMs: number;
	/** Time for which calls have been counted, or tasks followed. */
	readonly elapsedNs: number;
	readonly wovenClasses: number;
	readonly wovenMethods: number;
	readonly refused: readonly RefusedName[];
};

/** The agent's newest report of calls. */
export type TraceReport = AgentReport & {
	/** Loaded classes and methods that the patterns match. */
	readonly survey: {
		readonly classes: number;
		readonly methods: number;
		readonly names: readonly Printable[];
		readonly refused: readonly RefusedName[];
		readonly unmatched: readonly UnmatchedPattern[];
	};
	/** Numbers of calls without room to count them, of traces, and of live threads that have called a traced method. */
	readonly lostCalls: number;
	readonly traces: number;
	readonly threads: number;
	readonly methods: readonly TracedMethod[];
	readonly nodes: TraceNodes;
	readonly byThread: readonly ThreadCalls[];
	readonly activeCount: number;
	/** The oldest active traces, the oldest first. */
	readonly active: readonly ActiveTrace[];
	readonly slowest: readonly WholeTrace[];
	/** The report at the start of a saved window, to be subtracted. */
	readonly since?: TraceReport;
};

/** The figures of `PathCalls` that only grow. */
const cumulative = ['calls', 'exceptions', 'cumulativeNs', 'ownNs'] as const;

/** Returns the calls made after `since`. When a thread ends, its counts move to the group of ended threads. */
export function threadsInWindow(threads: readonly ThreadCalls[], since: readonly ThreadCalls[]): ThreadCalls[] {
	const present = new Set(threads.map(({number}) => number));
	return threads
		.map(thread => {
			const includes = (number: number) =>
				number === thread.number || (thread.number === endedThreadsGroup && !present.has(number));
			const before = since.filter(({number}) => includes(number)).flatMap(({paths}) => paths);
			return before.length === 0 ? thread : {...thread, paths: pathsInWindow(thread.paths, before)};
		})
		.filter(({paths}) => paths.length > 0);
}

function pathsInWindow(paths: readonly PathCalls[], before: readonly PathCalls[]): PathCalls[] {
	const sumsByNode = new Map<number, PathCalls>();
	for (const path of before) {
		const sums = sumsByNode.get(path.node);
		sumsByNode.set(
			path.node,
			sums
				? {
					...path,
					...fromNames(cumulative, name => sums[name] + path[name]),
					mostNs: Math.max(sums.mostNs, path.mostNs),
				}
				: path,
		);
	}

	return paths
		.map(path => {
			const old = sumsByNode.get(path.node);
			return old
				? {
					...path,
					...fromNames(cumulative, name => Math.max(0, path[name] - old[name])),
					mostNs: path.mostNs > old.mostNs ? path.mostNs : 0,
				}
				: path;
		})
		.filter(({calls}) => calls > 0);
}
