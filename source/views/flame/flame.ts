import {fixed, printable, safe} from '../../util/printable.js';
import type {Snapshot} from '../../model/snapshot.js';
import {percentOf} from '../../query/counters/share.js';
import {byText} from '../../query/columns/sort.js';
import {locationName} from '../../query/counters/location.js';
import type {Location, Query, SortOrder} from '../../query/types/query.js';
import {CallNode, CallTree, cpuIndex, ticksIndex} from '../tree/call-tree.js';
import {treeOptions} from '../tree/tree.js';
import type {ViewResult} from '../common/view.js';

/** By name, so that boxes keep their places while their sizes change. */
export const flameOrder: SortOrder = {column: safe`path`, reverse: false};

/** Least part of the width for a box: half a cell of a wide terminal. */
const leastPart = 1 / 500;

/** A box of the icicle: a frame reached by one path. */
export class FlameRow extends CallNode {
	/** Left edge and width, as parts of the icicle's width. */
	start = 0;
	part = 0;
	/** The row's line in the icicle, from 0. */
	depth = 0;
	/** Whether it matches the filter. */
	isFound = false;
	/** Whether a box above it matches the filter. */
	isBelowFound = false;
}

/**
Returns the boxes of the Flame view, each followed by those below it. Text of the filter marks boxes, and hides none.
*/
export function queryFlame(snapshot: Snapshot, since: Snapshot | undefined, query: Query): ViewResult<FlameRow> {
	const {options, filter} = treeOptions(snapshot, since, query);
	const isInTicks = options.scope.unit === 'ticks';
	const weightIndex = isInTicks ? ticksIndex : cpuIndex;
	const tree = new CallTree<FlameRow>({...options, isKept: () => true, countsStates: isInTicks}, FlameRow);
	const weightOf = ({totalTicks, totalCpuNs}: FlameRow) => isInTicks ? totalTicks : totalCpuNs;
	const zoomed = rowWith(tree, query.tree?.zoom);
	const top = zoomed ?? tree.root;
	const whole = weightOf(top);
	const ranks = ranksOf(options.grouping.locations);
	const {wanted} = filter;
	const leastWeight = whole * leastPart;
	const [rows, pending]: [FlameRow[], FlameRow[]] = [[], []];
	let found = 0;
	/** By rank: the weight of a row's callees of that name, then where their box starts; all 0 between rows. */
	const byRank = new Float64Array(ranks.length);
	/** Places the boxes below a row side by side, in the order of names. */
	const addBelow = (row: FlameRow) => {
		const usedRanks: number[] = [];
		row.eachStep((group, node, from) => {
			const value = tree.options.isBottomUp
				? row.weights[(from * tree.weightLength) + weightIndex]
				: tree.totals[(node * tree.weightLength) + weightIndex];
			if (value > 0) {
				if (byRank[ranks[group]] === 0) {
					usedRanks.push(ranks[group]);
				}

				byRank[ranks[group]] += value;
			}
		});
		const boxes = usedRanks.length === 0 ? [] : row.childrenIn(group => byRank[ranks[group]] >= leastWeight);
		let {start} = row;
		for (const rank of usedRanks.length > 1 ? Int32Array.from(usedRanks).sort() : usedRanks) {
			const part = byRank[rank] / whole;
			byRank[rank] = start;
			start += part;
		}

		for (const box of boxes.sort((a, b) => ranks[b.group] - ranks[a.group])) {
			const depth = row === tree.root ? 0 : row.depth + 1;
			const isBelowFound = row.isFound || row.isBelowFound;
			const [start, part] = [byRank[ranks[box.group]], weightOf(box) / whole];
			pending.push(Object.assign(box, {start, part, depth, isBelowFound}));
		}

		for (const rank of usedRanks) {
			byRank[rank] = 0;
		}
	};

	if (zoomed && whole > 0) {
		pending.push(Object.assign(zoomed, {part: 1}));
	} else if (whole > 0) {
		addBelow(tree.root);
	}

	for (let row = pending.pop(); row; row = pending.pop()) {
		rows.push(row);
		row.isFound = wanted !== 0 && (filter.foundIn(row.group) & wanted) === wanted;
		found += row.isFound && !row.isBelowFound ? weightOf(row) : 0;
		addBelow(row);
	}

	const share = fixed(percentOf(found, whole), 1);
	const caption = safe`${share}% passes through frames that match "${printable(query.filter)}"`;
	return {rows, allRows: rows.length, ...(wanted === 0 ? {} : {caption})};
}

/** By the locations of a grouping, which only grow: each one's place in the order of names. */
const knownRanks = new WeakMap<readonly Location[], Int32Array>();

function ranksOf(locations: readonly Location[]): Int32Array {
	const known = knownRanks.get(locations);
	if (known?.length === locations.length) {
		return known;
	}

	const names = locations.map(location => locationName(location));
	const ranks = new Int32Array(locations.length);
	for (const [rank, group] of [...names.keys()].sort((a, b) => byText(names[a], names[b])).entries()) {
		ranks[group] = rank;
	}

	knownRanks.set(locations, ranks);
	return ranks;
}

/** Returns the row of a key; undefined if no sample in the window took its path. */
function rowWith(tree: CallTree<FlameRow>, key: string | undefined): FlameRow | undefined {
	let row: FlameRow | undefined = tree.root;
	for (const group of key?.split('.').slice(1).map(Number) ?? []) {
		row = row?.childrenIn(other => other === group)[0];
	}

	return row === tree.root ? undefined : row;
}
