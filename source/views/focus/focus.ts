import {joined, printable, safe, type Printable} from '../../util/printable.js';
import {rootNode} from '../../model/frame.js';
import type {Counters, Snapshot, Dictionary} from '../../model/snapshot.js';
import {formatCount, formatDuration, formatPercent, formats} from '../../query/columns/format.js';
import {endsOf} from '../../query/counters/attribution.js';
import {locationName} from '../../query/counters/location.js';
import {allStatesMask, countersInWindow, scopeOf} from '../../query/counters/scope.js';
import {
	cpuPieces, percentOf, effectiveSampleSize, sampledMs, shareError, threadsInStep, tickMs,
} from '../../query/counters/share.js';
import type {StackFilter} from '../../query/counters/stack-filter.js';
import {stackIndex, type Grouping} from '../../query/counters/stack-index.js';
import {CallNode, CallTree, type TreeOptions} from '../tree/call-tree.js';
import {openedRows, treeFilter, wholeOf} from '../tree/tree.js';
import type {Location, Query, Weight} from '../../query/types/query.js';
import {
	byLocation, cpuColumn, figureColumn, fileColumn, statesColumn, textColumn, treeMark, type Column,
} from '../../query/columns/column.js';
import {nameWith, viaText} from '../../query/columns/names.js';
import type {ViewResult} from '../common/view.js';
import {globMatcher} from '../../util/glob.js';

type FocusFigures = {
	readonly method: Location;
	/** Numbers of independent samples on which shares of CPU time, and of ticks, are based. */
	readonly cpuSamples: number;
	readonly tickSamples: number;
	/** Milliseconds of a thread's time that a tick represents. */
	readonly tickMs: number;
};

/** The tree of a method's callees, or of its callers; its root is the method. */
class FocusTree extends CallTree<FocusRow> {
	constructor(options: TreeOptions<FocusRow>, readonly figures: FocusFigures) {
		super(options, FocusRow);
	}
}

/** A row of the Focus view: the method, or a location reached by one path from it. Shares are of the method's time. */
export class FocusRow extends CallNode {
	get part(): 'calls' | 'callers' {
		return this.tree.options.isBottomUp ? 'callers' : 'calls';
	}

	get isMethod(): boolean {
		return this.parent === undefined;
	}

	/** Wall time of all threads, milliseconds, estimated from ticks. */
	get wallMs(): number {
		return this.totalTicks * this.#figures.tickMs;
	}

	get cpuPercent(): number {
		return percentOf(this.totalCpuNs, this.tree.whole.cpuNs);
	}

