import {sortRows, type Sortable} from '../columns/sort.js';
import type {Opening, SortOrder, TreeQuery} from '../types.js';
import type {OpenRow} from './open-row.js';
import type {PathTree} from './path-tree.js';

/** A callee with this part of its caller's total goes on with the hot path; with less, the path forks there. */
const pathPart = 0.8;

/**
Rows made at most, of what a reader opens and where all is open, as in files: what would be beyond stays closed. A
screen shows some dozen of them, and all are made anew at each refresh.
*/
const maxRows = {opened: 20_000, all: 50_000};

/** Rows up to which what leads to a match of the filter is opened by itself: some screens full. */
const maxRowsToMatches = 500;

/** The sorted rows below a node of a tree, whose row is `parent`; node 0 is above all. */
export type RowsOf<Row extends OpenRow> = (node: number, parent: Row | undefined) => readonly Row[];

type Making<Row extends OpenRow> = {
	readonly columns: ReadonlyArray<Sortable<Row>>;
	readonly sort: SortOrder;
	readonly make: (node: number, parent: Row | undefined) => Row;
	/** Rows that are there; all when left out. */
	readonly isKept?: (row: Row) => boolean;
};

/** Makes the rows of a tree as they are asked for. */
export function rowsBelow<Row extends OpenRow>(tree: PathTree, {columns, sort, make, isKept}: Making<Row>): RowsOf<Row> {
	return (node, parent) => {
		const children = tree.childrenOf(node);
		if (children.length === 1 && !isKept) {
			// Most callees are only ones.
			const row = make(children[0], parent);
			row.indent = parent ? parent.indent + Number(parent.hasSiblings) : 0;
			return [row];
		}

		const made = children.map(child => make(child, parent));
		const rows = isKept ? made.filter(row => isKept(row)) : made;
		for (const row of rows) {
			row.hasSiblings = rows.length > 1;
			// Rows of one depth below each other are of one path, or of one fork, and not of both.
			row.indent = parent ? parent.indent + Number(row.hasSiblings || parent.hasSiblings) : 0;
		}

		return rows.length > 1 ? sortRows<Row>(rows, columns, sort) : rows;
	};
}

/** How a tree opens by itself. */
export type OpensItself<Row extends OpenRow> = {
	/** Whether the path from this root is one that a reader wants to follow. */
	readonly isHotRoot: (row: Row) => boolean;
	/** Whether a row is opened wherever it stands; none when left out. */
	readonly isWorthOpening?: (row: Row) => boolean;
	/** Terms of the filter, a bit each: those that a row should be open to, and those that are found in a row. */
	readonly wanted: number;
	readonly foundIn: (row: Row) => number;
};

/**
A row that is not looked into yet: whether all below a row above it is open, whether it is on the hot path, and which
terms of the filter were found above it.
*/
type Pending<Row> = {readonly row: Row; readonly isAll: boolean; readonly isHot: boolean; readonly found: number};

/**
The rows of an open tree, each before those below it: hot roots are open to where their path forks, and all rows to what
the filter looks for; `said` says otherwise of single rows.
*/
export function openedRows<Row extends OpenRow>(roots: readonly Row[], rowsOf: RowsOf<Row>, said: TreeQuery | undefined, {
	isHotRoot, isWorthOpening, wanted, foundIn,
}: OpensItself<Row>): Row[] {
	const {isAllOpen = false, opened = new Map<string, Opening>()} = said ?? {};
	const rows: Row[] = [];
	const open: Array<Pending<Row>> = roots.toReversed().map(row => ({
		row, isAll: isAllOpen, isHot: isHotRoot(row), found: 0,
	}));
	let known = open.length;
	const most = isAllOpen ? maxRows.all : maxRows.opened;
	const leadsOn = (row: Row, found: number) => ((found & wanted) !== wanted && rows.length < maxRowsToMatches) || (isWorthOpening?.(row) ?? false);
	const toldOf = sayings(isAllOpen ? noSayings : opened);
	const openingOf = toldOf(roots);
	for (let next = open.pop(); next; next = open.pop()) {
		const {row: first} = next;
		let {isAll, isHot, found} = next;
		// On with the first of its children at once: most are only ones, and nothing is put by for them.
		for (let row: Row | undefined = first; row;) {
			rows.push(row);
			found |= wanted === 0 ? 0 : foundIn(row);
			const opening = isAllOpen ? 'all' : openingOf.get(row);
			isAll = opening === 'all' || (isAll && opening !== 'closed');
			const isOpen = isAll || opening === 'open' || (opening !== 'closed' && (isHot || leadsOn(row, found)));
			const children: readonly Row[] = isOpen && row.hasChildren ? rowsOf(row.node, row) : [];
			if (children.length === 0 || known + children.length > most) {
				break;
			}

			row.isOpen = true;
			known += children.length;
			toldOf(children);
			const hottest = isHot ? goesOnWith(row, children) : undefined;
			for (let index = children.length - 1; index > 0; index--) {
				open.push({
					row: children[index], isAll, isHot: children[index] === hottest, found,
				});
			}

			row = children[0];
			isHot = row === hottest;
		}
	}

	return rows;
}

const noSayings: ReadonlyMap<string, Opening> = new Map();

/**
What was said of single rows, by row, of those that were handed over so far. Once all of it was met no row's key is asked
for any more: making keys takes longer than making rows.
*/
function sayings(opened: ReadonlyMap<string, Opening>): (rows: readonly OpenRow[]) => ReadonlyMap<OpenRow, Opening> {
	const met = new Map<OpenRow, Opening>();
	return rows => {
		for (let index = 0; index < rows.length && met.size < opened.size; index++) {
			const opening = opened.get(rows[index].key);
			if (opening !== undefined) {
				met.set(rows[index], opening);
			}
		}

		return met;
	};
}

/** The row that goes on with a hot path, if it does not fork. */
function goesOnWith<Row extends OpenRow>(row: Row, children: readonly Row[]): Row | undefined {
	const hottest = hottestOf(children);
	return hottest.totalPercent >= pathPart * row.totalPercent ? hottest : undefined;
}

function hottestOf<Row extends OpenRow>(rows: readonly Row[]): Row {
	let hottest = rows[0];
	for (const row of rows) {
		hottest = isHotter(row, hottest) ? row : hottest;
	}

	return hottest;
}

function isHotter(a: OpenRow, b: OpenRow): boolean {
	return (a.totalPercent - b.totalPercent || a.totalCpuNs - b.totalCpuNs || a.totalTicks - b.totalTicks) > 0;
}
