import {stateCode, threadStates} from '../../model/thread-state.js';
import type {Column} from '../../query/columns/column.js';
import type {Location, Query, StateTicks} from '../../query/types/query.js';
import type {CsvColumn} from './view.js';

/* What rows of all views have in common in files; docs/formats.md has the meaning of the keys. */

export function frameOf({className, method, file, line}: Location) {
	return {
		class: className, method, file, line,
	};
}

export function frameOrNull(location: Location | undefined) {
	return location ? frameOf(location) : null;
}

/** With own code first, what a row's own line called: a frame, null where it stood in its own. */
export function viaOf({via}: {readonly via?: Location}, {ownFirst}: Pick<Query, 'ownFirst'>) {
	return ownFirst ? {via: frameOrNull(via)} : {};
}

/** Rows as JSON, each when it is asked for. */
export function * rowsAsJson<Row>(rows: Iterable<Row>, objectOf: (row: Row) => object): Generator<string> {
	for (const row of rows) {
		yield JSON.stringify(objectOf(row));
	}
}

/** Ticks by state, the states of a live thread. */
export function statesOf(ticks: StateTicks) {
	return {
		RUNNABLE: ticks[stateCode.RUNNABLE], BLOCKED: ticks[stateCode.BLOCKED], WAITING: ticks[stateCode.WAITING], TIMED_WAITING: ticks[stateCode.TIMED_WAITING], IDLE: ticks[stateCode.IDLE],
	};
}

/** By the name of a column of CSV: the id of the column of the screen that has the value, or the value of a row. */
type Cells<Row> = Readonly<Record<string, string | CsvColumn<Row>['cell']>>;

/** The columns of a CSV file in their order, which is a contract: a new one goes last. */
export function csvOf<Row>(columns: ReadonlyArray<Column<Row>>, cells: Cells<NoInfer<Row>>): ReadonlyArray<CsvColumn<Row>> {
	return Object.entries(cells).map(([id, value]) => ({id, cell: typeof value === 'string' ? columns.find(column => column.id === value)!.file : value}));
}

export const locationCells: Cells<Location> = {
	class: row => row.className, method: row => row.method, file: row => row.file, line: row => row.line,
};

export const stateCells: Cells<{readonly states: StateTicks}> = Object.fromEntries(threadStates.map((state, code) => [state.toLowerCase(), (row: {readonly states: StateTicks}) => row.states[code]]));
