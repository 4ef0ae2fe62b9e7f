import type {Opening, TreeQuery} from '../types/rows.js';
import {OpenRows} from './open-rows.js';
import type {OpenRow} from './open-row.js';
import type {OrderedTree} from './ordered-tree.js';

/** A callee with this part of its caller's total goes on with the hot path; with less, the path forks there. */
const pathPart = 0.8;

/** Rows at most, of what a reader opens and where all is open, as in files: what would be beyond stays closed. */
const maxRows = {opened: 20_000, all: 50_000};

/** Rows up to which what leads to a match of the filter is opened by itself: some screens full. */
const maxRowsToMatches = 500;

/** How a tree opens by itself. */
type OpensItself<Row extends OpenRow> = {
	/** Whether the path from this root is one that a reader wants to follow. */
	readonly isHotRoot: (row: Row) => boolean;
	/** Whether a row is opened wherever it stands, by its totals; none when left out. */
	readonly isWorthOpening?: (row: Row) => boolean;
	/** Terms of the filter, a bit each: those that a row should be open to, and those that are found in a row. */
	readonly wanted: number;
	readonly foundIn: (row: Row) => number;
};

/**
A node that is not looked into yet: the row that it hangs from, how far in it is, whether all below a row above it is
open, whether it is on the hot path, and which terms of the filter were found above it.
*/
type Pending = {
	readonly node: number;
	readonly parent: number;
	readonly indent: number;
	readonly hasSiblings: boolean;
	readonly isAll: boolean;
	readonly isHot: boolean;
	readonly found: number;
};

/**
The rows of an open tree below the nodes `roots`, each before those below it: hot roots are open to where their path
forks, and all rows to what the filter looks for; `said` says otherwise of single rows.
*/
export function openedRows<Row extends OpenRow>(tree: OrderedTree<Row>, roots: readonly number[], said: TreeQuery | undefined, {
	isHotRoot, isWorthOpening, wanted, foundIn,
}: OpensItself<Row>): OpenRows<Row> {
	const {isAllOpen = false, opened} = said ?? {};
	const rows = new OpenRows(tree);
	const open: Pending[] = roots.toReversed().map(node => ({
		node, parent: -1, indent: 0, hasSiblings: roots.length > 1, isAll: isAllOpen, isHot: isHotRoot(tree.rowOf(node)), found: 0,
	}));
	let known = open.length;
	const most = isAllOpen ? maxRows.all : maxRows.opened;
	const sayings = isAllOpen ? new Sayings() : new Sayings(tree, opened);
	for (let next = open.pop(); next; next = open.pop()) {
		let {node, parent, indent, hasSiblings, isAll, isHot, found} = next;
		// On with the first of its children at once: most are only ones, and nothing is put by for them.
		for (;;) {
			parent = rows.add(node, parent, indent);
			found |= wanted === 0 ? 0 : foundIn(tree.rowOf(node));
			const opening = isAllOpen ? 'all' : sayings.of(node);
			isAll = opening === 'all' || (isAll && opening !== 'closed');
			const isWorth = isAll || (opening !== 'closed' && (isHot || (isWorthOpening?.(tree.rowOf(node)) ?? false)));
			const isFound = (found & wanted) === wanted;
			if (isWorth && isFound) {
				// What holds of one holds of all that are in single file behind it, as their totals are the same.
				const end = Math.min(tree.tree.endOfFile?.(node) ?? node, sayings.nextAfter(node) - 1, node + most - known);
				indent += Number(hasSiblings && end > node);
				hasSiblings &&= end <= node;
				for (; node < end; known++) {
					parent = rows.add(++node, parent, indent);
				}
			}

			const leadsOn = !isFound && rows.length < maxRowsToMatches;
			const children = isWorth || opening === 'open' || (opening !== 'closed' && leadsOn) ? tree.below(node) : [];
			if (children.length === 0 || known + children.length > most) {
				break;
			}

			const isFork = children.length > 1;
			// Rows of one depth below each other are of one path, or of one fork, and not of both.
			indent += Number(isFork || hasSiblings);
			hasSiblings = isFork;
			known += children.length;
			const hottest = isHot ? goesOnWith(tree, node, children) : undefined;
			for (let index = children.length - 1; index > 0; index--) {
				open.push({
					node: children[index], parent, indent, hasSiblings, isAll, isHot: children[index] === hottest, found,
				});
			}

			node = children[0];
			isHot = node === hottest;
		}
	}

	return rows;
}

/** What was said of single rows, by node. */
class Sayings {
	readonly #of = new Map<number, Opening>();
	readonly #nodes: readonly number[];

	constructor(tree?: Pick<OrderedTree<OpenRow>, 'nodeOf'>, opened?: ReadonlyMap<string, Opening>) {
		for (const [key, opening] of opened ?? []) {
			const node = tree?.nodeOf(key);
			if (node !== undefined) {
				this.#of.set(node, opening);
			}
		}

		this.#nodes = [...this.#of.keys()].sort((a, b) => a - b);
	}

	of(node: number): Opening | undefined {
		return this.#of.get(node);
	}

	/** The first node behind this one of which something was said. */
	nextAfter(node: number): number {
		let [from, to] = [0, this.#nodes.length];
		while (from < to) {
			const middle = Math.floor((from + to) / 2);
			[from, to] = this.#nodes[middle] > node ? [from, middle] : [middle + 1, to];
		}

		return this.#nodes[from] ?? Infinity;
	}
}

/** The node that goes on with a hot path, if it does not fork. */
function goesOnWith({rowOf}: Pick<OrderedTree<OpenRow>, 'rowOf'>, node: number, children: readonly number[]): number | undefined {
	let hottest = rowOf(children[0]);
	for (const child of children) {
		const row = rowOf(child);
		hottest = isHotter(row, hottest) ? row : hottest;
	}

	return hottest.totalPercent >= pathPart * rowOf(node).totalPercent ? hottest.node : undefined;
}

function isHotter(a: OpenRow, b: OpenRow): boolean {
	return (a.totalPercent - b.totalPercent || a.totalCpuNs - b.totalCpuNs || a.totalTicks - b.totalTicks) > 0;
}
