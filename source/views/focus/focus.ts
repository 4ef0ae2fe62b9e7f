import {rootNode} from '../../model/frame.js';
import type {Counters, Snapshot} from '../../model/snapshot.js';
import {formatCount, formatDuration, formatPercent, formats} from '../../query/columns/format.js';
import {endsOf} from '../../query/counters/attribution.js';
import {locationName} from '../../query/counters/location.js';
import {allStatesMask, countersInWindow, scopeOf} from '../../query/counters/scope.js';
import {cpuPieces, percentOf, samplesOf, sampleTicks, shareError, threadsInStep} from '../../query/counters/share.js';
import {stackIndex} from '../../query/counters/stack-index.js';
import {windowMs} from '../../query/counters/cpu-time.js';
import type {Weight} from '../tree/call-tree.js';
import {openedRows} from '../tree/opened.js';
import {treeFilter, wholeOf} from '../tree/tree.js';
import type {Location, Query} from '../../query/types/query.js';
import {byLocation, figure, fileColumn, statesColumn, text, treeMark, type Column} from '../../query/columns/column.js';
import {nameWith, viaText} from '../../query/columns/names.js';
import type {ViewTable} from '../common/view.js';
import {focusedStacks, FocusTree, type FocusFigures, type FocusRow} from './focus-tree.js';