	/** Half the width of the 95 % interval of `totalPercent` and of `cpuPercent`, percentage points. */
	get wallError(): number {
		return shareError(this.totalPercent, this.#figures.tickSamples);
	}

	get cpuError(): number {
		return shareError(this.cpuPercent, this.#figures.cpuSamples);
	}

	get cpuErrorNs(): number {
		return this.cpuError / 100 * this.tree.whole.cpuNs;
	}

	protected override get location(): Location {
		return this.isMethod ? this.#figures.method : super.location;
	}

	/** A FocusRow is only made by a FocusTree. */
	get #figures(): FocusFigures {
		return (this.tree as unknown as FocusTree).figures;
	}
}

export const focusColumns: ReadonlyArray<Column<FocusRow>> = [
	figureColumn('wall', row => row.totalPercent, formats.percent, {
		heading: 'WALL%',
		title: 'share of thread time',
		width: 6,
		fromColumns: 0,
		isHot: true,
		sortKeys: ['total'],
		thenBy: [row => row.totalCpuNs],
		description:
			'share of the method\'s time, threads in every state: waits and locks are in it, CPU time too; each sample counts once, recursion or not',
	}),
	figureColumn('wall-error', row => row.wallError, formats.percent, {
		heading: '+/-', title: 'sampling error', width: 4, fromColumns: 80,
		description: 'sampling error of WALL% in percentage points, 95 % confidence',
	}),
	figureColumn('wall-ms', row => row.wallMs, formats.ms, {
		heading: 'WALLms', title: 'thread time', width: 7, fromColumns: 90,
		description: 'the same in milliseconds of threads\' time, by samples',
	}),
	cpuColumn('cpu', row => row.cpuPercent, row => row.totalCpuNs, {
		heading: 'CPU%',
		title: 'CPU time of it',
		width: 6,
		fromColumns: 50,
		isHot: true,
		thenBy: [row => row.totalPercent],
		description:
			'CPU time of samples that came by this path, 100 is one core (SHARE: share of the method\'s CPU time)',
	}),
	cpuColumn('cpu-error', row => row.cpuError, row => row.cpuErrorNs, {
		heading: '+/-', measureHeadings: {}, title: 'sampling error of CPU', width: 4, fromColumns: 110,
		description: 'sampling error of CPU%, in its unit, 95 % confidence',
		isBlank: row => row.cpuPercent === 0 && row.cpuError === 0,
	}),
	figureColumn('cpu-ms', row => row.totalCpuNs, formats.cpuMs, {
		heading: 'CPUms', title: 'CPU time', width: 7, fromColumns: 72,
		description: 'the same in milliseconds',
	}),
	figureColumn('self', row => row.selfPercent, formats.percent, {
		heading: 'SELF%',
		title: 'self share',
		width: 6,
		fromColumns: 100,
		isHot: true,
		sortKeys: ['self'],
		thenBy: [row => row.selfCpuNs],
		description: 'share of thread time in samples whose innermost frame it is',
		isBlank: row => row.selfTicks === 0 && row.selfCpuNs === 0,
	}),
	statesColumn('state', {
		title: 'share that runs', fromColumns: 60, sortBy: [row => row.totalCpuNs / Math.max(1, row.totalTicks)],
		description: 'states of the threads meanwhile, in proportion; sorts by CPU time for each sample',
	}),
	textColumn('path', row => row.className, {
		heading: 'METHOD',
		title: 'name',
		width: 0,
		fromColumns: 0,
		sortKeys: ['name'],
		sortBy: byLocation,
		description:
			'the method and below it what it calls, then the method again and below it its callers; further in where a path forks; + closed, - open',
		value(row, {room, fullNames}) {
			const mark = safe`${treeMark(row.indent, row, room)}${
				(row.isMethod ? (row.part === 'calls' ? 'IN ' : 'CALLERS OF ') : '')
			}`;
			return safe`${mark}${nameWith(row, row.via ? [viaText(row.via)] : [], Math.max(room - mark.length, 1), fullNames)}`;
		},
	}),
	fileColumn(150),
];

declare module '../../query/types/query.js' {
	interface Query {
		/** The method in focus: its whole name, a part of it, or a glob. */
		readonly method?: string;
	}
}

const minOpenedPercent = 10;

/** Returns the rows of `query.method`'s callees and callers, in thread time of all states and CPU time. */
export function queryFocus(snapshot: Snapshot, since: Snapshot | undefined, query: Query): ViewResult<FocusRow> {
	const parts = openFocus(snapshot, since, query);
	const rows = parts.flatMap(({tree, filter}) =>
		openedRows(tree, [tree.root], query.tree, {
			isHotRoot: () => true,
			isWorthOpening: ({totalPercent, cpuPercent}) => Math.max(totalPercent, cpuPercent) >= minOpenedPercent,
			filter,
		}));
	return {rows, allRows: rows.length, ...(parts.length > 0 ? {caption: certaintyText(parts[0])} : {})};
}

type FocusPart = {
	readonly tree: FocusTree;
	readonly filter: StackFilter;
	/** The weight of the samples with Java frames, in focus or not. */
	readonly all: Weight;
};

/** Returns the trees of the query's method, its callees first, then its callers; empty if it was not sampled. */
export function openFocus(snapshot: Snapshot, since: Snapshot | undefined, query: Query): readonly FocusPart[] {
	if (!query.method) {
		return [];
	}

	const {dictionary} = snapshot;
	const callOf = focusedCalls(dictionary, query.method);
	const scope = {...scopeOf(snapshot, query), countedMask: allStatesMask, unit: 'ticks' as const};
	const counters = countersInWindow(snapshot, since, scope);
	const grouping = stackIndex(dictionary).grouping(query.by);
	const overMs = sampledMs(snapshot, since);
	const {filter, isKept, isRowKept} = treeFilter({...scope, overMs}, dictionary, grouping);
	const isIn = (node: number) => callOf[node] !== 0 && isKept(node);
	const {total, squares} = sumsOf(counters, isIn);
	if (total.ticks === 0 && total.cpuNs === 0) {
		return [];
	}

	const methods = calledMethods(dictionary, counters, node => isIn(node) ? callOf[node] : rootNode);
	// The method's time is the whole that shares are a part of.
	const cpu = cpuPieces(total.cpuNs, squares.us);
	const ticks = {sum: total.ticks, squares: squares.ticks};
	const figures: FocusFigures = {
		method: methodLocation(methods, printable(query.method)),
		tickMs: tickMs(snapshot, since),
		cpuSamples: effectiveSampleSize(cpu, cpu),
		tickSamples: effectiveSampleSize(ticks, ticks) / threadsInStep(snapshot, since),
	};
	const shared = {
		dictionary,
		counters,
		grouping,
		scope,
		overMs,
		isKept: isIn,
		starts: callOf.filter(call => call !== 0),
		isRowKept,
		countsStates: true,
		levelOfRoot: 0,
		columns: focusColumns,
		sort: query.sort,
		keyPrefix: `${query.method} `,
	} as const;
	const ends = endsWithin(callOf, endsOf(dictionary, query));
	// By line, the rows below the method are its own lines; else they are what it calls.
	const calls = new FocusTree({
		...shared, isBottomUp: false, nodeFor: node => ends ? ends[node] : node, ends, app: query.app,
		startsAreRows: query.by === 'line',
	}, figures);
	const callers = new FocusTree({
		...shared, isBottomUp: true, nodeFor: node => callOf[node], startsAreRows: false,
	}, figures);
	return [calls, callers].map(tree => ({tree, filter, all: wholeOf(counters, scope)}));
}

/**
Returns, by node, the outermost call on its stack of a method that matches `pattern`; 0 if there is none. The pattern is
a whole name (that method alone), a part of a name, or a glob.
*/
function focusedCalls(dictionary: Dictionary, pattern: string): Int32Array {
	const methods = stackIndex(dictionary).grouping('method');
	const isWanted = wantedMethods(methods, pattern);
	const {nodeCount, nodeParent, nodeFrame} = dictionary;
	const callOf = new Int32Array(nodeCount);
	// Callers have smaller ids than their callees.
	for (let node = rootNode + 1; node < nodeCount; node++) {
		const method = methods.groupOfFrame[nodeFrame[node]];
		callOf[node] = callOf[nodeParent[node]];
		if (callOf[node] === 0 && isWanted[method]) {
			callOf[node] = node;
		}
	}

	return callOf;
}

/** Returns the methods of the calls that have counters: other windows' stacks are in the dictionary too. */
function calledMethods(dictionary: Dictionary, counters: Counters, callOf: (node: number) => number): Location[] {
	const methods = stackIndex(dictionary).grouping('method');
	const found = new Set<number>();
	for (let counter = 0; counter < counters.count; counter++) {
		const call = callOf(counters.node[counter]);
		if (call !== rootNode) {
			found.add(methods.groupOfFrame[dictionary.nodeFrame[call]]);
		}
	}

	return Array.from(found, method => methods.locations[method]);
}

function wantedMethods({locations, groupOfKey}: Grouping, pattern: string): readonly boolean[] {
	const exact = groupOfKey.get(pattern);
	const matches = globMatcher(pattern);
	return locations.map((location, group) =>
		exact === undefined ? group > 0 && matches(locationName(location)) : group === exact);
}

/** Returns, by node, its end if that is inside the focused call, else the node itself: library code may be in focus. */
function endsWithin(callOf: Int32Array, ends: Int32Array | undefined): Int32Array | undefined {
	return ends && callOf.map((call, node) => call !== 0 && callOf[ends[node]] === call ? ends[node] : node);
}

function methodLocation(methods: readonly Location[], pattern: Printable): Location {
	const combined: Location = {
		className: safe``,
		method: safe`${pattern} (${methods.length} methods)`,
		file: safe``,
		line: -1,
	};
	return methods.length === 1 ? methods[0] : combined;
}

/** Returns the method's time with callees, and the sums of squares for its error, see `counterColumns`. */
function sumsOf(counters: Counters, isIn: (node: number) => boolean) {
	const total = {ticks: 0, cpuNs: 0};
	const squares = {us: 0, ticks: 0};
	for (let counter = 0; counter < counters.count; counter++) {
		if (counters.node[counter] !== rootNode && isIn(counters.node[counter])) {
			total.ticks += counters.ticks[counter];
			total.cpuNs += counters.cpuNs[counter];
			squares.us += counters.squaredUs[counter];
			squares.ticks += counters.squaredTicks[counter];
		}
	}

	return {total, squares};
}

function certaintyText({tree: {root, figures: {cpuSamples, tickSamples}}, all}: FocusPart): Printable {
	const isKnown = tickSamples > 0 || cpuSamples > 0;
	const cpu = root.totalCpuNs > 0 ? safe`, CPU +/- ${formatPercent(worstError(cpuSamples))}` : safe``;
	const worst = safe`shares are right to +/- ${formatPercent(worstError(tickSamples))} points at worst (95%)${cpu}`;
	const certainty = isKnown ? worst : safe`the error of shares is unknown`;
	const cpuTime = formatDuration(root.totalCpuNs / 1e6);
	const percent = formatPercent(percentOf(root.totalCpuNs, all.cpuNs));
	return joined([
		safe`${locationName(root)}: ${formatDuration(root.wallMs)} of threads' time,`,
		safe`${cpuTime} of CPU time (${percent}% of all).`,
		safe`Sampled, not traced: seen in ${formatCount(root.totalTicks)} thread samples; ${certainty}`,
	], safe` `);
}

/** Returns the error of a share of one half, percentage points: no other share has a greater one. */
function worstError(samples: number): number {
	return shareError(50, samples);
}
