import type {Snapshot} from '../../model/snapshot.js';
import {nameWith} from '../../query/columns/names.js';
import {locationKey} from '../../query/counters/location.js';
import {mostOf} from '../../query/locks/contention-by-location.js';
import type {Query, Location} from '../../query/types/query.js';
import {sampledMs} from '../../query/counters/cpu-time.js';
import type {LineTable, LineRow} from '../../query/counted-lines.js';
import {leastMs, summaryQuery} from '../../query/summary/quiet.js';
import {queryLines} from './lines.js';
import {lineColumns} from './columns.js';

/** What a row is hidden for: it prints as nothing. */
const leastPercent = 0.05;

/** Who sorts by these looks for lines that others are called from, or for any line. */
const showingAll = ['total', 'total-ticks', 'name'] as const;

/** The rows of Lines as people see them: without lines that used nothing; where next to no CPU is used, where threads wait. */
export function querySummaryLines(snapshot: Snapshot, since: Snapshot | undefined, query: Query): LineTable {
	if (!query.summary) {
		return queryLines(snapshot, since, query);
	}

	const asked = summaryQuery(snapshot, since, query);
	const isAll = query.filter !== '' || lineColumns.some(({id, sortFigures = []}) => id === query.sort.column && showingAll.some(figure => sortFigures.includes(figure)));
	const table = queryLines(snapshot, since, asked, isAll ? undefined : row => row.selfTicks > 0 || row.selfPercent >= leastPercent || row.contendingNow > 0);
	if (asked === query) {
		const isOrderedByHeat = query.sort.column === lineColumns[0].id && !query.sort.reverse;
		return {...table, finding: isOrderedByHeat ? calledText(table.rows) : undefined};
	}

	const quiet = sampledMs(snapshot, since) < leastMs ? 'No CPU use has been seen so far' : 'The program uses next to no CPU';
	return {
		...table, measure: asked.unit === 'ticks' ? 'waiting' : asked.unit, finding: `${quiet}: these are the lines where threads wait.`,
	};
}

/** Rows looked at: nobody reads further down. */
const maxRows = 20;

/** A line that led to less of the CPU time than this, in percent, explains too little. */
const leastCalledPercent = 50;

/** Cells of a place in a sentence. */
const locationRoom = 60;

/** The own line that led to most of what the hottest rows are, where these are others' code; undefined for none. */
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
	return percent >= leastCalledPercent ? `${Math.round(percent)}% is what ${nameWith(locations.get(key)!, [], locationRoom)} called; press a to count it there.` : undefined;
}
