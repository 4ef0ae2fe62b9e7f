import {bucketCount, type TracedMethod, type TraceNodes, type TraceReport} from '../../model/traces/report.js';
import {longestNs} from '../../model/traces/window.js';
import {percentileNs} from './durations.js';

/** Calls of a method, or of one way to it, in a window. Times in nanoseconds. */
export type CallFigures = {
	readonly calls: number;
	readonly exceptions: number;
	readonly callsPerS: number;
	readonly exceptionsPerS: number;
	/** From start to end of a call. */
	readonly meanNs: number;
	/** NaN where it is not known, as of single threads. */
	readonly p50Ns: number;
	readonly p99Ns: number;
	readonly mostNs: number;
	/** Time in which it was open: a call of itself within counts once. */
	readonly cumulativeNs: number;
	/** Time in it, and not in traced methods that it called. */
	readonly ownNs: number;
};

/** A row of the Traces view: a method, or a row of the tree of calls. */
export type TraceRow = CallFigures & TracedMethod & {
	readonly key: string;
	/** Index of the report's methods; -1 where it stands for a thread. */
	readonly id: number;
	/** Another method of its class has its name: the parameters tell them apart. */
	readonly isOverloaded: boolean;
	/** The name of the thread that called it, in a tree by thread. */
	readonly thread?: string;
	/** How it stands in the tree, if it does. */
	readonly tree?: {readonly level: number; readonly hasChildren: boolean};
	readonly isOpen?: boolean;
	/** That of the row that it hangs from. */
	readonly parentKey?: string;
};

/** A node of the tree of calls, with those that it called, the longest first. */
export type TraceTreeRow = CallFigures & TracedMethod & {
	/** Index of the report's methods. */
	readonly id: number;
	readonly isOverloaded: boolean;
	readonly node: number;
	readonly children: readonly TraceTreeRow[];
};

type Sums = {
	calls: number; exceptions: number; allNs: number; cumulativeNs: number; ownNs: number; leastNs: number; mostNs: number; hasNewMost: boolean;
	readonly buckets: Float64Array;
};

/** The traced methods, those that nothing called too, in the order in which they were woven. */
export function traceMethods(report: TraceReport, baseline: TraceReport | undefined): TraceRow[] {
	const {nodes, methods} = report;
	const before = sameSession(report, baseline);
	const sums = methods.map(() => emptySums());
	for (let node = 1; node < nodes.count; node++) {
		add(sums[nodes.method[node]], nodes, before, node, isOutermost(nodes, node));
	}

	const seconds = secondsOf(report, baseline);
	const overloaded = overloadedNames(methods);
	return methods.map((method, id) => ({
		...method, ...figuresOf(sums[id], seconds), id, key: `${nameOf(method)}(${method.parameters})`, isOverloaded: overloaded.has(nameOf(method)),
	}));
}

/** The calls by the ways that led to them, from the heads of traces down; ways that nothing went in the window are left out. */
export function traceTree(report: TraceReport, baseline: TraceReport | undefined): TraceTreeRow[] {
	const {nodes, methods} = report;
	const before = sameSession(report, baseline);
	const seconds = secondsOf(report, baseline);
	const overloaded = overloadedNames(methods);
	const children = Array.from({length: nodes.count}, (): TraceTreeRow[] => []);
	for (let node = nodes.count - 1; node > 0; node--) {
		const sums = emptySums();
		add(sums, nodes, before, node, true);
		const below = children[node].sort((a, b) => b.cumulativeNs - a.cumulativeNs || a.node - b.node);
		if (sums.calls > 0 || below.length > 0) {
			const method = methods[nodes.method[node]];
			children[nodes.parent[node]].push({
				...method, ...figuresOf(sums, seconds), id: nodes.method[node], isOverloaded: overloaded.has(nameOf(method)), node, children: below,
			});
		}
	}

	return children[0].sort((a, b) => b.cumulativeNs - a.cumulativeNs || a.node - b.node);
}

/** `pkg.Class.method`. */
export function nameOf({className, method}: Pick<TracedMethod, 'className' | 'method'>): string {
	return `${className}.${method}`;
}

