import type {Snapshot} from '../../model/snapshot.js';
import {nameWith} from '../../query/columns/names.js';
import {locationKey, locationName} from '../../query/counters/location.js';
import {mostOf} from '../../query/locks/contention-by-location.js';
import type {Query, Location} from '../../query/types/query.js';
import {sampledMs} from '../../query/counters/cpu-time.js';
import {type LineTable, type LineRow, countedLines} from '../../query/counted-lines.js';
import {leastMs, summaryQuery} from '../../query/summary/summary.js';
import {sortRows} from '../../query/columns/sort.js';
import {scopeOf} from '../../query/counters/scope.js';
import {filtered, type FilterFields} from '../../query/filter/filter.js';
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

/** Share below which a row is hidden: it would print as 0. */
const minPercent = 0.05;

/** Sorted by these figures, lines without own use are shown too: users look for callers, or for a name. */
const figuresShowingAll = ['total', 'total-ticks', 'name'] as const;

/** Returns the rows of the Lines view: lines that used CPU or, if almost none was used, lines where threads wait. */
export function querySummaryLines(snapshot: Snapshot, since: Snapshot | undefined, query: Query): LineTable {
	if (!query.summary) {
		return queryLines(snapshot, since, query);
	}

	const lineQuery = summaryQuery(snapshot, since, query);
	const isAll = query.filter !== '' || lineColumns.some(({id, sortFigures = []}) => id === query.sort.column && figuresShowingAll.some(figure => sortFigures.includes(figure)));
	const table = queryLines(snapshot, since, lineQuery, isAll ? undefined : row => row.selfTicks > 0 || row.selfPercent >= minPercent || row.contendingNow > 0);
	// The query is unchanged unless the program uses almost no CPU.
	if (lineQuery === query) {
		const isOrderedByHeat = query.sort.column === lineColumns[0].id && !query.sort.reverse;
		return {...table, finding: isOrderedByHeat ? calledText(table.rows) : undefined};
	}

	const quiet = sampledMs(snapshot, since) < leastMs ? 'No CPU use has been observed so far' : 'The program uses almost no CPU';
	return {
		...table, measure: lineQuery.unit === 'ticks' ? 'waiting' : lineQuery.unit, finding: `${quiet}: these are the lines where threads wait.`,
	};
}

/** Rows considered: nobody reads further down. */
const maxRows = 20;

/** Least share of the CPU time, in percent, that an own line must have called to be mentioned. */
const minCalledPercent = 50;

/** Cells of a location in a sentence. */
const locationRoom = 60;

/** Returns a sentence on the own line that called most of the hottest library rows; undefined if there is none. */
function calledText(rows: readonly LineRow[]): string | undefined {
	const percents = new Map<string, number>();
	const locations = new Map<string, Location>();
	for (const {own, selfPercent} of rows.slice(0, maxRows)) {
		if (own) {
			const key = locationKey(own, 'line');
			locations.set(key, own);
			percents.set(key, selfPercent + (percents.get(key) ?? 0));
		}
	}

	const [key, percent] = mostOf(percents) ?? ['', 0];
	return percent >= minCalledPercent ? `${Math.round(percent)}% is what ${nameWith(locations.get(key)!, [], locationRoom)} called; press a to count it there.` : undefined;
}
