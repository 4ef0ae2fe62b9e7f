import {stateCode, threadStates} from '../../model/thread-state.js';
import type {Column} from '../../query/columns/column.js';
import type {Location, Query, StateTicks} from '../../query/types/query.js';
import type {CsvColumn} from './view.js';

/* What several views write to files; docs/formats.md describes them. */

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
export function statesAsJson(ticks: StateTicks) {
	return {
		RUNNABLE: ticks[stateCode.RUNNABLE],
		BLOCKED: ticks[stateCode.BLOCKED],
		WAITING: ticks[stateCode.WAITING],
		TIMED_WAITING: ticks[stateCode.TIMED_WAITING],
		IDLE: ticks[stateCode.IDLE],
	};
}

/** The field of each CSV column, by its name: that of the screen's column with this id, or a function of the row. */
type CsvFields<Row> = Readonly<Record<string, string | CsvColumn<Row>['field']>>;

/** Returns the columns of a CSV file. Their order is a contract: a new one goes last. */
export function csvOf<Row>(
	columns: ReadonlyArray<Column<Row>>,
	fields: CsvFields<NoInfer<Row>>,
): ReadonlyArray<CsvColumn<Row>> {
	return Object.entries(fields).map(([id, value]) => ({
		id,
		field: typeof value === 'string' ? columns.find(column => column.id === value)!.exportValue : value,
	}));
}

export const csvFieldsOfLocation: CsvFields<Location> = {
	class: row => row.className, method: row => row.method, file: row => row.file, line: row => row.line,
};

export const csvFieldsOfStates: CsvFields<{readonly states: StateTicks}> = Object
	.fromEntries(threadStates.map((
		state,
		code,
	) => [state.toLowerCase(), (row: {readonly states: StateTicks}) => row.states[code]]));
