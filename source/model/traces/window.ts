import {bucketCount, type TraceNodes, type TraceReport} from './report.js';

/** Counters of a node that only grow. */
const counters = ['calls', 'exceptions', 'cumulativeNs', 'ownNs'] as const;

/** The report of what came after `baseline`; all of it where that is of another tracing, or of none. */
export function reportInWindow(report: TraceReport, baseline: TraceReport | undefined): TraceReport {
	if (baseline?.startedAtMs !== report.startedAtMs) {
		return report;
	}

	const {nodes} = report;
	const {nodes: before} = baseline;
	const grown = (now: Float64Array, then: Float64Array) => now.map((value, index) => Math.max(0, value - (then[index] ?? 0)));
	const buckets = grown(nodes.buckets, before.buckets);
	return {
		...report,
		startedAtMs: report.startedAtMs + Math.round(baseline.elapsedNs / 1e6),
		elapsedNs: Math.max(0, report.elapsedNs - baseline.elapsedNs),
		traces: Math.max(0, report.traces - baseline.traces),
		lostCalls: Math.max(0, report.lostCalls - baseline.lostCalls),
		nodes: {
			...nodes,
			...Object.fromEntries(counters.map(name => [name, grown(nodes[name], before[name])])) as Pick<TraceNodes, typeof counters[number]>,
			buckets,
			// The longest call may have been before.
			mostNs: nodes.mostNs.map((ns, node) => ns > (before.mostNs[node] ?? 0) ? ns : longestNs(buckets.subarray(node * bucketCount, (node + 1) * bucketCount), ns)),
		},
	};
}

/** The longest call that the buckets tell of, nanoseconds; at most `mostNs`. */
export function longestNs(buckets: Float64Array, mostNs: number): number {
	const last = buckets.findLastIndex(count => count > 0);
	return last === -1 ? 0 : (last === bucketCount - 1 ? mostNs : Math.min(2 ** last, mostNs));
}
