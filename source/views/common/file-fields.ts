import {stateCode, threadStates} from '../../model/thread-state.js';
import type {Column} from '../../query/columns/column.js';
import type {Location, Query, StateTicks} from '../../query/types/query.js';
import type {CsvColumn} from './view.js';

/* Fields of rows that several views write to files; docs/formats.md describes them. */

export function frameOf({className, method, file, line}: Location) {
	return {class: className, method, file, line};
}

export function frameOrNull(location: Location | undefined) {
	return location ? frameOf(location) : null;
}

/** Returns, with own code first, the field `via`: the library method that the row's own line called, null for none. */
export function viaOf({via}: {readonly via?: Location}, {ownFirst}: Pick<Query, 'ownFirst'>) {
	return ownFirst ? {via: frameOrNull(via)} : {};
}

/** Yields each row as JSON. */
export function * rowsAsJson<Row>(rows: Iterable<Row>, objectOf: (row: Row) => object): Generator<string> {
	for (const row of rows) {
		yield JSON.stringify(objectOf(row));
	}
}

/** Returns ticks by state, for the states of a live thread. */
export function statesOf(ticks: StateTicks) {
	return {
		RUNNABLE: ticks[stateCode.RUNNABLE],
		BLOCKED: ticks[stateCode.BLOCKED],
		WAITING: ticks[stateCode.WAITING],
		TIMED_WAITING: ticks[stateCode.TIMED_WAITING],
		IDLE: ticks[stateCode.IDLE],
	};
}

/** The cell of each CSV column, by its name: that of the screen's column with this id, or a function of the row. */
type Cells<Row> = Readonly<Record<string, string | CsvColumn<Row>['cell']>>;

/** Returns the columns of a CSV file. Their order is a contract: a new one goes last. */
export function csvOf<Row>(
	columns: ReadonlyArray<Column<Row>>,
	cells: Cells<NoInfer<Row>>,
): ReadonlyArray<CsvColumn<Row>> {
	return Object.entries(cells).map(([id, value]) => ({
		id,
		cell: typeof value === 'string' ? columns.find(column => column.id === value)!.exportValue : value,
	}));
}

export const csvCellsOfLocation: Cells<Location> = {
	class: row => row.className, method: row => row.method, file: row => row.file, line: row => row.line,
};

export const csvCellsOfStates: Cells<{readonly states: StateTicks}> = Object
	.fromEntries(threadStates.map((
		state,
		code,
	) => [state.toLowerCase(), (row: {readonly states: StateTicks}) => row.states[code]]));
