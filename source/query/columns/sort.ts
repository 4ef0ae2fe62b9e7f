import type {SortOrder} from '../types/query.js';

/** Returns an unformatted value of a row. A method's type: columns of different rows may share an array. */
export type ValueOf<Row> = {of(row: Row): string | number}['of'];

export type Sortable<Row> = {
	readonly id: string;
	/** Whether the default order is ascending, as for names; figures start with the highest. */
	readonly ascending?: boolean;
	/** Rows are sorted by the first value, equal ones by the next. */
	readonly sortBy: ReadonlyArray<ValueOf<Row>>;
};

/** Orders numbers ascending; NaN comes first. */
export function byNumber(a: number, b: number): number {
	return Number.isNaN(a) || Number.isNaN(b) ? Number(Number.isNaN(b)) - Number(Number.isNaN(a)) : (a < b ? -1 : Number(a > b));
}

/** Orders texts by code unit, the same in every locale. */
export function byText(a: string, b: string): number {
	return a < b ? -1 : Number(a > b);
}

/** Returns the rows sorted by a column (by default the first), then by key, so that equal rows do not jump. */
export function sortRows<Row extends {readonly key: string}>(rows: readonly Row[], columns: ReadonlyArray<Sortable<Row>>, order: SortOrder): Row[] {
	const {column: {sortBy}, sign} = columnOf(columns, order);
	return sortRowsBy(rows, sortBy, sign);
}

/** Returns the comparator of `sortRows`; equal rows are ordered by `tieBreaker`, by default the key. */
export function inOrder<Row extends {readonly key: string}>(columns: ReadonlyArray<Sortable<Row>>, order: SortOrder, tieBreaker?: (row: Row) => string): (a: Row, b: Row) => number {
	const {column: {sortBy}, sign} = columnOf(columns, order);
	return comparison(sortBy, sign, tieBreaker);
}

function columnOf<Row>(columns: ReadonlyArray<Sortable<Row>>, {column: wanted, reverse}: SortOrder): {readonly column: Sortable<Row>; readonly sign: number} {
	const column = columns.find(({id}) => id === wanted) ?? columns[0];
	return {column, sign: Boolean(column.ascending) === reverse ? -1 : 1};
}

function compareValues(a: string | number, b: string | number): number {
	return typeof a === 'number' ? byNumber(a, b as number) : byText(a, b as string);
}

function comparison<Row extends {readonly key: string}>(values: ReadonlyArray<ValueOf<Row>>, sign: number, tieBreaker = ({key}: Row) => key): (a: Row, b: Row) => number {
	return (a, b) => {
		for (const of of values) {
			const order = compareValues(of(a), of(b));
			if (order !== 0) {
				return sign * order;
			}
		}

		return byText(tieBreaker(a), tieBreaker(b));
	};
}

/** Returns the rows sorted by the first value, ascending or (`sign` -1) descending, then by the others, then by key. */
export function sortRowsBy<Row extends {readonly key: string}>(rows: readonly Row[], [first, ...others]: ReadonlyArray<ValueOf<Row>>, sign: number): Row[] {
	// Read once, as some are computed.
	const firstValues = rows.map(row => first(row));
	const compareOthers = comparison(others, sign);
	const order = [...rows.keys()].sort((a, b) => sign * compareValues(firstValues[a], firstValues[b]) || compareOthers(rows[a], rows[b]));
	return order.map(index => rows[index]);
}
