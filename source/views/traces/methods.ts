import {getOrCreate} from '../../model/get-or-create.js';
import {
	bucketStartNs, DurationSum, histogramOf, histogramSince, type Histogram,
} from '../../model/histogram.js';
import {type TracedMethod, type TraceNodes, type TraceReport, threadsInWindow, type ThreadCalls, type ThreadWay} from '../../model/trace-report.js';
import {byNumber} from '../../query/columns/sort.js';

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
	/** Time in which it was open, calls of itself once; NaN if only some calls are followed and it calls itself. */
	readonly cumulativeNs: number;
	/** Time in it, and not in traced methods that it called. */
	readonly ownNs: number;
};

/** A row of the Traces view: a method, or a row of the tree of calls. */
export type TraceRow = CallFigures & TracedMethod & {
	readonly key: string;
	/** Index of the report's methods; -1 where it stands for a thread. */
	readonly id: number;
	/** How far `meanNs` and times may be off (95 % confidence), percent: where only some calls are followed. */
	readonly errorPercent?: number;
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

type Sums = {exceptions: number; cumulativeNs: number; ownNs: number; readonly durations: DurationSum};

/** The traced methods, those that nothing called too, in the order in which they were woven. */
export function traceMethods(report: TraceReport, since: TraceReport | undefined): TraceRow[] {
	const {nodes, methods} = report;
	const before = sameSession(report, since);
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
		...method, ...figuresOf(sums[id], seconds), ...(isThinned(method) ? estimateOf(sums[id], method.oneIn!, recursive.has(id)) : {}),
		id, key: `${nameOf(method)}(${method.parameters})`, isOverloaded: overloaded.has(nameOf(method)),
	}));
}

/** Rows with most cumulative time first, those where it is not known last. */
export function longestFirst(a: TraceRow, b: TraceRow): number {
	return byNumber(b.cumulativeNs, a.cumulativeNs) || a.id - b.id;
}

/** What is different where only some calls are followed. */
function estimateOf({durations: {count, histogram}}: Sums, oneIn: number, isRecursive: boolean): Partial<TraceRow> {
	return {...(isRecursive ? {cumulativeNs: Number.NaN} : {}), ...(count > 0 ? {errorPercent: errorPercentOf(histogram.build(), oneIn)} : {})};
}

/** Calls are followed at distances of 1 to 2 * oneIn - 1 calls, each as likely; a call that stands for many does so in its bucket too. */
function errorPercentOf({bucket, count}: Histogram, oneIn: number): number {
	let [calls, sum, squares] = [0, 0, 0];
	for (const [index, each] of count.entries()) {
		const middle = (bucketStartNs(bucket[index]) + bucketStartNs(bucket[index] + 1)) / 2;
		calls += each;
		sum += each * middle;
		squares += each * (middle ** 2);
	}

	const variance = Math.max(0, (squares / calls) - ((sum / calls) ** 2));
	return 100 * 1.96 * Math.sqrt(variance * (4 / 3) * oneIn / calls) / (sum / calls);
}

/** The calls by the ways that led to them, from the heads of traces down; ways that nothing went in the window are left out. */
export function traceTree(report: TraceReport, since: TraceReport | undefined): TraceTreeRow[] {
	const {nodes} = report;
	const before = sameSession(report, since);
	const seconds = secondsOf(report, since);
	return treeOf(report, Array.from({length: nodes.count - 1}, (_, index) => nodes.count - 1 - index), node => {
		const sums = emptySums();
		add(sums, nodes, before, node, true);
		return figuresOf(sums, seconds);
	});
}

