import {rootNode} from '../../model/frame.js';
import type {Dictionary, Facts, Snapshot} from '../../model/snapshot.js';
import {treeColumns} from '../columns/tree-columns.js';
import {endsOf} from '../facts/attribution.js';
import {factsInWindow, scopeOf, type Scope} from '../facts/scope.js';
import {StackFilter} from '../facts/stack-filter.js';
import {stackIndex, type Grouping} from '../facts/stack-index.js';
import type {FilterRow, RowTerm} from '../filter/filter.js';
import type {RowsOnDemand} from '../row-list.js';
import type {Query, TreeRow} from '../types.js';
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
export function queryTree(snapshot: Snapshot, baseline: Snapshot | undefined, query: Query): {readonly rows: RowsOnDemand<TreeRow>; readonly allRows: number} {
	const {rows: ordered, filter} = openTree(snapshot, baseline, query);
	const {tree} = ordered;
	const rows = openedRows(ordered, ordered.below(0), query.tree, {
		isHotRoot: ({totalPercent}) => totalPercent >= hotRootPercent,
		wanted: filter.wanted,
		foundIn: ({node, via}) => filter.foundIn(tree.groupOf(node)) | (via ? filter.foundInName(via) : 0),
	});
	return {rows, allRows: Math.max(tree.size ?? 0, rows.length)};
}

/** A tree with its rows, and the filter that its stacks passed. */
export type OpenTree = {readonly rows: OrderedTree<OpenRow>; readonly filter: StackFilter};

/** The tree that a query asks for. */
export function openTree(snapshot: Snapshot, baseline: Snapshot | undefined, query: Query): OpenTree {
	const {dictionary} = snapshot;
	const scope = scopeOf(snapshot, query);
	const facts = factsInWindow(snapshot, baseline, scope);
	const grouping = stackIndex(dictionary).grouping(query.by);
	const {filter, isKept, hasFigures} = treeFilter(scope, dictionary, grouping);
	const ends = endsOf(dictionary, query);
	const tree = query.tree?.isBottomUp
		? new BottomUp(facts, dictionary, {grouping, paths: callerPaths(dictionary, query.by), ends}, scope, isKept)
		: new TopDown(facts, {stacks: stackPaths(dictionary, query.by), dictionary, isKept, ends}, scope);
	const source: RowSource = {
		tree, placeOf: node => grouping.places[tree.groupOf(node)], unit: scope.unit, whole: wholeOf(facts, scope),
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
export function wholeOf(facts: Facts, {countedMask}: Pick<Scope, 'countedMask'>): Weight {
	let [ticks, cpuNs] = [0, 0];
	for (let fact = 0; fact < facts.count; fact++) {
		if (facts.node[fact] !== rootNode) {
			cpuNs += facts.cpuNs[fact];
			ticks += (countedMask & (1 << facts.state[fact])) === 0 ? 0 : facts.ticks[fact];
		}
	}

	return {ticks, cpuNs};
}

const noFigures: Omit<FilterRow, 'text'> = {
	percent: 0, totalPercent: 0, cpuMs: 0, ticks: 0, totalTicks: 0, threads: 0, blocked: 0, stuckS: 0,
};

/** In a tree a row's share is that of its total: with less than what is asked for, so has all below it. */
function fits(row: TreeRow, terms: readonly RowTerm[]): boolean {
	return terms.every(({figures, isNegated}) => figures({
		...noFigures, percent: row.totalPercent, totalPercent: row.totalPercent, cpuMs: row.totalCpuNs / 1e6, ticks: row.totalTicks, totalTicks: row.totalTicks,
	}) !== isNegated);
}
