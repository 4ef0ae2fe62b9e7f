import {rootNode} from '../../model/frame.js';
import type {Counters, Snapshot} from '../../model/snapshot.js';
import {formatCount, formatDuration, formatPercent} from '../../query/columns/format.js';
import {endsOf} from '../../query/counters/attribution.js';
import {locationName} from '../../query/counters/location.js';
import {allStatesMask, countersInWindow, scopeOf} from '../../query/counters/scope.js';
import {
	cpuPieces, percentOf, samplesOf, sampleTicks, shareError, threadsInStep,
} from '../../query/counters/share.js';
import {stackIndex} from '../../query/counters/stack-index.js';
import {windowMs} from '../../query/counters/cpu-time.js';
import type {Weight} from '../tree/call-tree.js';
import {openedRows} from '../tree/opened.js';
import {treeFilter, wholeOf} from '../tree/tree.js';
import type {Location, Query} from '../../query/types/query.js';
import {focusColumns} from './columns.js';
import {
	focusedStacks, FocusTree, type FocusFigures, type FocusRow,
} from './focus-tree.js';

declare module '../../query/types/query.js' {
	interface Query {
		/** The method in focus: its whole name, a part of it, or a glob. */
		readonly method?: string;
	}
}

/** Least share, in percent, of the method's thread time or CPU time at which a row is opened automatically. */
const openPercent = 10;

/** Returns the rows of `query.method`'s callees and callers, in thread time of all states and CPU time. */
export function queryFocus(snapshot: Snapshot, since: Snapshot | undefined, query: Query): {readonly rows: readonly FocusRow[]; readonly allRows: number; readonly above?: string} {
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
