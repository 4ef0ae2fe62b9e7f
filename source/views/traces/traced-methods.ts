import {joined, safe, type Printable} from '../../util/printable.js';
import {getOrCreate} from '../../util/get-or-create.js';
import {sumOf} from '../../util/sum.js';
import {bucketStartNs, DurationSum, histogramOf, histogramSince, type Histogram} from '../../model/histogram.js';
import {
	type TracedMethod,
	type TraceNodes,
	type TraceReport,
	threadsInWindow,
	type ThreadCalls,
	type PathCalls,
} from '../../model/trace-report.js';
import {byNumber} from '../../query/columns/sort.js';
import {z} from '../../query/counters/share.js';

/** Figures of the calls of a method, of one call path, or of a thread, in a window. Times in nanoseconds. */
export type CallFigures = {
	readonly calls: number;
	readonly exceptions: number;
	readonly callsPerS: number;
	readonly exceptionsPerS: number;
	/** NaN if unknown, as the next three may be: a thread's calls have no percentiles. */
	readonly meanNs: number;
	readonly p50Ns: number;
	readonly p99Ns: number;
	readonly mostNs: number;
	/** Time with the method on the stack, recursive calls once; NaN if recursive and only some calls are measured. */
	readonly cumulativeNs: number;
	/** Time in the method without the traced methods that it called. */
	readonly ownNs: number;
};

/** A row of the Traces view: a method, or a row of the tree of calls. */
export type TraceRow = CallFigures & TracedMethod & {
	readonly key: string;
	/** Index into the report's methods; -1 for a thread. */
	readonly id: number;
	/** If only some calls are measured: the error of the times, percent, 95 % confidence. */
	readonly errorPercent?: number;
	/** Whether another method of its class has the same name: the parameters tell them apart. */
	readonly isOverloaded: boolean;
	readonly thread?: Printable;
	readonly tree?: {readonly level: number; readonly hasChildren: boolean};
	readonly isOpen?: boolean;
	readonly parentKey?: string;
};

/** A node of the call tree; `children` are its callees, the longest first. */
export type TraceTreeRow = CallFigures & TracedMethod & {
	readonly id: number;
	readonly isOverloaded: boolean;
	readonly node: number;
	readonly children: readonly TraceTreeRow[];
};

type Sums = {exceptions: number; cumulativeNs: number; ownNs: number; readonly durations: DurationSum};

/** Returns all traced methods, called or not, in the order in which they were instrumented. */
export function traceMethods(report: TraceReport, since: TraceReport | undefined): TraceRow[] {
	const {nodes, methods} = report;
	const before = earlierReport(report, since);
	const sums = methods.map(() => emptySums());
	const recursive = new Set<number>();
	for (let node = 1; node < nodes.count; node++) {
		const isOutermostCall = isOutermost(nodes, node);
		add(sums[nodes.method[node]], nodes, before, node, isOutermostCall);
		if (!isOutermostCall) {
			recursive.add(nodes.method[node]);
		}
	}

	const seconds = secondsOf(report, since);
	const overloaded = overloadedNames(methods);
	return methods.map((method, id) => ({
		...method,
		...callFigures(sums[id], seconds),
		...(isThinned(method) ? estimateOf(sums[id], method.oneIn!, recursive.has(id)) : {}),
		id,
		key: `${tracedMethodName(method)}(${method.parameters})`,
		isOverloaded: overloaded.has(tracedMethodName(method)),
	}));
}

/** Sorts rows by cumulative time, the longest first, unknown ones last. */
export function longestFirst(a: TraceRow, b: TraceRow): number {
	return byNumber(b.cumulativeNs, a.cumulativeNs) || a.id - b.id;
}

/** Returns the fields that differ if only some calls are measured. */
function estimateOf({durations: {count, histogram}}: Sums, oneIn: number, isRecursive: boolean): Partial<TraceRow> {
	return {
		...(isRecursive ? {cumulativeNs: Number.NaN} : {}),
		...(count > 0 ? {errorPercent: errorPercentOf(histogram.build(), oneIn)} : {}),
	};
}

