import {rootNode} from '../../model/frame.js';
import type {Counters, Snapshot} from '../../model/snapshot.js';
import {formatCount, formatDuration, formatPercent} from '../columns/format.js';
import {endsOf} from '../counters/attribution.js';
import {locationName} from '../counters/location.js';
import {allStatesMask, countersInWindow, scopeOf} from '../counters/scope.js';
import {
	cpuPieces, percentOf, samplesOf, sampleTicks, shareError, threadsInStep,
} from '../counters/share.js';
import {stackIndex} from '../counters/stack-index.js';
import {windowMs} from '../counters/cpu-time.js';
import {BottomUp} from '../tree/bottom-up.js';
import {OpenRow, type RowSource, type Standing} from '../tree/open-row.js';
import {openedRows} from '../tree/opened.js';
import {OrderedTree} from '../tree/ordered-tree.js';
import type {PathTree, Weight} from '../tree/path-tree.js';
import {TopDown} from '../tree/top-down.js';
import {treeFilter, wholeOf} from '../tree/tree.js';
import {RowsTogether} from '../types/row-list.js';
import type {
	FocusRow, FocusTable, Location, Query, StateTicks,
} from '../types/rows.js';
import {focusColumns} from './columns.js';
import {focusedStacks} from './focused-stacks.js';

/** What rows of a focus are made from; shares are of the method's own time. */
type FocusSource = RowSource & {
	readonly part: FocusRow['part'];
	/** Independent samples that shares of CPU time, and of ticks, rest on. */
	readonly cpuSamples: number;
	readonly tickSamples: number;
	/** Milliseconds of a thread's time that a tick stands for. */
	readonly tickMs: number;
};

/** A row of the tree under or above a method: thread time, which is what `total` of a tree row means here, and CPU time. */
class FocusTreeRow extends OpenRow implements FocusRow {
	readonly #source: FocusSource;

	constructor(node: number, source: FocusSource, standing?: Standing) {
		super(node, source, standing);
		this.#source = source;
	}

	get part(): FocusRow['part'] {
		return this.#source.part;
	}

	get isMethod(): boolean {
		return this.node === 0;
	}

	get wallMs(): number {
		return this.totalTicks * this.#source.tickMs;
	}

