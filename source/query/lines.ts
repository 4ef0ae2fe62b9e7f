import type {Snapshot} from '../model/snapshot.js';
import type {FilterRow} from './filter/filter.js';
import {lineColumns} from './columns/line-columns.js';
import {placeName} from './facts/place.js';
import {scopeOf} from './facts/scope.js';
import {sortRows} from './columns/sort.js';
import {countedLines} from './lines/counted-lines.js';
import type {LineRow, LineTable, Query} from './types.js';

/**
Hot places (lines, methods or classes, as `query.by` says; with `query.ownFirst` those of the program's own code)
between `baseline` (undefined: the session's start) and `snapshot`, filtered and sorted. Samples without Java frames are
not in it. Rows with neither counted ticks nor CPU time are left out, and those without counted ticks when only blocked
or waiting samples count.
*/
export function queryLines(snapshot: Snapshot, baseline: Snapshot | undefined, query: Query): LineTable {
	const scope = scopeOf(snapshot, query);
	const {rows, ...whole} = countedLines(snapshot, baseline, query, scope);
	const shown = scope.filter.row ? matching(rows, scope.filter.row) : rows;
	return {rows: sortRows(shown, lineColumns, query.sort), allRows: rows.length, ...whole};
}

/** What a filter has left of some rows: the same while only their order is another. */
const matched = new WeakMap<readonly LineRow[], {readonly by: unknown; readonly rows: readonly LineRow[]}>();

function matching(rows: readonly LineRow[], matches: (row: FilterRow) => boolean): readonly LineRow[] {
	const known = matched.get(rows);
	if (known?.by === matches) {
		return known.rows;
	}

	const shown = rows.filter(row => matches(new LineFilterRow(row)));
	matched.set(rows, {by: matches, rows: shown});
	return shown;
}

/** Nobody asks for all of it. */
class LineFilterRow implements FilterRow {
	readonly #row: LineRow;

	constructor(row: LineRow) {
		this.#row = row;
	}

	get text(): string {
		const {via} = this.#row;
		return via ? `${placeName(this.#row)}\nvia ${placeName(via)}` : placeName(this.#row);
	}

	get percent(): number {
		return this.#row.selfPercent;
	}

	get totalPercent(): number {
		return this.#row.totalPercent;
	}

	get cpuMs(): number {
		return this.#row.selfCpuNs / 1e6;
	}

	get ticks(): number {
		return this.#row.selfTicks;
	}

	get totalTicks(): number {
		return this.#row.totalTicks;
	}

	get threads(): number {
		return this.#row.threadCount;
	}

	get blocked(): number {
		return this.#row.blockedNow;
	}

	get stuckS(): number {
		return this.#row.stuckMs / 1000;
	}
}
