import {rootNode} from '../../model/frame.js';
import type {Facts, Snapshot} from '../../model/snapshot.js';
import {focusColumns} from '../columns/focus-columns.js';
import {formatCount, formatDuration, formatPercent} from '../columns/format.js';
import {endsOf} from '../facts/attribution.js';
import {allStatesMask, factsInWindow, scopeOf} from '../facts/scope.js';
import {effectiveSamples, percentOf, shareError} from '../facts/share.js';
import {placeName} from '../facts/place.js';
import {stackIndex} from '../facts/stack-index.js';
import {BottomUp} from '../tree/bottom-up.js';
import {openedRows} from '../tree/opened.js';
import {OrderedTree} from '../tree/ordered-tree.js';
import type {PathTree, Weight} from '../tree/path-tree.js';
import {treeFilter, wholeOf} from '../tree/tree.js';
import {TopDown} from '../tree/top-down.js';
import {RowsTogether} from '../row-list.js';
import type {
	FocusRow, FocusTable, Place, Query,
} from '../types.js';
import {focusedStacks} from './focused-stacks.js';
import {FocusTreeRow, type FocusSource} from './focus-row.js';

/** Rows with this share (percent) of the method's thread time or CPU time are open: all that matters is on the screen. */
const openPercent = 10;

/**
The tree under a method (where its time goes) and above it (who called it) between `baseline` (undefined: the session's
start) and `snapshot`, each with its row for the method itself first. Time is that of threads in every state, CPU time
beside it; shares are of the method's. A recursive method counts from its outermost call; with `query.ownFirst`
stacks end at the program's own code. Without `query.method` there are no rows.
*/
export function queryFocus(snapshot: Snapshot, baseline: Snapshot | undefined, query: Query): FocusTable {
	const parts = openFocus(snapshot, baseline, query);
	const [calls, callers] = parts.map(({rows, wanted, foundIn}) => openedRows(rows, [0], query.tree, {
		isHotRoot: () => true, isWorthOpening: ({totalPercent, cpuPercent}) => Math.max(totalPercent, cpuPercent) >= openPercent, wanted, foundIn,
	}));
	const rows = calls ? new RowsTogether<FocusRow>(calls, callers) : [];
	return {rows, allRows: rows.length, ...(parts.length > 0 ? {above: certaintyText(parts[0])} : {})};
}

/** One of the two trees. */
export type FocusPart = {
	/** Node 0 is the method. */
	readonly rows: OrderedTree<FocusTreeRow>;
	readonly methods: readonly Place[];
	/** The method's own time, and that of all samples with Java frames. */
	readonly own: Weight;
	readonly all: Weight;
	readonly cpuSamples: number;
	readonly wanted: number;
	readonly foundIn: (row: FocusTreeRow) => number;
};

/** The trees of the method that a query asks for: what it calls, and its callers. None where it was not seen. */
export function openFocus(snapshot: Snapshot, baseline: Snapshot | undefined, query: Query): readonly FocusPart[] {
	if (!query.method) {
		return [];
	}

	const {dictionary} = snapshot;
	const {methods, callOf, inwards, outwards, keyPrefix} = focusedStacks(dictionary, query.method, query.by);
	const scope = {...scopeOf(snapshot, query), countedMask: allStatesMask, unit: 'ticks' as const};
	const facts = factsInWindow(snapshot, baseline, scope);
	const grouping = stackIndex(dictionary).grouping(query.by);
	const {filter, isKept, hasFigures} = treeFilter(scope, dictionary, grouping);
	const isIn = (node: number) => callOf[node] !== 0 && isKept(node);
	const ends = endsWithin(callOf, endsOf(dictionary, query));
	const calls = new TopDown(facts, {
		stacks: inwards, dictionary, isKept: isIn, ends,
	}, scope);
	const callers = new BottomUp(facts, dictionary, {
		grouping, paths: outwards, startOf: node => callOf[node], beginsWithCallers: true, countsStates: true,
	}, scope, isIn);
	const own = calls.total(0);
	if (own.ticks === 0 && own.cpuNs === 0) {
		return [];
	}

	const method = methodPlace(methods, query.method);
	const cpuSamples = effectiveSamples(own.cpuNs, squaredCpu(facts, isIn));
	const partOf = (part: FocusSource['part'], tree: PathTree): FocusPart => {
		const source: FocusSource = {
			tree, part, keyPrefix, placeOf: node => node === 0 ? method : grouping.places[tree.groupOf(node)], unit: 'ticks', whole: own, cpuSamples, tickMs: tickMs(snapshot, baseline),
		};
		return {
			rows: new OrderedTree<FocusTreeRow>(tree, {
				columns: focusColumns, sort: query.sort, make: (node, standing) => new FocusTreeRow(node, source, standing), keyPrefix, isKept: hasFigures,
			}),
			methods,
			own,
			all: wholeOf(facts, scope),
			cpuSamples,
			wanted: filter.wanted,
			foundIn: ({node, via}) => (node === 0 ? 0 : filter.foundIn(tree.groupOf(node))) | (via ? filter.foundInName(via) : 0),
		};
	};

	return [partOf('calls', calls), partOf('callers', callers)];
}

/** Where stacks are taken to end, if that is within the call looked into: else it is others' code that is looked into. */
function endsWithin(callOf: Int32Array, ends: Int32Array | undefined): Int32Array | undefined {
	return ends && callOf.map((call, node) => call !== 0 && callOf[ends[node]] === call ? ends[node] : node);
}

/** The place of the methods together: the one, or how many fit what was asked for. */
function methodPlace(methods: readonly Place[], pattern: string): Place {
	const together: Place = {
		className: '', method: `${pattern} (${methods.length} methods)`, file: '', line: -1,
	};
	return methods.length === 1 ? methods[0] : together;
}

function tickMs({session}: Snapshot, baseline: Snapshot | undefined): number {
	const samples = session.samples - (baseline?.session.samples ?? 0);
	return samples > 0 ? (session.durationMs - (baseline?.session.durationMs ?? 0)) / samples : 0;
}

/** Sum over the samples of their CPU time squared, those of a fact taken as equal. */
function squaredCpu(facts: Facts, isIn: (node: number) => boolean): number {
	let squares = 0;
	for (let fact = 0; fact < facts.count; fact++) {
		if (facts.node[fact] !== rootNode && isIn(facts.node[fact])) {
			squares += (facts.cpuNs[fact] ** 2) / Math.max(facts.ticks[fact], 1);
		}
	}

	return squares;
}

/** How much there is of the method, and how sure its shares are. */
function certaintyText({rows, own, all, cpuSamples, methods}: FocusPart): string {
	const root = rows.rowOf(0);
	const name = methods.length === 1 ? placeName(root) : root.method;
	const cpu = own.cpuNs > 0 ? `, CPU +/- ${formatPercent(worstError(cpuSamples))}` : '';
	return `${name}: ${formatDuration(root.wallMs)} of threads' time, ${formatDuration(own.cpuNs / 1e6)} of CPU time (${formatPercent(percentOf(own.cpuNs, all.cpuNs))}% of all). `
		+ `Sampled, not traced: seen in ${formatCount(own.ticks)} thread samples; shares are right to +/- ${formatPercent(worstError(own.ticks))} points at worst (95%)${cpu}`;
}

/** The error of a share where it is greatest, at one half. */
function worstError(samples: number): number {
	return shareError(50, samples);
}
