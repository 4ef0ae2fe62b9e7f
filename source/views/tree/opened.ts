import type {TreeQuery} from '../../query/types/query.js';
import type {CallNode, CallTree} from './call-tree.js';

/** Least part of its caller's total at which a callee continues the hot path; with less, the path forks there. */
const minPathPart = 0.8;

/** Most rows of a tree on the screen, and of one that is all open, as in files; rows beyond that stay closed. */
const maxRows = {opened: 20_000, all: 50_000};

/** Number of rows up to which rows are opened automatically to show the filter's matches: some screens full. */
const maxRowsToMatches = 500;

/** How a tree opens automatically. */
type AutoOpening<Row extends CallNode> = {
	/** Whether the hot path from this root is opened. */
	readonly isHotRoot: (row: Row) => boolean;
	/** Whether a row is opened anywhere in the tree; by default none is. */
	readonly isWorthOpening?: (row: Row) => boolean;
	/** Terms of the filter, a bit each: those that rows are opened to find, and those found in a row. */
	readonly wanted: number;
	readonly foundIn: (row: Row) => number;
};

/** A row yet to be visited: whether all below it is opened, whether it is on a hot path, and terms found above it. */
type Pending<Row> = {readonly row: Row; readonly hasSiblings: boolean; readonly isAll: boolean; readonly isHot: boolean; readonly found: number};

/** Returns the rows of a tree: opened by the user, from hot roots to where paths fork, and to the filter's matches. */
export function openedRows<Row extends CallNode>(tree: CallTree<Row>, roots: readonly Row[], treeQuery: TreeQuery | undefined, {
	isHotRoot, isWorthOpening, wanted, foundIn,
}: AutoOpening<Row>): Row[] {
	const {isAllOpen = false, opened} = treeQuery ?? {};
	const rows: Row[] = [];
	const pending: Array<Pending<Row>> = roots.toReversed().map(row => ({
		row, hasSiblings: roots.length > 1, isAll: isAllOpen, isHot: isHotRoot(row), found: 0,
	}));
	let count = roots.length;
	const maxCount = isAllOpen ? maxRows.all : maxRows.opened;
	for (let next = pending.pop(); next; next = pending.pop()) {
		const {row, hasSiblings, isHot} = next;
		rows.push(row);
		const found = next.found | (wanted === 0 ? 0 : foundIn(row));
		const opening = isAllOpen ? undefined : opened?.get(row.key);
		const isAll = opening === 'all' || (next.isAll && opening !== 'closed');
		const leadsToMatch = (found & wanted) !== wanted && rows.length < maxRowsToMatches;
		const isOpening = isAll || opening === 'open' || (opening !== 'closed' && (isHot || leadsToMatch || (isWorthOpening?.(row) ?? false)));
		const children = isOpening ? tree.below(row) : [];
		if (children.length === 0 || count + children.length > maxCount) {
			continue;
		}

		row.isOpen = true;
		count += children.length;
		const isFork = children.length > 1;
		const hottest = isHot ? hotPathChild(row, children) : undefined;
		for (const child of children.toReversed()) {
			// Adjacent rows with the same indentation are either one path or one fork.
			child.indent = row.indent + Number(isFork || hasSiblings);
			pending.push({
				row: child, hasSiblings: isFork, isAll, isHot: child === hottest, found,
			});
		}
	}

	return rows;
}

/** Returns the child that continues a hot path; undefined if the path forks. */
function hotPathChild<Row extends CallNode>(row: Row, children: readonly Row[]): Row | undefined {
	let hottest = children[0];
	for (const child of children) {
		hottest = (child.totalPercent - hottest.totalPercent || child.totalCpuNs - hottest.totalCpuNs || child.totalTicks - hottest.totalTicks) > 0 ? child : hottest;
	}

	return hottest.totalPercent >= minPathPart * row.totalPercent ? hottest : undefined;
}
