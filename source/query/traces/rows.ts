import type {Snapshot} from '../../model/snapshot.js';
import {sortRows} from '../columns/sort.js';
import {filterOf, isShown, type FilterFields} from '../filter/filter.js';
import type {Query} from '../types/rows.js';
import {traceColumns} from './columns.js';
import {titleOf, traceMethods, type TraceRow} from './methods.js';
import {treeRows} from './tree-rows.js';

const filterFields: FilterFields<TraceRow> = {text: titleOf, cpuMs: row => row.ownNs / 1e6, ticks: row => row.calls};

/**
The traced methods, or the tree of their calls, between `baseline` (undefined: since they were woven) and `snapshot`, filtered and sorted; none while
nothing is traced. Of a filter's figures `cpu` is the own time and `ticks` the calls.
*/
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
