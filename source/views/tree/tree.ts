import {safe} from '../../util/printable.js';
import {rootNode} from '../../model/frame.js';
import {sumUpTo} from '../../util/sum.js';
import type {Dictionary, Counters, Snapshot} from '../../model/snapshot.js';
import {attributionOf, endsOf} from '../../query/counters/attribution.js';
import {measuredInWindow} from '../../query/counters/allocated.js';
import {scopeOf, type Scope} from '../../query/counters/scope.js';
import {percentIn, sampledMs} from '../../query/counters/share.js';
import {StackFilter} from '../../query/counters/stack-filter.js';
import {stackIndex, type Grouping} from '../../query/counters/stack-index.js';
import {figureReader, type FilterFields} from '../../query/filter/filter.js';
import {
	isOfEvents, type Query, type TreeQuery, type Unit, type Weight, type Opening,
} from '../../query/types/query.js';
import {
	byLocation,
	figureColumn,
	fileColumn,
	shareColumn,
	shareHeadings,
	textColumn,
	treeMark,
	type Column,
} from '../../query/columns/column.js';
import {amountColumn, notOfEvents} from '../../query/columns/event-columns.js';
import {formats} from '../../query/columns/format.js';
import {nameWith, viaText} from '../../query/columns/names.js';
import type {ViewResult} from '../common/view.js';
import {CallNode, CallTree, type TreeOptions} from './call-tree.js';

export const treeColumns: ReadonlyArray<Column<CallNode>> = [
	shareColumn('total', row => row.totalPercent, row => row.totalCpuNs, {
		heading: 'CPU%',
		measureHeadings: shareHeadings,
		title: 'total share',
		width: 6,
		fromColumns: 0,
		isHot: true,
		sortKeys: ['total', 'self'],
		thenBy: [row => row.totalTicks],
		description:
			'CPU time of samples that came by this path, 100 is one core (or their share of CPU time, ticks or events); '
			+ 'each sample counts once, recursion or not',
	}),
	shareColumn('self', row => row.selfPercent, row => row.selfCpuNs, {
		heading: 'SELF%', measureHeadings: {cpu: 'SELF', 'cpu-ms': 'SELFms'}, title: 'self share', width: 6,
		fromColumns: 50, isHot: true, thenBy: [row => row.selfTicks],
		description: 'the same of samples whose innermost frame it is; bottom-up, that of the hot line itself',
		isBlank: row => row.selfTicks === 0 && row.selfCpuNs === 0,
	}),
	figureColumn('ticks', row => row.totalTicks, formats.count, {
		heading: 'TICKS', title: 'total ticks', width: 6, fromColumns: 64, ...notOfEvents,
		description: 'samples that came by this path, in the counted states',
	}),
	amountColumn(row => row.totalCpuNs, {
		fromColumns: 110,
		description: 'CPU time of samples that came by this path, milliseconds (BYTES, EXC: what its events count for)',
	}),
	textColumn('path', row => row.className, {
		heading: 'PATH',
		title: 'name',
		width: 0,
		fromColumns: 0,
		sortKeys: ['name'],
		sortBy: byLocation,
		description:
			'each row calls those below it (bottom-up: is called by them); further in where a path forks; + closed, - open',
		value(row, {room, fullNames}) {
			const mark = treeMark(row.indent, row, room);
			return safe`${mark}${nameWith(row, row.via ? [viaText(row.via)] : [], Math.max(room - mark.length, 1), fullNames)}`;
		},
	}),
	fileColumn(150),
];

const hotRootPercent = 5;

/** Returns the rows of the Tree view. Text terms of the filter select stacks, its figures rows by their totals. */
export function queryTree(snapshot: Snapshot, since: Snapshot | undefined, query: Query): ViewResult<CallNode> {
	const {tree, filter} = openTree(snapshot, since, query);
	const rows = openedRows(tree, tree.below(tree.root), query.tree, {
		isHotRoot: ({totalPercent}) => totalPercent >= hotRootPercent,
		filter,
	});
	return {rows, allRows: Math.max(tree.size, rows.length)};
}

/** Returns the tree of a query, and the filter that its stacks passed. */
export function openTree(
	snapshot: Snapshot,
	since: Snapshot | undefined,
	query: Query,
): {readonly tree: CallTree; readonly filter: StackFilter} {
	const {options, filter} = treeOptions(snapshot, since, query);
	return {tree: new CallTree(options, CallNode), filter};
}