/** Returns the error of times, percent. Measured calls are 1 to 2 * oneIn - 1 calls apart, all equally likely. */
function errorPercentOf({bucket, count}: Histogram, oneIn: number): number {
	let [calls, sum, squares] = [0, 0, 0];
	for (const [index, inBucket] of count.entries()) {
		const middle = (bucketStartNs(bucket[index]) + bucketStartNs(bucket[index] + 1)) / 2;
		calls += inBucket;
		sum += inBucket * middle;
		squares += inBucket * (middle ** 2);
	}

	const variance = Math.max(0, (squares / calls) - ((sum / calls) ** 2));
	// A call counts for its distance d: the variance is E[d^2] / E[d]^2, about 4/3, times that of equal distances.
	return 100 * z * Math.sqrt(variance * (4 / 3) * oneIn / calls) / (sum / calls);
}

/** Returns the call tree from the first methods of traces down, without paths that had no call in the window. */
export function traceTree(report: TraceReport, since: TraceReport | undefined): TraceTreeRow[] {
	const {nodes} = report;
	const before = earlierReport(report, since);
	const seconds = secondsOf(report, since);
	const calleesFirst = Array.from({length: nodes.count - 1}, (_, index) => nodes.count - 1 - index);
	return treeOf(report, calleesFirst, node => {
		const sums = emptySums();
		add(sums, nodes, before, node, true);
		return callFigures(sums, seconds);
	});
}

/** Makes the tree of some nodes, given callees (which have higher numbers) before their callers. */
function treeOf(
	{nodes, methods}: TraceReport,
	wanted: Iterable<number>,
	figuresAt: (node: number) => CallFigures,
): TraceTreeRow[] {
	const overloaded = overloadedNames(methods);
	const children = new Map<number, TraceTreeRow[]>();
	const below = (node: number) =>
		(children.get(node) ?? []).sort((a, b) => b.cumulativeNs - a.cumulativeNs || a.node - b.node);
	for (const node of wanted) {
		const [figures, callees, id] = [figuresAt(node), below(node), nodes.method[node]];
		if (figures.calls > 0 || callees.length > 0) {
			getOrCreate(children, nodes.parent[node], () => []).push({
				...methods[id],
				...figures,
				id,
				isOverloaded: overloaded.has(tracedMethodName(methods[id])),
				node,
				children: callees,
			});
		}
	}

	return below(0);
}

/** Returns `pkg.Class.method`. */
export function tracedMethodName({className, method}: Pick<TracedMethod, 'className' | 'method'>): Printable {
	return safe`${className}.${method}`;
}

/** Returns the method's name, with its parameters if it is overloaded, or the thread's name. */
export function titleOf(row: TracedMethod & {readonly isOverloaded: boolean; readonly thread?: Printable}): Printable {
	if (row.className === '' && row.thread !== undefined) {
		return row.thread;
	}

	return row.isOverloaded ? safe`${tracedMethodName(row)}(${row.parameters})` : tracedMethodName(row);
}

/** Whether only some of its calls are measured. */
export function isThinned({oneIn}: TracedMethod): boolean {
	return (oneIn ?? 1) > 1;
}

/** Returns a remark for its row if not all its calls are measured, else an empty string. */
export function thinnedText(row: TracedMethod & Pick<TraceRow, 'errorPercent'>): Printable {
	const error = row.errorPercent === undefined ? safe`` : safe` +/-${Math.ceil(row.errorPercent)}%`;
	const parts = [
		...(isThinned(row) ? [safe`1 in ${row.oneIn ?? 1}${error}`] : []),
		...(row.isReleased ? [safe`released`] : []),
	];
	return parts.length > 0 ? safe` [${joined(parts, safe`, `)}]` : safe``;
}

function secondsOf(report: TraceReport, since: TraceReport | undefined): number {
	return Math.max(0, report.elapsedNs - (earlierReport(report, since)?.elapsedNs ?? 0)) / 1e9;
}

/** Returns the names that several methods have. */
export function overloadedNames(methods: readonly TracedMethod[]): Set<string> {
	const names = methods.map(method => tracedMethodName(method));
	const lastIndex = new Map(names.map((name, index) => [name, index]));
	return new Set(names.filter((name, index) => lastIndex.get(name) !== index));
}

/** Returns the earlier report, by default the start of a saved window; undefined if another agent session made it. */
function earlierReport(report: TraceReport, since = report.since): TraceReport | undefined {
	return since?.startedAtMs === report.startedAtMs ? since : undefined;
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
	return {exceptions: 0, cumulativeNs: 0, ownNs: 0, durations: new DurationSum()};
}

