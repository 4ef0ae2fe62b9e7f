import type {TraceReport} from '../../model/trace-report.js';
import {sortRows} from '../columns/sort.js';
import type {Query} from '../types/rows.js';
import {traceColumns} from './columns.js';
import {
	nameOf, traceTree, type TraceRow, type TraceTreeRow,
} from './methods.js';
import {threadTrees, type ThreadTree} from './threads.js';

type Wanted = ((row: TraceRow) => boolean) | undefined;

/** Where rows are hung into the tree. */
type Above = {readonly key: string; readonly parentKey?: string; readonly level: number; readonly thread?: string; readonly names: ReadonlySet<string>; readonly isAllOpen: boolean};

/**
The tree of calls as rows, each level sorted as the query says: all of it, but for what a method called from itself
again, and the trees of threads, which are open when the user says so. With a filter: rows that fit, and what they hang
from.
*/
export function treeRows(report: TraceReport, since: TraceReport | undefined, query: Query, isWanted: Wanted): TraceRow[] {
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

/** The row, and those below it where it is open. */
function below(row: TraceRow, children: readonly TraceTreeRow[], query: Query, isWanted: Wanted, above: Above): TraceRow[] {
	const said = query.tree?.opened?.get(row.key);
	const opensItself = row.id >= 0 && above.names.size === above.level - (above.thread === undefined ? 0 : 1);
	const isAllOpen = said !== 'closed' && (above.isAllOpen || said === 'all' || isWanted !== undefined);
	const isOpen = children.length > 0 && said !== 'closed' && (said !== undefined || isAllOpen || opensItself);
	const rows = isOpen ? rowsOf(children, query, isWanted, {...above, isAllOpen}) : [];
	return rows.length > 0 || !isWanted || isWanted(row) ? [{...row, isOpen}, ...rows] : [];
}