/** The same, with the parameters where the name alone does not tell which it is; a thread's name. */
export function titleOf(row: TracedMethod & {readonly isOverloaded: boolean; readonly thread?: string}): string {
	if (row.className === '' && row.thread !== undefined) {
		return row.thread;
	}

	return row.isOverloaded ? `${nameOf(row)}(${row.parameters})` : nameOf(row);
}

/** Whether some calls of it stand for all. */
export function isThinned({oneIn}: TracedMethod): boolean {
	return (oneIn ?? 1) > 1;
}

/** What of its calls is not known exactly, short enough for its row; empty where all are. */
export function thinnedText(row: TracedMethod): string {
	const parts = [...(isThinned(row) ? [`1 in ${row.oneIn}`] : []), ...(row.isLetGo ? ['let go'] : [])];
	return parts.length > 0 ? ` [${parts.join(', ')}]` : '';
}

/** Seconds for which calls were counted in the window. */
export function secondsOf(report: TraceReport, baseline: TraceReport | undefined): number {
	return Math.max(0, report.elapsedNs - (sameSession(report, baseline)?.elapsedNs ?? 0)) / 1e9;
}

/** Names that several methods have. */
export function overloadedNames(methods: readonly TracedMethod[]): Set<string> {
	const seen = new Set<string>();
	return new Set(methods.map(method => nameOf(method)).filter(name => seen.size === seen.add(name).size));
}

/** A tracing that was begun anew has nothing to do with what was counted before. */
function sameSession(report: TraceReport, baseline: TraceReport | undefined): TraceReport | undefined {
	return baseline?.startedAtMs === report.startedAtMs ? baseline : undefined;
}

function isOutermost({parent, method}: TraceNodes, node: number): boolean {
	for (let above = parent[node]; above !== 0; above = parent[above]) {
		if (method[above] === method[node]) {
			return false;
		}
	}

	return true;
}

function emptySums(): Sums {
	return {
		calls: 0, exceptions: 0, allNs: 0, cumulativeNs: 0, ownNs: 0, leastNs: Infinity, mostNs: 0, hasNewMost: false, buckets: new Float64Array(bucketCount),
	};
}

function add(sums: Sums, nodes: TraceNodes, before: TraceReport | undefined, node: number, isOutermostCall: boolean): void {
	const old = before && node < before.nodes.count ? before.nodes : undefined;
	const grown = (counter: 'calls' | 'exceptions' | 'cumulativeNs' | 'ownNs') => Math.max(0, nodes[counter][node] - (old?.[counter][node] ?? 0));
	const calls = grown('calls');
	if (calls === 0) {
		return;
	}

	sums.calls += calls;
	sums.exceptions += grown('exceptions');
	sums.allNs += grown('cumulativeNs');
	sums.cumulativeNs += isOutermostCall ? grown('cumulativeNs') : 0;
	sums.ownNs += grown('ownNs');
	sums.leastNs = Math.min(sums.leastNs, nodes.leastNs[node]);
	sums.mostNs = Math.max(sums.mostNs, nodes.mostNs[node]);
	sums.hasNewMost ||= old === undefined || nodes.mostNs[node] > old.mostNs[node];
	for (let bucket = 0; bucket < bucketCount; bucket++) {
		const at = (node * bucketCount) + bucket;
		sums.buckets[bucket] += Math.max(0, nodes.buckets[at] - (old?.buckets[at] ?? 0));
	}
}

function figuresOf({calls, exceptions, allNs, cumulativeNs, ownNs, leastNs, mostNs, hasNewMost, buckets}: Sums, seconds: number): CallFigures {
	// The longest call may have been before the window; then its buckets say how long the longest in it may have been.
	const most = hasNewMost ? mostNs : longestNs(buckets, mostNs);
	const durations = {buckets, leastNs: calls > 0 ? leastNs : 0, mostNs: most};
	return {
		calls, exceptions,
		callsPerS: seconds > 0 ? calls / seconds : 0,
		exceptionsPerS: seconds > 0 ? exceptions / seconds : 0,
		meanNs: calls > 0 ? allNs / calls : 0,
		p50Ns: percentileNs(durations, 0.5),
		p99Ns: percentileNs(durations, 0.99),
		mostNs: calls > 0 ? most : 0,
		cumulativeNs, ownNs,
	};
}
