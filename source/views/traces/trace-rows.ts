import {safe, type Printable} from '../../util/printable.js';
import type {Snapshot} from '../../model/snapshot.js';
import {sortRows} from '../../query/columns/sort.js';
import {filterOf, passesFilter, type FilterFields} from '../../query/filter/filter.js';
import type {Query} from '../../query/types/query.js';
import type {TraceReport, WholeTrace} from '../../model/trace-report.js';
import {figureColumn, textColumn, treeMark, type Column} from '../../query/columns/column.js';
import {formats} from '../../query/columns/format.js';
import {shortName} from '../../query/columns/names.js';
import type {ViewResult} from '../common/view.js';
import {
	titleOf,
	traceMethods,
	type TraceRow,
	tracedMethodName,
	traceTree,
	type TraceTreeRow,
	threadTrees,
	type ThreadTree,
	thinnedText,
} from './traced-methods.js';

/** Percentage of a method's calls from which those that end with an exception are an alarm. */
const manyExceptionsPercent = 10;

type TimeSettings =
	& Pick<Column<TraceRow>, 'heading' | 'title' | 'fromColumns' | 'description' | 'sortKeys'>
	& Partial<Pick<Column<TraceRow>, 'exportValue'>>;

function time(id: string, of: (row: TraceRow) => number, settings: TimeSettings): Column<TraceRow> {
	return figureColumn(id, of, formats.ns, {
		...settings,
		width: 7,
		isBlank: row => row.calls === 0 || Number.isNaN(of(row)),
	});
}

export const traceColumns: ReadonlyArray<Column<TraceRow>> = [
	time('cumulative', row => row.cumulativeNs, {
		heading: 'CUM', title: 'cumulative time', fromColumns: 0, sortKeys: ['total'],
		description: 'time with the method on the stack, all threads added up; recursive calls count once',
		exportValue: row => Number.isNaN(row.cumulativeNs) ? '' : formats.ns.file(row.cumulativeNs),
	}),
	time('own', row => row.ownNs, {
		heading: 'OWN', title: 'own time', fromColumns: 60, sortKeys: ['self'],
		description: 'time in the method, and not in traced methods that it called',
	}),
	figureColumn('calls', row => row.calls, formats.count, {
		heading: 'CALLS', title: 'calls', width: 6, fromColumns: 100,
		description: 'calls that ended in the window',
	}),
	figureColumn('calls-per-s', row => row.callsPerS, formats.perS, {
		heading: 'CALL/s', title: 'calls a second', width: 6, fromColumns: 0,
		description: 'calls that ended, a second',
	}),
	figureColumn('exceptions', row => row.exceptionsPerS, formats.perS, {
		heading: 'EXC/s', title: 'exceptions a second', width: 6, fromColumns: 70,
		description: 'calls that ended with an exception, a second',
		isBlank: row => row.exceptions === 0,
		role: row => row.exceptions * 100 >= row.calls * manyExceptionsPercent ? 'error' : undefined,
	}),
	time('mean', row => row.meanNs, {
		heading: 'MEAN',
		title: 'mean time',
		fromColumns: 0,
		description: 'mean time of a call, from its start to its end',
	}),
	time('p50', row => row.p50Ns, {
		heading: 'P50',
		title: 'median time',
		fromColumns: 90,
		description: 'half of the calls took no longer; exact to 5 %',
	}),
	time('p99', row => row.p99Ns, {
		heading: 'P99',
		title: '99th percentile',
		fromColumns: 50,
		description: '99 of 100 calls took no longer; exact to 5 %',
	}),
	time('most', row => row.mostNs, {
		heading: 'MAX', title: 'longest time', fromColumns: 80, description: 'the longest call',
	}),
	textColumn('method', row => titleOf(row), {
		heading: 'METHOD',
		title: 'name',
		width: 0,
		fromColumns: 0,
		sortKeys: ['name'],
		sortBy: [row => row.key],
		description:
			'package.Class.method, with the parameters where several have the name; packages are shortened first; '
			+ 'in a tree each row calls those below it, + closed, - open; [1 in 64 +/-3%]: only one call in 64 is measured, '
			+ 'as tracing all cost too much, and times may be off by 3%; '
			+ '[released]: exceeded --max-overhead, no longer traced',
		value(row, {room, fullNames}) {
			const remark = thinnedText(row);
			const marker = row.tree
				? treeMark(row.tree.level, {hasChildren: row.tree.hasChildren, isOpen: row.isOpen}, room)
				: '';
			if (row.className === '') {
				return safe`${marker}${(row.thread ?? '')}`;
			}

			return safe`${marker}${shortName(
				{
					className: row.className,
					method: row.isOverloaded ? safe`${row.method}(${row.parameters})` : row.method,
					file: safe``,
					line: -1,
				},
				Math.max(room - marker.length - remark.length, 1),
				fullNames,
			)}${remark}`;
		},
	}),
];

declare module '../../query/types/query.js' {
	interface Query {
		/** Rows of the Traces view: methods (the default), the call tree, or a call tree for each thread. */
		readonly tracesBy?: 'method' | 'tree' | 'thread';
	}
}

const filterFields: FilterFields<TraceRow> = {text: titleOf, cpuMs: row => row.ownNs / 1e6, ticks: row => row.calls};

