import type {Snapshot} from '../../model/snapshot.js';
import {sortRows} from '../../query/columns/sort.js';
import {filterOf, isShown, type FilterFields} from '../../query/filter/filter.js';
import type {Query} from '../../query/types/query.js';
import type {TraceReport, WholeTrace} from '../../model/trace-report.js';
import {traceColumns} from './columns.js';
import {titleOf, traceMethods, type TraceRow, nameOf, traceTree, type TraceTreeRow, threadTrees, type ThreadTree} from './methods.js';

declare module '../../query/types/query.js' {
	interface Query {
		/** What rows stand for: methods, ways of calls, or these by thread; methods when left out. */
		readonly tracesBy?: 'method' | 'tree' | 'thread';
	}
}

const filterFields: FilterFields<TraceRow> = {text: titleOf, cpuMs: row => row.ownNs / 1e6, ticks: row => row.calls};

/** The traced methods or the tree of their calls in the window. Of figures `cpu` is the own time, `ticks` the calls. */
export function queryTraces(snapshot: Snapshot, since: Snapshot | undefined, query: Query): {readonly rows: readonly TraceRow[]; readonly allRows: number; readonly awaited?: readonly string[]} {
	if (!snapshot.traces) {
		return {rows: [], allRows: 0};
	}

	const {traces} = snapshot;
	const filter = filterOf(query.filter);
	const isWanted = filter.terms && ((row: TraceRow) => isShown(filter, filterFields, row));
	if ((query.tracesBy ?? 'method') !== 'method') {
		const rows = treeRows(traces, since?.traces, query, isWanted);
		return {rows, allRows: isWanted ? treeRows(traces, since?.traces, query, undefined).length : rows.length};
	}

	const all = traceMethods(traces, since?.traces);
	return {rows: sortRows(isWanted ? all.filter(row => isWanted(row)) : all, traceColumns, query.sort), allRows: all.length, awaited: traces.survey.unmatched.filter(({isLoaded}) => !isLoaded).map(({pattern}) => pattern)};
}

type Wanted = ((row: TraceRow) => boolean) | undefined;

/** Where rows are hung into the tree. */
type Above = {readonly key: string; readonly parentKey?: string; readonly level: number; readonly thread?: string; readonly names: ReadonlySet<string>; readonly isAllOpen: boolean};

/** The tree of calls as rows, each level sorted; with a filter rows that fit and those above them. */
function treeRows(report: TraceReport, since: TraceReport | undefined, query: Query, isWanted: Wanted): TraceRow[] {
	const root = {
		key: 't', level: 0, names: new Set<string>(), isAllOpen: false,
	};
	return query.tracesBy === 'thread'
		? sortRows(threadTrees(report, since).map(tree => threadRow(tree)), traceColumns, query.sort).flatMap(row => below(row, (row as ThreadRow).rows, query, isWanted, {
			...root, key: row.key, parentKey: row.key, level: 1, thread: row.thread,
		}))
		: rowsOf(traceTree(report, since), query, isWanted, root);
}

type ThreadRow = TraceRow & {readonly rows: readonly TraceTreeRow[]};

function threadRow({number, name, ...figures}: ThreadTree): ThreadRow {
	return {
		...figures, key: `t${number}`, id: -1, className: '', method: '', parameters: '', isOverloaded: false, thread: name, tree: {level: 0, hasChildren: figures.rows.length > 0},
	};
}

function rowsOf(rows: readonly TraceTreeRow[], query: Query, isWanted: Wanted, above: Above): TraceRow[] {
	const made = rows.map(row => ({
		...row, key: `${above.key}-${row.node}`, parentKey: above.parentKey, thread: above.thread, tree: {level: above.level, hasChildren: row.children.length > 0},
	}));
	return sortRows(made, traceColumns, query.sort).flatMap(row => below(row, (row as TraceTreeRow & TraceRow).children, query, isWanted, {
		...above, parentKey: row.key, level: above.level + 1, names: new Set([...above.names, nameOf(row)]),
	}));
}

function below(row: TraceRow, children: readonly TraceTreeRow[], query: Query, isWanted: Wanted, above: Above): TraceRow[] {
	const said = query.tree?.opened?.get(row.key);
	const opensItself = row.id >= 0 && above.names.size === above.level - (above.thread === undefined ? 0 : 1);
	const isAllOpen = said !== 'closed' && (above.isAllOpen || said === 'all' || isWanted !== undefined);
	const isOpen = children.length > 0 && said !== 'closed' && (said !== undefined || isAllOpen || opensItself);
	const rows = isOpen ? rowsOf(children, query, isWanted, {...above, isAllOpen}) : [];
	return rows.length > 0 || !isWanted || isWanted(row) ? [{...row, isOpen}, ...rows] : [];
}

/** A call of a whole trace. Times in nanoseconds. */
type TracedCall = {
	readonly method: number;
	/** Calls of the trace that it was made in. */
	readonly depth: number;
	/** Since the trace's start. */
	readonly atNs: number;
	readonly cumulativeNs: number;
	/** Not in calls of the trace that it made. */
	readonly ownNs: number;
	readonly isException: boolean;
};

/** The calls of a trace in the order in which they began; those of which the end was left out end with the trace. */
export function callsOf({actions, durationNs}: WholeTrace): TracedCall[] {
	const calls: Array<{-readonly [Name in keyof TracedCall]: TracedCall[Name]}> = [];
	const open: number[] = [];
	const end = (atNs: number, isException: boolean) => {
		const index = open.pop();
		if (index !== undefined) {
			const call = calls[index];
			const inNs = atNs - call.atNs;
			call.cumulativeNs = inNs;
			call.ownNs += inNs;
			call.isException = isException;
			const around = open.at(-1);
			if (around !== undefined) {
				calls[around].ownNs -= inNs;
			}
		}
	};

	for (const {kind, method, atNs} of actions) {
		if (kind === 'START') {
			open.push(calls.push({
				method, depth: open.length, atNs, cumulativeNs: 0, ownNs: 0, isException: false,
			}) - 1);
		} else {
			end(atNs, kind === 'EXCEPTION');
		}
	}

	while (open.length > 0) {
		end(durationNs, false);
	}

	return calls;
}
