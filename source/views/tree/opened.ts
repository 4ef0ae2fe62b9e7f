import type {TreeQuery} from '../../query/types/query.js';
import type {CallNode, CallTree} from './call-tree.js';

/** A callee with this part of its caller's total goes on with the hot path; with less, the path forks there. */
const pathPart = 0.8;

/** Rows at most, of what a reader opens and where all is open, as in files: what would be beyond stays closed. */
const maxRows = {opened: 20_000, all: 50_000};

/** Rows up to which what leads to a match of the filter is opened by itself: some screens full. */
const maxRowsToMatches = 500;

/** How a tree opens by itself. */
type OpensItself<Row extends CallNode> = {
	/** Whether the path from this root is one that a reader wants to follow. */
	readonly isHotRoot: (row: Row) => boolean;
	/** Whether a row is opened wherever it stands, by its totals; none when left out. */
	readonly isWorthOpening?: (row: Row) => boolean;
	/** Terms of the filter, a bit each: those that a row should be open to, and those that are found in a row. */
	readonly wanted: number;
	readonly foundIn: (row: Row) => number;
};

/** A row that is not looked into yet: whether all below is open, it is on a hot path, and terms that were found above. */
type Pending<Row> = {readonly row: Row; readonly hasSiblings: boolean; readonly isAll: boolean; readonly isHot: boolean; readonly found: number};

/** The rows of an open tree: hot roots are open to where their path forks, and rows to what the filter looks for. */
export function openedRows<Row extends CallNode>(tree: CallTree<Row>, roots: readonly Row[], said: TreeQuery | undefined, {
	isHotRoot, isWorthOpening, wanted, foundIn,
}: OpensItself<Row>): Row[] {
	const {isAllOpen = false, opened} = said ?? {};
	const rows: Row[] = [];
	const pending: Array<Pending<Row>> = roots.toReversed().map(row => ({
		row, hasSiblings: roots.length > 1, isAll: isAllOpen, isHot: isHotRoot(row), found: 0,
	}));
	let known = roots.length;
	const most = isAllOpen ? maxRows.all : maxRows.opened;
	for (let next = pending.pop(); next; next = pending.pop()) {
		const {row, hasSiblings, isHot} = next;
		rows.push(row);
		const found = next.found | (wanted === 0 ? 0 : foundIn(row));
		const opening = isAllOpen ? undefined : opened?.get(row.key);
		const isAll = opening === 'all' || (next.isAll && opening !== 'closed');
		const leadsOn = (found & wanted) !== wanted && rows.length < maxRowsToMatches;
		const isOpening = isAll || opening === 'open' || (opening !== 'closed' && (isHot || leadsOn || (isWorthOpening?.(row) ?? false)));
		const children = isOpening ? tree.below(row) : [];
		if (children.length === 0 || known + children.length > most) {
			continue;
		}

		row.isOpen = true;
		known += children.length;
		const isFork = children.length > 1;
		const hottest = isHot ? goesOnWith(row, children) : undefined;
		for (const child of children.toReversed()) {
			// Rows of one depth below each other are of one path, or of one fork, and not of both.
			child.indent = row.indent + Number(isFork || hasSiblings);
			pending.push({
				row: child, hasSiblings: isFork, isAll, isHot: child === hottest, found,
			});
		}
	}

	return rows;
}

/** The row that goes on with a hot path, if it does not fork. */
function goesOnWith<Row extends CallNode>(row: Row, children: readonly Row[]): Row | undefined {
	let hottest = children[0];
	for (const child of children) {
		hottest = (child.totalPercent - hottest.totalPercent || child.totalCpuNs - hottest.totalCpuNs || child.totalTicks - hottest.totalTicks) > 0 ? child : hottest;
	}

	return hottest.totalPercent >= pathPart * row.totalPercent ? hottest : undefined;
}