export const focusColumns: ReadonlyArray<Column<FocusRow>> = [
	figure('wall', row => row.totalPercent, formats.percent, {
		heading: 'WALL%', title: 'share of thread time', width: 6, fromColumns: 0, isHot: true, sortFigures: ['total', 'ticks', 'total-ticks'], thenBy: [row => row.totalCpuNs],
		description: 'share of the method\'s time, threads in every state: waits and locks are in it, CPU time too; each sample counts once, recursion or not',
	}),
	figure('wall-error', row => row.wallError, formats.percent, {
		heading: '+/-', title: 'sampling error', width: 4, fromColumns: 80,
		description: 'sampling error of WALL% in percentage points, 95 % confidence',
	}),
	figure('wall-ms', row => row.wallMs, formats.ms, {
		heading: 'WALLms', title: 'thread time', width: 7, fromColumns: 90,
		description: 'the same in milliseconds of threads\' time, by samples',
	}),
	figure('cpu', row => row.cpuPercent, formats.percent, {
		heading: 'CPU%', title: 'share of CPU time', width: 6, fromColumns: 50, isHot: true, sortFigures: ['cpu'], thenBy: [row => row.totalPercent],
		description: 'share of the method\'s CPU time',
	}),
	figure('cpu-error', row => row.cpuError, formats.percent, {
		heading: '+/-', title: 'sampling error of CPU', width: 4, fromColumns: 110,
		description: 'sampling error of CPU% in percentage points, 95 % confidence',
		isBlank: row => row.cpuPercent === 0 && row.cpuError === 0,
	}),
	figure('cpu-ms', row => row.totalCpuNs, formats.cpuMs, {
		heading: 'CPUms', title: 'CPU time', width: 7, fromColumns: 72,
		description: 'the same in milliseconds',
	}),
	figure('self', row => row.selfPercent, formats.percent, {
		heading: 'SELF%', title: 'self share', width: 6, fromColumns: 100, isHot: true, sortFigures: ['self'], thenBy: [row => row.selfCpuNs],
		description: 'share of thread time in samples whose innermost frame it is',
		isBlank: row => row.selfTicks === 0 && row.selfCpuNs === 0,
	}),
	statesColumn('state', {
		title: 'share that runs', fromColumns: 60, sortBy: [row => row.totalCpuNs / Math.max(1, row.totalTicks)],
		description: 'states of the threads meanwhile, in proportion; sorts by CPU time for each sample',
	}),
	text('path', row => row.className, {
		heading: 'METHOD', title: 'name', width: 0, fromColumns: 0, sortFigures: ['name'], sortBy: byLocation,
		description: 'the method and below it what it calls, then the method again and below it its callers; further in where a path forks; + closed, - open',
		value(row, {room, fullNames}) {
			const mark = treeMark(row.indent, row, room) + (row.isMethod ? (row.part === 'calls' ? 'IN ' : 'CALLERS OF ') : '');
			return mark + nameWith(row, row.via ? [viaText(row.via)] : [], Math.max(room - mark.length, 1), fullNames);
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

/** Least share, in percent, of the method's thread time or CPU time at which a row is opened automatically. */
const openPercent = 10;

/** Returns the rows of `query.method`'s callees and callers, in thread time of all states and CPU time. */
export function queryFocus(snapshot: Snapshot, since: Snapshot | undefined, query: Query): ViewTable<FocusRow> {
	const parts = openFocus(snapshot, since, query);
	const rows = parts.flatMap(({tree, wanted, foundIn}) => openedRows(tree, [tree.root], query.tree, {
		isHotRoot: () => true, isWorthOpening: ({totalPercent, cpuPercent}) => Math.max(totalPercent, cpuPercent) >= openPercent, wanted, foundIn,
	}));
	return {rows, allRows: rows.length, ...(parts.length > 0 ? {above: certaintyText(parts[0])} : {})};
}

/** One of the two trees. */
type FocusPart = {
	readonly tree: FocusTree;
	/** The weight of all samples with Java frames. */
	readonly all: Weight;
	/** Terms of the filter, a bit each: those that rows are opened to find, and those found in a row. */
	readonly wanted: number;
	readonly foundIn: (row: FocusRow) => number;
};

/** Returns the trees of the query's method, its callees first, then its callers; empty if it was not sampled. */
export function openFocus(snapshot: Snapshot, since: Snapshot | undefined, query: Query): readonly FocusPart[] {
	if (!query.method) {
		return [];
	}

	const {dictionary} = snapshot;
	const {methods, callOf} = focusedStacks(dictionary, query.method);
	const scope = {...scopeOf(snapshot, query), countedMask: allStatesMask, unit: 'ticks' as const};
	const counters = countersInWindow(snapshot, since, scope);
	const grouping = stackIndex(dictionary).grouping(query.by);
	const {filter, isKept, isRowKept} = treeFilter(scope, dictionary, grouping);
	const isIn = (node: number) => callOf[node] !== 0 && isKept(node);
	const {total, squares} = sumsOf(counters, isIn);
	if (total.ticks === 0 && total.cpuNs === 0) {
		return [];
	}

	// The method's time is the whole that shares are a part of.
	const cpu = cpuPieces(total.cpuNs, squares.us);
	const ticks = {sum: total.ticks, squares: squares.ticks};
	const figures: FocusFigures = {
		method: methodLocation(methods, query.method), tickMs: tickMs(snapshot, since),
		cpuSamples: samplesOf(cpu, cpu), tickSamples: samplesOf(ticks, ticks) / threadsInStep(snapshot, since),
	};
	const shared = {
		dictionary, counters, grouping, scope, isKept: isIn, starts: callOf.filter(call => call !== 0), isRowKept, countsStates: true, levelOfRoot: 0, columns: focusColumns, sort: query.sort, keyPrefix: `${query.method} `,
	} as const;
	const ends = endsWithin(callOf, endsOf(dictionary, query));
	// By line, the rows below the method are its own lines; else they are what it calls.
	const calls = new FocusTree({
		...shared, isInverted: false, nodeFor: node => ends ? ends[node] : node, ends, startsAreRows: query.by === 'line',
	}, figures);
	const callers = new FocusTree({
		...shared, isInverted: true, nodeFor: node => callOf[node], startsAreRows: false,
	}, figures);
	return [calls, callers].map(tree => ({
		tree, all: wholeOf(counters, scope), wanted: filter.wanted, foundIn: ({group, via}) => filter.foundIn(group) | (via ? filter.foundInName(via) : 0),
	}));
}

/** Returns, by node, its end if that is inside the focused call, else the node itself: library code may be in focus. */
function endsWithin(callOf: Int32Array, ends: Int32Array | undefined): Int32Array | undefined {
	return ends && callOf.map((call, node) => call !== 0 && callOf[ends[node]] === call ? ends[node] : node);
}

/** Returns the location of the method, or one that says how many methods match. */
function methodLocation(methods: readonly Location[], pattern: string): Location {
	const combined: Location = {
		className: '', method: `${pattern} (${methods.length} methods)`, file: '', line: -1,
	};
	return methods.length === 1 ? methods[0] : combined;
}

function tickMs(snapshot: Snapshot, since: Snapshot | undefined): number {
	const ticks = sampleTicks(snapshot, since);
	return ticks > 0 ? windowMs(snapshot, since) / ticks : 0;
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

/** Returns how much time the method has, and how exact its shares are. */
function certaintyText({tree: {root, figures: {cpuSamples, tickSamples}}, all}: FocusPart): string {
	const cpu = root.totalCpuNs > 0 ? `, CPU +/- ${formatPercent(worstError(cpuSamples))}` : '';
	return `${locationName(root)}: ${formatDuration(root.wallMs)} of threads' time, ${formatDuration(root.totalCpuNs / 1e6)} of CPU time (${formatPercent(percentOf(root.totalCpuNs, all.cpuNs))}% of all). `
		+ `Sampled, not traced: seen in ${formatCount(root.totalTicks)} thread samples; shares are right to +/- ${formatPercent(worstError(tickSamples))} points at worst (95%)${cpu}`;
}

/** Returns the error of a share of one half, percentage points: no other share has a greater one. */
function worstError(samples: number): number {
	return shareError(50, samples);
}
