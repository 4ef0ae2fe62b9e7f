import {rootNode} from '../../model/frame.js';
import type {Dictionary, Counters, Snapshot} from '../../model/snapshot.js';
import {endsOf} from '../../query/counters/attribution.js';
import {countersInWindow, scopeOf, type Scope} from '../../query/counters/scope.js';
import {StackFilter} from '../../query/counters/stack-filter.js';
import {stackIndex, type Grouping} from '../../query/counters/stack-index.js';
import {figuresOf, type FilterFields, type RowTerm} from '../../query/filter/filter.js';
import type {Query} from '../../query/types/query.js';
import {CallNode, CallTree, type Weight} from './call-tree.js';
import {treeColumns} from './columns.js';
import {openedRows} from './opened.js';

/** A root with this share (percent) of all is opened by itself. */
const hotRootPercent = 5;

/** The paths of calls as rows. Words of the filter keep stacks, figures keep rows by their totals. */
export function queryTree(snapshot: Snapshot, since: Snapshot | undefined, query: Query): {readonly rows: readonly CallNode[]; readonly allRows: number} {
	const {tree, filter} = openTree(snapshot, since, query);
	const rows = openedRows(tree, tree.below(tree.root), query.tree, {
		isHotRoot: ({totalPercent}) => totalPercent >= hotRootPercent,
		wanted: filter.wanted,
		foundIn: ({group, via}) => filter.foundIn(group) | (via ? filter.foundInName(via) : 0),
	});
	return {rows, allRows: Math.max(tree.size, rows.length)};
}

/** The tree that a query asks for, and the filter that its stacks passed. */
export function openTree(snapshot: Snapshot, since: Snapshot | undefined, query: Query): {readonly tree: CallTree; readonly filter: StackFilter} {
	const {dictionary} = snapshot;
	const scope = scopeOf(snapshot, query);
	const counters = countersInWindow(snapshot, since, scope);
	const index = stackIndex(dictionary);
	const grouping = index.grouping(query.by);
	const {filter, isKept, hasFigures} = treeFilter(scope, dictionary, grouping);
	const ends = endsOf(dictionary, query);
	const isInverted = query.tree?.isBottomUp ?? false;
	const endOf = (node: number) => ends ? ends[node] : node;
	const tree = new CallTree<CallNode>({
		dictionary, counters, grouping, scope, isInverted, isKept, ends, hasFigures, levelOfRoot: -1, columns: treeColumns, sort: query.sort, whole: wholeOf(counters, scope),
		// Attribution is that of the stack as it is taken: the own line, or the first that has one.
		...(isInverted ? {placeOf: node => index.attributed[endOf(node)], beginsWithStarts: true} : {placeOf: endOf, starts: [rootNode], beginsWithStarts: false}),
	}, CallNode);
	return {tree, filter};
}

/** What of a filter is asked of stacks, and what of rows. */
export function treeFilter({filter: {terms = []}}: Pick<Scope, 'filter'>, dictionary: Dictionary, grouping: Grouping): {readonly filter: StackFilter; readonly isKept: (node: number) => boolean; readonly hasFigures: ((row: CallNode) => boolean) | undefined} {
	const filter = new StackFilter({terms: terms.filter(({hasText}) => hasText)}, dictionary, grouping);
	const ofFigures = terms.filter(({hasText}) => !hasText);
	return {
		filter,
		isKept: node => filter.isEmpty || filter.passes(node, Infinity, () => 0),
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
const filterFields: Omit<FilterFields<CallNode>, 'text'> = {percent: row => row.totalPercent, cpuMs: row => row.totalCpuNs / 1e6, ticks: row => row.totalTicks};

function fits(row: CallNode, terms: readonly RowTerm[]): boolean {
	return terms.every(({figures, isNegated}) => figures(figuresOf(filterFields, row)) !== isNegated);
}

/** What a text says of each row, and how many rows of a list it has at most. */
type TreeTexts<Row> = {readonly top?: number; readonly head: (row: Row) => object};

/** A row that is not closed yet: what is left of its children. */
type Unfinished<Row> = {readonly row: Row; readonly children: readonly Row[]; at: number};

/** Rows as JSON, a text for each root: `head` of each row with `children`, of each list `top` at most. Without recursion: stacks may be deep. */
export function * rowTexts<Row extends CallNode>(tree: CallTree<Row>, roots: readonly Row[], {top = Infinity, head}: TreeTexts<Row>): Generator<string> {
	for (const root of roots.slice(0, top)) {
		const pieces: string[] = [];
		const open: Array<Unfinished<Row>> = [];
		const begin = (row: Row) => {
			pieces.push(`${JSON.stringify(head(row)).slice(0, -1)},"children":[`);
			open.push({row, children: tree.below(row).slice(0, top), at: 0});
		};

		begin(root);
		for (let last = open.at(-1); last; last = open.at(-1)) {
			const child = last.children.at(last.at);
			if (child === undefined) {
				pieces.push(']}');
				last.row.forget();
				open.pop();
			} else {
				pieces.push(last.at > 0 ? ',' : '');
				last.at++;
				begin(child);
			}
		}

		yield pieces.join('');
	}
}