/** Returns the traced methods or their call tree in the window. In filters `cpu` is the own time, `ticks` the calls. */
export function queryTraces(snapshot: Snapshot, since: Snapshot | undefined, query: Query): ViewResult<TraceRow> {
	if (!snapshot.traces) {
		return {rows: [], allRows: 0};
	}

	const {traces} = snapshot;
	const filter = filterOf(query.filter);
	const isWanted = filter.terms && ((row: TraceRow) => passesFilter(filter, filterFields, row));
	if ((query.tracesBy ?? 'method') !== 'method') {
		const rows = treeRows(traces, since?.traces, query, isWanted);
		return {rows, allRows: isWanted ? treeRows(traces, since?.traces, query, undefined).length : rows.length};
	}

	const all = traceMethods(traces, since?.traces);
	return {
		rows: sortRows(isWanted ? all.filter(row => isWanted(row)) : all, traceColumns, query.sort),
		allRows: all.length,
		pending: traces.survey.unmatched.filter(({isLoaded}) => !isLoaded).map(({pattern}) => pattern),
	};
}

type Wanted = ((row: TraceRow) => boolean) | undefined;

/** The position of rows in the tree; `names`: the methods on the path to them. */
type Position = {
	readonly key: string;
	readonly parentKey?: string;
	readonly level: number;
	readonly thread?: Printable;
	readonly names: ReadonlySet<string>;
	readonly isAllOpen: boolean;
};

/** Returns the call tree as rows, each level sorted; with a filter, the rows that match and those above them. */
function treeRows(report: TraceReport, since: TraceReport | undefined, query: Query, isWanted: Wanted): TraceRow[] {
	const root = {key: 't', level: 0, names: new Set<string>(), isAllOpen: false};
	return query.tracesBy === 'thread'
		? sortRows<ThreadRow>(threadTrees(report, since).map(tree => threadRow(tree)), traceColumns, query.sort)
			.flatMap(row =>
				rowWithChildren(row, row.rows, query, isWanted, {
					...root,
					key: row.key,
					parentKey: row.key,
					level: 1,
					thread: row.thread,
				}))
		: rowsOf(traceTree(report, since), query, isWanted, root);
}

type ThreadRow = TraceRow & {readonly rows: readonly TraceTreeRow[]};

function threadRow({number, name, ...figures}: ThreadTree): ThreadRow {
	return {
		...figures,
		key: `t${number}`,
		id: -1,
		className: safe``,
		method: safe``,
		parameters: safe``,
		isOverloaded: false,
		thread: name,
		tree: {level: 0, hasChildren: figures.rows.length > 0},
	};
}

function rowsOf(treeRows: readonly TraceTreeRow[], query: Query, isWanted: Wanted, position: Position): TraceRow[] {
	const rows = treeRows.map(row => ({
		...row,
		key: `${position.key}-${row.node}`,
		parentKey: position.parentKey,
		thread: position.thread,
		tree: {level: position.level, hasChildren: row.children.length > 0},
	}));
	return sortRows<TraceTreeRow & TraceRow>(rows, traceColumns, query.sort).flatMap(row =>
		rowWithChildren(row, row.children, query, isWanted, {
			...position,
			parentKey: row.key,
			level: position.level + 1,
			names: new Set([...position.names, tracedMethodName(row)]),
		}));
}

function isShown(row: TraceRow, isWanted: Wanted): boolean {
	return isWanted === undefined || isWanted(row);
}

/** Returns a row and, if it is open, the rows below it. `position`: that of its children. */
function rowWithChildren(
	row: TraceRow,
	children: readonly TraceTreeRow[],
	query: Query,
	isWanted: Wanted,
	position: Position,
): TraceRow[] {
	const opening = query.tree?.opened?.get(row.key);
	// A method opens automatically unless the path to it is recursive: such a path has fewer names than levels.
	const levels = position.thread === undefined ? position.level : position.level - 1;
	const isAutoOpen = row.id >= 0 && position.names.size === levels;
	const isAllOpen = opening !== 'closed' && (position.isAllOpen || opening === 'all' || isWanted !== undefined);
	const isOpen = children.length > 0 && opening !== 'closed' && (opening !== undefined || isAllOpen || isAutoOpen);
	const rows = isOpen ? rowsOf(children, query, isWanted, {...position, isAllOpen}) : [];
	return rows.length > 0 || isShown(row, isWanted) ? [{...row, isOpen}, ...rows] : [];
}

/** A call of a whole trace. Times in nanoseconds. */
type TracedCall = {
	readonly method: number;
	readonly depth: number;
	/** From the start of the trace. */
	readonly atNs: number;
	readonly cumulativeNs: number;
	readonly ownNs: number;
	readonly isException: boolean;
};

/** Returns the calls of a trace in the order of their starts; a call whose end is missing ends with the trace. */
export function callsOf({actions, durationNs}: WholeTrace): TracedCall[] {
	const calls: Array<{-readonly [Name in keyof TracedCall]: TracedCall[Name]}> = [];
	const pending: number[] = [];
	const end = (atNs: number, isException: boolean) => {
		const index = pending.pop();
		if (index !== undefined) {
			const call = calls[index];
			const elapsedNs = atNs - call.atNs;
			call.cumulativeNs = elapsedNs;
			call.ownNs += elapsedNs;
			call.isException = isException;
			const caller = pending.at(-1);
			if (caller !== undefined) {
				calls[caller].ownNs -= elapsedNs;
			}
		}
	};

	for (const {kind, method, atNs} of actions) {
		if (kind === 'START') {
			pending.push(calls.push({
				method, depth: pending.length, atNs, cumulativeNs: 0, ownNs: 0, isException: false,
			}) - 1);
		} else {
			end(atNs, kind === 'EXCEPTION');
		}
	}

	while (pending.length > 0) {
		end(durationNs, false);
	}

	return calls;
}