	get cpuPercent(): number {
		return percentOf(this.totalCpuNs, this.#source.whole.cpuNs);
	}

	get wallError(): number {
		return shareError(this.totalPercent, this.#source.tickSamples);
	}

	get cpuError(): number {
		return shareError(this.cpuPercent, this.#source.cpuSamples);
	}

	get states(): StateTicks {
		return this.#source.tree.states!(this.node);
	}
}

/** Rows with this share (percent) of the method's thread time or CPU time are open: all that matters is on the screen. */
const openPercent = 10;

/**
The tree under a method (where its time goes) and above it (who called it) between `baseline` (undefined: the session's
start) and `snapshot`, each with its row for the method itself first. Time is that of threads in every state, CPU time
beside it; shares are of the method's. A recursive method counts from its outermost call; with `query.ownFirst`
stacks end at the program's own code. Without `query.method` there are no rows.
*/
export function queryFocus(snapshot: Snapshot, since: Snapshot | undefined, query: Query): FocusTable {
	const parts = openFocus(snapshot, since, query);
	const [calls, callers] = parts.map(({rows, wanted, foundIn}) => openedRows(rows, [0], query.tree, {
		isHotRoot: () => true, isWorthOpening: ({totalPercent, cpuPercent}) => Math.max(totalPercent, cpuPercent) >= openPercent, wanted, foundIn,
	}));
	const rows = calls ? new RowsTogether<FocusRow>(calls, callers) : [];
	return {rows, allRows: rows.length, ...(parts.length > 0 ? {above: certaintyText(parts[0])} : {})};
}

/** One of the two trees. */
type FocusPart = {
	/** Node 0 is the method. */
	readonly rows: OrderedTree<FocusTreeRow>;
	readonly methods: readonly Location[];
	/** The method's own time, and that of all samples with Java frames. */
	readonly own: Weight;
	readonly all: Weight;
	/** Independent samples that shares of CPU time, and of ticks, rest on. */
	readonly cpuSamples: number;
	readonly tickSamples: number;
	readonly wanted: number;
	readonly foundIn: (row: FocusTreeRow) => number;
};

/** The trees of the method that a query asks for: what it calls, and its callers. None where it was not seen. */
export function openFocus(snapshot: Snapshot, since: Snapshot | undefined, query: Query): readonly FocusPart[] {
	if (!query.method) {
		return [];
	}

	const {dictionary} = snapshot;
	const {methods, callOf, inwards, outwards, keyPrefix} = focusedStacks(dictionary, query.method, query.by);
	const scope = {...scopeOf(snapshot, query), countedMask: allStatesMask, unit: 'ticks' as const};
	const counters = countersInWindow(snapshot, since, scope);
	const grouping = stackIndex(dictionary).grouping(query.by);
	const {filter, isKept, hasFigures} = treeFilter(scope, dictionary, grouping);
	const isIn = (node: number) => callOf[node] !== 0 && isKept(node);
	const ends = endsWithin(callOf, endsOf(dictionary, query));
	const calls = new TopDown(counters, {
		stacks: inwards, dictionary, isKept: isIn, ends,
	}, scope);
	const callers = new BottomUp(counters, dictionary, {
		grouping, paths: outwards, startOf: node => callOf[node], beginsWithCallers: true, countsStates: true,
	}, scope, isIn);
	const own = calls.total(0);
	if (own.ticks === 0 && own.cpuNs === 0) {
		return [];
	}

	const method = methodLocation(methods, query.method);
	const squares = squaresOf(counters, isIn);
	const [cpu, ticks] = [cpuPieces(own.cpuNs, squares.us), {sum: own.ticks, squares: squares.ticks}];
	const cpuSamples = samplesOf(cpu, cpu);
	const tickSamples = samplesOf(ticks, ticks) / threadsInStep(snapshot, since);
	const partOf = (part: FocusSource['part'], tree: PathTree): FocusPart => {
		const source: FocusSource = {
			tree, part, keyPrefix, locationOf: node => node === 0 ? method : grouping.locations[tree.groupOf(node)], unit: 'ticks', whole: own, cpuSamples, tickSamples, tickMs: tickMs(snapshot, since),
		};
		return {
			rows: new OrderedTree<FocusTreeRow>(tree, {
				columns: focusColumns, sort: query.sort, make: (node, standing) => new FocusTreeRow(node, source, standing), keyPrefix, isKept: hasFigures,
			}),
			methods,
			own,
			all: wholeOf(counters, scope),
			cpuSamples,
			tickSamples,
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
function methodLocation(methods: readonly Location[], pattern: string): Location {
	const together: Location = {
		className: '', method: `${pattern} (${methods.length} methods)`, file: '', line: -1,
	};
	return methods.length === 1 ? methods[0] : together;
}

function tickMs(snapshot: Snapshot, since: Snapshot | undefined): number {
	const ticks = sampleTicks(snapshot, since);
	return ticks > 0 ? windowMs(snapshot, since) / ticks : 0;
}

/** Sums of squares (see `counterColumns`) in the method. */
function squaresOf(counters: Counters, isIn: (node: number) => boolean): {us: number; ticks: number} {
	const squares = {us: 0, ticks: 0};
	for (let counter = 0; counter < counters.count; counter++) {
		if (counters.node[counter] !== rootNode && isIn(counters.node[counter])) {
			squares.us += counters.squaredUs[counter];
			squares.ticks += counters.squaredTicks[counter];
		}
	}

	return squares;
}

/** How much there is of the method, and how sure its shares are. */
function certaintyText({rows, own, all, cpuSamples, tickSamples, methods}: FocusPart): string {
	const root = rows.rowOf(0);
	const name = methods.length === 1 ? locationName(root) : root.method;
	const cpu = own.cpuNs > 0 ? `, CPU +/- ${formatPercent(worstError(cpuSamples))}` : '';
	return `${name}: ${formatDuration(root.wallMs)} of threads' time, ${formatDuration(own.cpuNs / 1e6)} of CPU time (${formatPercent(percentOf(own.cpuNs, all.cpuNs))}% of all). `
		+ `Sampled, not traced: seen in ${formatCount(own.ticks)} thread samples; shares are right to +/- ${formatPercent(worstError(tickSamples))} points at worst (95%)${cpu}`;
}

/** The error of a share where it is greatest, at one half. */
function worstError(samples: number): number {
	return shareError(50, samples);
}