/** The same of some nodes with their figures: callees, which have greater numbers, before their callers. */
function treeOf({nodes, methods}: TraceReport, wanted: Iterable<number>, figuresAt: (node: number) => CallFigures): TraceTreeRow[] {
	const overloaded = overloadedNames(methods);
	const children = new Map<number, TraceTreeRow[]>();
	const below = (node: number) => (children.get(node) ?? []).sort((a, b) => b.cumulativeNs - a.cumulativeNs || a.node - b.node);
	for (const node of wanted) {
		const [figures, callees, id] = [figuresAt(node), below(node), nodes.method[node]];
		if (figures.calls > 0 || callees.length > 0) {
			getOrCreate(children, nodes.parent[node], () => []).push({
				...methods[id], ...figures, id, isOverloaded: overloaded.has(nameOf(methods[id])), node, children: callees,
			});
		}
	}

	return below(0);
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
export function thinnedText(row: TracedMethod & Pick<TraceRow, 'errorPercent'>): string {
	const parts = [...(isThinned(row) ? [`1 in ${row.oneIn}${row.errorPercent === undefined ? '' : ` ±${Math.ceil(row.errorPercent)}%`}`] : []), ...(row.isReleased ? ['released'] : [])];
	return parts.length > 0 ? ` [${parts.join(', ')}]` : '';
}

/** Seconds for which calls were counted in the window. */
function secondsOf(report: TraceReport, since: TraceReport | undefined): number {
	return Math.max(0, report.elapsedNs - (sameSession(report, since)?.elapsedNs ?? 0)) / 1e9;
}

/** Names that several methods have. */
export function overloadedNames(methods: readonly TracedMethod[]): Set<string> {
	const seen = new Set<string>();
	return new Set(methods.map(method => nameOf(method)).filter(name => seen.size === seen.add(name).size));
}

/** A tracing that was begun anew has nothing to do with what was counted before. */
function sameSession(report: TraceReport, since = report.since): TraceReport | undefined {
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
	return {
		exceptions: 0, cumulativeNs: 0, ownNs: 0, durations: new DurationSum(),
	};
}

function add(sums: Sums, nodes: TraceNodes, before: TraceReport | undefined, node: number, isOutermostCall: boolean): void {
	const old = before && node < before.nodes.count ? before.nodes : undefined;
	const grown = (counter: 'calls' | 'exceptions' | 'cumulativeNs' | 'ownNs') => Math.max(0, nodes[counter][node] - (old?.[counter][node] ?? 0));
	const calls = grown('calls');
	if (calls === 0) {
		return;
	}

	sums.exceptions += grown('exceptions');
	sums.cumulativeNs += isOutermostCall ? grown('cumulativeNs') : 0;
	sums.ownNs += grown('ownNs');
	const all = histogramOf(nodes.durations, node);
	sums.durations.add(calls, grown('cumulativeNs'), old ? histogramSince(all, histogramOf(old.durations, node)) : all);
	sums.durations.extendRange(nodes.leastNs[node], nodes.mostNs[node], old === undefined || nodes.mostNs[node] > old.mostNs[node]);
}

function figuresOf({exceptions, cumulativeNs, ownNs, durations}: Sums, seconds: number): CallFigures {
	const {count: calls, perS: callsPerS, meanNs, p50Ns, p99Ns, mostNs} = durations.figures(seconds);
	return {
		calls, callsPerS, exceptions, exceptionsPerS: seconds > 0 ? exceptions / seconds : 0, meanNs, p50Ns, p99Ns, mostNs, cumulativeNs, ownNs,
	};
}

/** What a thread called: all together, and the tree of its calls, the longest first. Percentiles are not known. */
export type ThreadTree = CallFigures & {readonly number: number; readonly name: string; readonly rows: readonly TraceTreeRow[]};

/** The calls of each thread in the window, the thread with the longest ones first. */
export function threadTrees(report: TraceReport, since: TraceReport | undefined): ThreadTree[] {
	const seconds = secondsOf(report, since);
	return threadsInWindow(report.byThread, sameSession(report, since)?.byThread ?? [])
		.map((thread): ThreadTree => {
			const rows = treeOfThread(thread, report, seconds);
			return {...figuresOfWay(togetherOf(thread), seconds), meanNs: Number.NaN, number: thread.number, name: thread.name, rows};
		})
		.sort((a, b) => b.cumulativeNs - a.cumulativeNs || a.number - b.number);
}

function treeOfThread({ways}: ThreadCalls, report: TraceReport, seconds: number): TraceTreeRow[] {
	const byNode = new Map(ways.map(way => [way.node, way]));
	// A call that goes on counts nowhere yet, but those that it has made do: they hang from it.
	const wanted = new Set<number>();
	for (const {node} of ways) {
		for (let at = node; at !== 0 && !wanted.has(at); at = report.nodes.parent[at]) {
			wanted.add(at);
		}
	}

	return treeOf(report, [...wanted].sort((a, b) => b - a), node => figuresOfWay(byNode.get(node), seconds));
}

/** All calls of a thread; it was in them for as long as each by itself took. */
function togetherOf({ways}: ThreadCalls): Omit<ThreadWay, 'node'> {
	const sums = {
		calls: 0, exceptions: 0, cumulativeNs: 0, ownNs: 0, mostNs: 0,
	};
	for (const {calls, exceptions, ownNs, mostNs} of ways) {
		sums.calls += calls;
		sums.exceptions += exceptions;
		sums.cumulativeNs += ownNs;
		sums.ownNs += ownNs;
		sums.mostNs = Math.max(sums.mostNs, mostNs);
	}

	return sums;
}

function figuresOfWay(way: Omit<ThreadWay, 'node'> | undefined, seconds: number): CallFigures {
	const {calls, exceptions, cumulativeNs, ownNs, mostNs} = way ?? {
		calls: 0, exceptions: 0, cumulativeNs: 0, ownNs: 0, mostNs: 0,
	};
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
