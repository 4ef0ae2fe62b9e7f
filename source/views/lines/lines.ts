import type {Snapshot} from '../../model/snapshot.js';
import {sortRows} from '../../query/columns/sort.js';
import {locationName} from '../../query/counters/location.js';
import {scopeOf} from '../../query/counters/scope.js';
import {filtered, type FilterFields} from '../../query/filter/filter.js';
import type {Query} from '../../query/types/query.js';
import {countedLines, type LineRow, type LineTable} from '../../query/counted-lines.js';
import {lineColumns} from './columns.js';

/** Returns lines, methods or classes with counted ticks or CPU time that pass `isWanted` and the filter, sorted. */
export function queryLines(snapshot: Snapshot, since: Snapshot | undefined, query: Query, isWanted?: (row: LineRow) => boolean): LineTable {
	const scope = scopeOf(snapshot, query);
	const {rows, ...whole} = countedLines(snapshot, since, query, scope);
	const matching = filtered(rows, scope.filter, filterFields);
	return {rows: sortRows(isWanted ? matching.filter(row => isWanted(row)) : matching, lineColumns, query.sort), allRows: rows.length, ...whole};
}

const filterFields: FilterFields<LineRow> = {
	text: row => row.via ? `${locationName(row)}\nvia ${locationName(row.via)}` : locationName(row),
	percent: row => row.selfPercent, totalPercent: row => row.totalPercent, cpuMs: row => row.selfCpuNs / 1e6, ticks: row => row.selfTicks,
	threads: row => row.threadCount, blocked: row => row.blockedNow, stuckS: row => row.stuckMs / 1000,
};