/** Adds to `sums` what the figures of a node have grown by since `before`. */
function add(
	sums: Sums,
	nodes: TraceNodes,
	before: TraceReport | undefined,
	node: number,
	isOutermostCall: boolean,
): void {
	const old = before && node < before.nodes.count ? before.nodes : undefined;
	const grown = (counter: 'calls' | 'exceptions' | 'cumulativeNs' | 'ownNs') =>
		Math.max(0, nodes[counter][node] - (old?.[counter][node] ?? 0));
	const calls = grown('calls');
	if (calls === 0) {
		return;
	}

	sums.exceptions += grown('exceptions');
	sums.cumulativeNs += isOutermostCall ? grown('cumulativeNs') : 0;
	sums.ownNs += grown('ownNs');
	const all = histogramOf(nodes.durations, node);
	sums.durations.add(calls, grown('cumulativeNs'), old ? histogramSince(all, histogramOf(old.durations, node)) : all);
	sums.durations.extendRange(nodes.leastNs[node], nodes.mostNs[node], {
		isMostExact: old === undefined || nodes.mostNs[node] > old.mostNs[node],
	});
}

function callFigures({exceptions, cumulativeNs, ownNs, durations}: Sums, seconds: number): CallFigures {
	const {count: calls, perS: callsPerS, meanNs, p50Ns, p99Ns, mostNs} = durations.figures(seconds);
	return {
		calls,
		callsPerS,
		exceptions,
		exceptionsPerS: seconds > 0 ? exceptions / seconds : 0,
		meanNs,
		p50Ns,
		p99Ns,
		mostNs,
		cumulativeNs,
		ownNs,
	};
}

/** The calls of a thread: their sums, and their tree, the longest first. The sums have no mean, because calls nest. */
export type ThreadTree = CallFigures & {
	readonly number: number;
	readonly name: Printable;
	readonly rows: readonly TraceTreeRow[];
};

/** Returns the calls of each thread in the window, the thread with the most time first. */
export function threadTrees(report: TraceReport, since: TraceReport | undefined): ThreadTree[] {
	const seconds = secondsOf(report, since);
	return threadsInWindow(report.byThread, earlierReport(report, since)?.byThread ?? [])
		.map((thread): ThreadTree => {
			const rows = treeOfThread(thread, report, seconds);
			return {
				...figuresOfPath(sumsOfThread(thread), seconds),
				meanNs: Number.NaN,
				number: thread.number,
				name: thread.name,
				rows,
			};
		})
		.sort((a, b) => b.cumulativeNs - a.cumulativeNs || a.number - b.number);
}

function treeOfThread({paths}: ThreadCalls, report: TraceReport, seconds: number): TraceTreeRow[] {
	const byNode = new Map(paths.map(path => [path.node, path]));
	// A call that has not ended is not counted yet, but its callees need it as their parent.
	const wanted = new Set<number>();
	for (const {node} of paths) {
		for (let at = node; at !== 0 && !wanted.has(at); at = report.nodes.parent[at]) {
			wanted.add(at);
		}
	}

	return treeOf(report, [...wanted].sort((a, b) => b - a), node => figuresOfPath(byNode.get(node) ?? {}, seconds));
}

/** Returns the sums of all calls of a thread; their cumulative time is the sum of their own times. */
function sumsOfThread({paths}: ThreadCalls): Partial<PathCalls> {
	const ownNs = sumOf(paths, path => path.ownNs);
	let mostNs = 0;
	for (const path of paths) {
		mostNs = Math.max(mostNs, path.mostNs);
	}

	return {
		calls: sumOf(paths, path => path.calls),
		exceptions: sumOf(paths, path => path.exceptions),
		cumulativeNs: ownNs,
		ownNs,
		mostNs,
	};
}

function figuresOfPath(
	{calls = 0, exceptions = 0, cumulativeNs = 0, ownNs = 0, mostNs = 0}: Partial<PathCalls>,
	seconds: number,
): CallFigures {
	return {
		calls, exceptions, cumulativeNs, ownNs,
		mostNs: mostNs || Number.NaN,
		callsPerS: seconds > 0 ? calls / seconds : 0,
		exceptionsPerS: seconds > 0 ? exceptions / seconds : 0,
		meanNs: calls > 0 ? cumulativeNs / calls : 0,
		p50Ns: Number.NaN,
		p99Ns: Number.NaN,
	};
}