/** Returns the options of a query's tree, and the filter that its stacks pass. */
export function treeOptions(
	snapshot: Snapshot,
	since: Snapshot | undefined,
	query: Query,
): {readonly options: TreeOptions<CallNode>; readonly filter: StackFilter} {
	const {dictionary} = snapshot;
	const scope = scopeOf(snapshot, query);
	const counters = measuredInWindow(snapshot, since, scope);
	const grouping = stackIndex(dictionary).grouping(query.by);
	const overMs = sampledMs(snapshot, since);
	const {filter, isKept, isRowKept} = treeFilter({...scope, overMs}, dictionary, grouping);
	const ends = endsOf(dictionary, query);
	const attributed = attributionOf(dictionary, {firstLine: query.firstLine});
	const isBottomUp = query.tree?.isBottomUp ?? false;
	const endOf = (node: number) => ends ? ends[node] : node;
	const options: TreeOptions<CallNode> = {
		dictionary,
		counters,
		grouping,
		scope,
		overMs,
		isBottomUp,
		isKept,
		ends,
		app: query.app,
		isRowKept,
		levelOfRoot: -1,
		columns: treeColumns,
		sort: query.sort,
		whole: wholeOf(counters, scope),
		// Bottom-up paths start at the line that the stack, up to its end, is attributed to.
		...(isBottomUp
			? {nodeFor: node => attributed[endOf(node)], startsAreRows: true}
			: {nodeFor: endOf, starts: [rootNode], startsAreRows: false}),
	};
	return {options, filter};
}

type TreeFilter = {
	readonly filter: StackFilter;
	readonly isKept: (node: number) => boolean;
	readonly isRowKept: ((row: CallNode) => boolean) | undefined;
};

/** Splits a filter into text terms for stacks and figures for rows. */
export function treeFilter(
	{filter: {terms = []}, unit, overMs}: Pick<Scope, 'filter' | 'unit'> & {readonly overMs: number},
	dictionary: Dictionary,
	grouping: Grouping,
): TreeFilter {
	const fields = filterFields(unit, overMs);
	const filter = new StackFilter({terms: terms.filter(({hasText}) => hasText)}, dictionary, grouping);
	const figureTerms = terms.filter(({hasText}) => !hasText);
	return {
		filter,
		isKept: node => filter.isEmpty || filter.passes(node, Infinity, () => 0),
		isRowKept: figureTerms.length === 0
			? undefined
			: row => figureTerms.every(({figures, isNegated}) => figures(figureReader(fields, row)) !== isNegated),
	};
}

/** Returns the weight of all samples with Java frames. */
export function wholeOf(counters: Counters, {countedMask}: Pick<Scope, 'countedMask'>): Weight {
	const {count, node, state, ticks, cpuNs} = counters;
	return {
		ticks: sumUpTo(
			count,
			counter => node[counter] === rootNode ? 0 : ((countedMask >> state[counter]) & 1) * ticks[counter],
		),
		cpuNs: sumUpTo(count, counter => node[counter] === rootNode ? 0 : cpuNs[counter]),
	};
}

/** A row's figures are its totals: if a row has less than the filter asks for, so have all rows below it. */
function filterFields(unit: Unit, overMs: number): Omit<FilterFields<CallNode>, 'text'> {
	return {
		percent: row => percentIn(unit, {percent: row.totalPercent, cpuNs: row.totalCpuNs}, overMs),
		cpuMs: row => isOfEvents(unit) ? 0 : row.totalCpuNs / 1e6, ticks: row => row.totalTicks,
	};
}

type JsonOptions<Row> = {readonly top?: number; readonly fieldsOf: (row: Row) => object};

type Unfinished<Row> = {readonly row: Row; readonly children: readonly Row[]; next: number};

/** Yields a JSON text for each root, `children` nested, at most `top` a list. Not recursive, as stacks may be deep. */
export function * treesAsJson<Row extends CallNode>(
	tree: CallTree<Row>,
	roots: readonly Row[],
	{top = Infinity, fieldsOf}: JsonOptions<Row>,
): Generator<string> {
	for (const root of roots.slice(0, top)) {
		const pieces: string[] = [];
		const unfinished: Array<Unfinished<Row>> = [];
		const begin = (row: Row) => {
			pieces.push(`${JSON.stringify(fieldsOf(row)).slice(0, -1)},"children":[`);
			unfinished.push({row, children: tree.below(row).slice(0, top), next: 0});
		};

		begin(root);
		for (let current = unfinished.at(-1); current; current = unfinished.at(-1)) {
			const child = current.children.at(current.next);
			if (child === undefined) {
				pieces.push(']}');
				current.row.forget();
				unfinished.pop();
			} else {
				pieces.push(current.next > 0 ? ',' : '');
				current.next++;
				begin(child);
			}
		}

		yield pieces.join('');
	}
}

