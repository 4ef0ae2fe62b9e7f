import {fromNames} from '../column-types.js';
import {reportSince} from '../records-in-window.js';
import {
	bucketCount, endedThreads, type ThreadCalls, type ThreadWay, type TraceNodes, type TraceReport,
} from './report.js';

/** Counters of a node that only grow. */
const counters = ['calls', 'exceptions', 'cumulativeNs', 'ownNs'] as const;

/** The report of what came after `baseline`; all of it where that is of another tracing, or of none. */
export function reportInWindow(report: TraceReport, baseline: TraceReport | undefined): TraceReport {
	return reportSince(report, baseline, ['traces', 'lostCalls'], before => ({
		byThread: threadsInWindow(report.byThread, before.byThread), nodes: nodesSince(report.nodes, before.nodes),
	}));
}

function nodesSince(nodes: TraceNodes, before: TraceNodes): TraceNodes {
	const grown = (now: Float64Array, then: Float64Array) => now.map((value, index) => Math.max(0, value - (then[index] ?? 0)));
	const buckets = grown(nodes.buckets, before.buckets);
	return {
		...nodes,
		...fromNames(counters, name => grown(nodes[name], before[name])),
		buckets,
		// The longest call may have been before.
		mostNs: nodes.mostNs.map((ns, node) => ns > (before.mostNs[node] ?? 0) ? ns : longestNs(buckets.subarray(node * bucketCount, (node + 1) * bucketCount), ns)),
	};
}

/**
What threads called after `baseline`. What a thread had called before is part of what ended threads called when it has
ended.
*/
export function threadsInWindow(threads: readonly ThreadCalls[], baseline: readonly ThreadCalls[]): ThreadCalls[] {
	const live = new Set(threads.map(({number}) => number));
	return threads
		.map(thread => {
			const before = baseline.filter(({number}) => number === thread.number || (thread.number === endedThreads && !live.has(number)));
			return before.length === 0 ? thread : {...thread, ways: waysInWindow(thread.ways, before.flatMap(({ways}) => ways))};
		})
		.filter(({ways}) => ways.length > 0);
}

function waysInWindow(ways: readonly ThreadWay[], before: readonly ThreadWay[]): ThreadWay[] {
	const known = new Map<number, {calls: number; exceptions: number; cumulativeNs: number; ownNs: number; mostNs: number}>();
	for (const {node, calls, exceptions, cumulativeNs, ownNs, mostNs} of before) {
		const sums = known.get(node) ?? {
			calls: 0, exceptions: 0, cumulativeNs: 0, ownNs: 0, mostNs: 0,
		};
		sums.mostNs = Math.max(sums.mostNs, mostNs);
		sums.calls += calls;
		sums.exceptions += exceptions;
		sums.cumulativeNs += cumulativeNs;
		sums.ownNs += ownNs;
		known.set(node, sums);
	}

	return ways
		.map(way => {
			const then = known.get(way.node);
			return then
				? {
					...way, calls: way.calls - then.calls, exceptions: Math.max(0, way.exceptions - then.exceptions),
					cumulativeNs: Math.max(0, way.cumulativeNs - then.cumulativeNs), ownNs: Math.max(0, way.ownNs - then.ownNs),
					mostNs: way.mostNs > then.mostNs ? way.mostNs : 0,
				}
				: way;
		})
		.filter(({calls}) => calls > 0);
}

/** The longest call that the buckets tell of, nanoseconds; at most `mostNs`. */
export function longestNs(buckets: Float64Array, mostNs: number): number {
	const last = buckets.findLastIndex(count => count > 0);
	return last === -1 ? 0 : (last === bucketCount - 1 ? mostNs : Math.min(2 ** last, mostNs));
}
