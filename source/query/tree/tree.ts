import {rootNode} from '../../model/frame.js';
import type {Facts, Snapshot} from '../../model/snapshot.js';
import {treeColumns} from '../columns/tree-columns.js';
import {sortRows} from '../columns/sort.js';
import {factsInWindow, scopeOf, type Scope} from '../facts/scope.js';
import {StackFilter} from '../facts/stack-filter.js';
import {stackIndex} from '../facts/stack-index.js';
import type {FilterRow, RowTerm} from '../filter/filter.js';
import type {Opening, Query, TreeRow} from '../types.js';
import {BottomUp} from './bottom-up.js';
import {OpenRow, type RowSource} from './open-row.js';
import {callerPaths, stackPaths} from './paths.js';
import type {PathTree, Weight} from './path-tree.js';
import {TopDown} from './top-down.js';

/** Rows made at most: nobody looks at more, and what would be beyond stays closed. */
const maxRows = 50_000;

/** A root with this share (percent) of all is opened by itself. */
const hotRootPercent = 5;

/** Rows up to which what leads to a match of the filter is opened by itself: some screens full. */
const maxRowsToMatches = 500;

/** A callee with this part of its caller's total goes on with the hot path; with less, the path forks there. */
const pathPart = 0.8;

/**
The paths of calls between `baseline` (undefined: the session's start) and `snapshot`, as rows of a tree: top-down from
the threads' roots, or bottom-up from the lines that samples count for. Hot roots are open to where their path forks;
`query.tree` says otherwise of single rows. Words of the filter keep stacks that have them in any frame, and rows are
open to the last of these words; figures keep rows by their totals. Rows of a level are sorted. Every sample is counted
once in a row's total, as a row stands for a path.
*/
export function queryTree(snapshot: Snapshot, baseline: Snapshot | undefined, query: Query): {readonly rows: TreeRow[]; readonly allRows: number} {
	const {tree, rowsOf, filter} = openTree(snapshot, baseline, query);
	const {isAllOpen = false, opened = new Map<string, Opening>()} = query.tree ?? {};
	const rows: OpenRow[] = [];
	const open: Pending[] = rowsOf(0, undefined).toReversed().map(row => ({
		row, isAll: isAllOpen, isHot: row.totalPercent >= hotRootPercent, found: 0,
	}));
	let known = open.length;
	const {wanted} = filter;
	for (let next = open.pop(); next; next = open.pop()) {
		const {row, isAll, isHot} = next;
		const found = next.found | filter.foundIn(tree.groupOf(row.node));
		rows.push(row);
		const said = isAllOpen ? 'all' : (opened.size > 0 ? opened.get(row.key) : undefined);
		const isAllBelow = said === 'all' || (isAll && said !== 'closed');
		const opensItself = isHot || ((found & wanted) !== wanted && rows.length < maxRowsToMatches);
		const wantsOpen = row.hasChildren && (isAllBelow || said === 'open' || (opensItself && said !== 'closed'));
		const children = wantsOpen ? rowsOf(row.node, row) : [];
		if (children.length === 0 || known + children.length > maxRows) {
			continue;
		}

		row.isOpen = true;
		known += children.length;
		const hottest = isHot ? hottestOf(children) : undefined;
		const goesOn = hottest !== undefined && hottest.totalPercent >= pathPart * row.totalPercent;
		for (let index = children.length - 1; index >= 0; index--) {
			open.push({
				row: children[index], isAll: isAllBelow, isHot: goesOn && children[index] === hottest, found,
			});
		}
	}

	return {rows, allRows: Math.max(tree.size ?? 0, rows.length)};
}

/**
A row that is not looked into yet: whether all below a row above it is open, whether it is on the hot path, and which
terms of the filter were found above it.
*/
type Pending = {readonly row: OpenRow; readonly isAll: boolean; readonly isHot: boolean; readonly found: number};

/** A tree, the sorted rows below one of its nodes, and the filter that its stacks passed. */
export type OpenTree = {readonly tree: PathTree; readonly filter: StackFilter; rowsOf(node: number, parent: OpenRow | undefined): OpenRow[]};

/** The tree that a query asks for. */
export function openTree(snapshot: Snapshot, baseline: Snapshot | undefined, query: Query): OpenTree {
	const {dictionary} = snapshot;
	const scope = scopeOf(snapshot, query);
	const facts = factsInWindow(snapshot, baseline, scope);
	const grouping = stackIndex(dictionary).grouping(query.by);
	const {terms = []} = scope.filter;
	const filter = new StackFilter({terms: terms.filter(({hasText}) => hasText)}, dictionary, grouping);
	const isKept = (node: number) => filter.isEmpty || filter.passes(node, Infinity, () => noFigures);
	const tree = query.tree?.isBottomUp
		? new BottomUp(facts, dictionary, {grouping, paths: callerPaths(dictionary, query.by)}, scope, isKept)
		: new TopDown(facts, stackPaths(dictionary, query.by), scope, isKept);
	const source: RowSource = {
		tree, grouping, unit: scope.unit, whole: wholeOf(facts, scope),
	};
	const ofFigures = terms.filter(({hasText}) => !hasText);
	return {
		tree,
		filter,
		rowsOf(node, parent) {
			const made = tree.childrenOf(node).map(child => new OpenRow(child, parent, source));
			const rows = ofFigures.length === 0 ? made : made.filter(row => fits(row, ofFigures));
			for (const row of rows) {
				row.hasSiblings = rows.length > 1;
				// Rows of one depth below each other are of one path, or of one fork, and not of both.
				row.indent = parent ? parent.indent + Number(row.hasSiblings || parent.hasSiblings) : 0;
			}

			return rows.length > 1 ? sortRows<OpenRow>(rows, treeColumns, query.sort) : rows;
		},
	};
}

function hottestOf(rows: readonly OpenRow[]): OpenRow {
	let hottest = rows[0];
	for (const row of rows) {
		hottest = isHotter(row, hottest) ? row : hottest;
	}

	return hottest;
}

function isHotter(a: TreeRow, b: TreeRow): boolean {
	return (a.totalPercent - b.totalPercent || a.totalCpuNs - b.totalCpuNs || a.totalTicks - b.totalTicks) > 0;
}

/** What all samples with Java frames come to. */
function wholeOf(facts: Facts, {countedMask}: Scope): Weight {
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