/** Least part of its caller's total at which a callee continues the hot path; with less, the path forks there. */
const minPathPart = 0.8;

/** Most rows of a tree on the screen, and of one that is all open, as in files; rows beyond that stay closed. */
const maxRows = {opened: 20_000, all: 50_000};

/** Number of rows up to which rows are opened automatically to show the filter's matches: some screens full. */
const maxRowsToMatches = 500;

type AutoOpening<Row extends CallNode> = {
	readonly isHotRoot: (row: Row) => boolean;
	readonly isWorthOpening?: (row: Row) => boolean;
	/** Rows are opened to show what matches it. */
	readonly filter: StackFilter;
};

/** A row yet to be visited: whether all below it is opened, whether it is on a hot path, and terms found above it. */
type Pending<Row> = {
	readonly row: Row;
	readonly hasSiblings: boolean;
	readonly isAll: boolean;
	readonly isHot: boolean;
	readonly found: number;
};

/** Returns the rows of a tree: opened by the user, from hot roots to where paths fork, and to the filter's matches. */
export function openedRows<Row extends CallNode>(
	tree: CallTree<Row>,
	roots: readonly Row[],
	treeQuery: TreeQuery | undefined,
	{isHotRoot, isWorthOpening, filter}: AutoOpening<Row>,
): Row[] {
	const {wanted} = filter;
	const {isAllOpen = false, opened} = treeQuery ?? {};
	const rows: Row[] = [];
	const pending: Array<Pending<Row>> = roots.toReversed().map(row => ({
		row, hasSiblings: roots.length > 1, isAll: isAllOpen, isHot: isHotRoot(row), found: 0,
	}));
	const openingOf = ({key}: Row) => isAllOpen ? undefined : opened?.get(key);
	let count = roots.length;
	const maxCount = isAllOpen ? maxRows.all : maxRows.opened;
	for (let next = pending.pop(); next; next = pending.pop()) {
		const {row, hasSiblings, isHot} = next;
		rows.push(row);
		const found = next.found | foundInRow(row, filter);
		const opening = openingOf(row);
		const isAll = opening === 'all' || (next.isAll && opening !== 'closed');
		const leadsToMatch = (found & wanted) !== wanted && rows.length < maxRowsToMatches;
		const opensByItself = () => isHot || leadsToMatch || (isWorthOpening?.(row) ?? false);
		const children = isAll || isToOpen(opening, opensByItself) ? tree.below(row) : [];
		if (children.length === 0 || count + children.length > maxCount) {
			continue;
		}

		row.isOpen = true;
		count += children.length;
		const hottest = isHot ? hotPathChild(row, children) : undefined;
		const isFork = children.length > 1;
		for (const child of children.toReversed()) {
			pending.push({row: child, hasSiblings: isFork, isAll, isHot: child === hottest, found});
		}

		indent(children, row, isFork || hasSiblings);
	}

	return rows;
}

/** `opening`: what the user asked for. */
function isToOpen(opening: Opening | undefined, opensByItself: () => boolean): boolean {
	return opening === 'open' || (opening !== 'closed' && opensByItself());
}

/** Adjacent rows with the same indentation are either one path or one fork. */
function indent(rows: readonly CallNode[], parent: CallNode, isFurtherIn: boolean): void {
	for (const row of rows) {
		row.indent = parent.indent + Number(isFurtherIn);
	}
}

/** Returns the parts of the filter, as bits, that a row's own names match. */
function foundInRow<Row extends CallNode>({group, via}: Row, filter: AutoOpening<Row>['filter']): number {
	return filter.wanted === 0 ? 0 : filter.foundIn(group) | (via ? filter.foundInName(via) : 0);
}

/** Returns the child that continues a hot path; undefined if the path forks. */
function hotPathChild<Row extends CallNode>(row: Row, children: readonly Row[]): Row | undefined {
	let hottest = children[0];
	for (const child of children) {
		hottest
			= (child.totalPercent - hottest.totalPercent || child.totalCpuNs - hottest.totalCpuNs
				|| child.totalTicks - hottest.totalTicks) > 0
				? child
				: hottest;
	}

	return hottest.totalPercent >= minPathPart * row.totalPercent ? hottest : undefined;
}
