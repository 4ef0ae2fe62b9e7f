import {rootNode} from '../../model/frame.js';
import type {Dictionary, Counters, Snapshot} from '../../model/snapshot.js';
import {endsOf} from '../counters/attribution.js';
import {countersInWindow, scopeOf, type Scope} from '../counters/scope.js';
import {StackFilter} from '../counters/stack-filter.js';
import {stackIndex, type Grouping} from '../counters/stack-index.js';
import {noFigures, type RowTerm} from '../filter/filter.js';
import type {RowsOnDemand} from '../types/row-list.js';
import type {Query, TreeRow} from '../types/rows.js';
import {treeColumns} from './columns.js';
import {BottomUp} from './bottom-up.js';
import {OpenRow, type RowSource} from './open-row.js';
import {openedRows} from './opened.js';
import {OrderedTree} from './ordered-tree.js';
import {callerPaths, stackPaths} from './paths.js';
import type {Weight} from './path-tree.js';
import {TopDown} from './top-down.js';

/** A root with this share (percent) of all is opened by itself. */
const hotRootPercent = 5;

/**
The paths of calls between `baseline` (undefined: the session's start) and `snapshot`, as rows of a tree: top-down from
the threads' roots, or bottom-up from the lines that samples count for. Hot roots are open to where their path forks;
`query.tree` says otherwise of single rows. Words of the filter keep stacks that have them in any frame, and rows are
open to the last of these words; with `query.ownFirst` stacks end at the program's own code; figures keep rows by their totals. Rows of a level are sorted. Every sample is counted
once in a row's total, as a row stands for a path.
*/
export function queryTree(snapshot: Snapshot, since: Snapshot | undefined, query: Query): {readonly rows: RowsOnDemand<TreeRow>; readonly allRows: number} {
	const {rows: ordered, filter} = openTree(snapshot, since, query);
	const {tree} = ordered;
	const rows = openedRows(ordered, ordered.below(0), query.tree, {
		isHotRoot: ({totalPercent}) => totalPercent >= hotRootPercent,
		wanted: filter.wanted,
		foundIn: ({node, via}) => filter.foundIn(tree.groupOf(node)) | (via ? filter.foundInName(via) : 0),
	});
	return {rows, allRows: Math.max(tree.size ?? 0, rows.length)};
}

/** A tree with its rows, and the filter that its stacks passed. */
type OpenTree = {readonly rows: OrderedTree<OpenRow>; readonly filter: StackFilter};

/** The tree that a query asks for. */
export function openTree(snapshot: Snapshot, since: Snapshot | undefined, query: Query): OpenTree {
	const {dictionary} = snapshot;
	const scope = scopeOf(snapshot, query);
	const counters = countersInWindow(snapshot, since, scope);
	const grouping = stackIndex(dictionary).grouping(query.by);
	const {filter, isKept, hasFigures} = treeFilter(scope, dictionary, grouping);
	const ends = endsOf(dictionary, query);
	const tree = query.tree?.isBottomUp
		? new BottomUp(counters, dictionary, {grouping, paths: callerPaths(dictionary, query.by), ends}, scope, isKept)
		: new TopDown(counters, {stacks: stackPaths(dictionary, query.by), dictionary, isKept, ends}, scope);
	const source: RowSource = {
		tree, locationOf: node => grouping.locations[tree.groupOf(node)], unit: scope.unit, whole: wholeOf(counters, scope),
	};
	return {
		filter,
		rows: new OrderedTree<OpenRow>(tree, {
			columns: treeColumns, sort: query.sort, make: (node, standing) => new OpenRow(node, source, standing), isKept: hasFigures,
		}),
	};
}

/** What of a filter is asked of stacks, and what of rows. */
export function treeFilter({filter: {terms = []}}: Pick<Scope, 'filter'>, dictionary: Dictionary, grouping: Grouping): {readonly filter: StackFilter; readonly isKept: (node: number) => boolean; readonly hasFigures: ((row: OpenRow) => boolean) | undefined} {
	const filter = new StackFilter({terms: terms.filter(({hasText}) => hasText)}, dictionary, grouping);
	const ofFigures = terms.filter(({hasText}) => !hasText);
	return {
		filter,
		isKept: node => filter.isEmpty || filter.passes(node, Infinity, () => noFigures),
		hasFigures: ofFigures.length === 0 ? undefined : row => fits(row, ofFigures),
	};
}

/** What all samples with Java frames come to. */
export function wholeOf(counters: Counters, {countedMask}: Pick<Scope, 'countedMask'>): Weight {
	let [ticks, cpuNs] = [0, 0];
	for (let counter = 0; counter < counters.count; counter++) {
		if (counters.node[counter] !== rootNode) {
			cpuNs += counters.cpuNs[counter];
			ticks += (countedMask & (1 << counters.state[counter])) === 0 ? 0 : counters.ticks[counter];
		}
	}

	return {ticks, cpuNs};
}

/** In a tree a row's share is that of its total: with less than what is asked for, so has all below it. */
function fits(row: TreeRow, terms: readonly RowTerm[]): boolean {
	return terms.every(({figures, isNegated}) => figures({
		...noFigures, percent: row.totalPercent, totalPercent: row.totalPercent, cpuMs: row.totalCpuNs / 1e6, ticks: row.totalTicks, totalTicks: row.totalTicks,
	}) !== isNegated);
}
