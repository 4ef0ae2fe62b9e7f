import type {SortOrder} from '../types/query.js';

/** A value of a row, as it is before anything formats it. */
export type ValueOf<Row> = {of(row: Row): string | number}['of'];

export type Sortable<Row> = {
	readonly id: string;
	/** Whether the smallest comes first when the order is not reversed: names do, figures start with the highest. */
	readonly ascending?: boolean;
	/** Rows are sorted by the first of these, those that are equal by the next. */
	readonly sortBy: ReadonlyArray<ValueOf<Row>>;
};

/** Orders figures upwards; what is not a number counts as lower than all. */
export function byNumber(a: number, b: number): number {
	return Number.isNaN(a) || Number.isNaN(b) ? Number(Number.isNaN(b)) - Number(Number.isNaN(a)) : (a < b ? -1 : Number(a > b));
}

/** Orders texts by code unit: the same on every machine and in every locale. */
export function byText(a: string, b: string): number {
	return a < b ? -1 : Number(a > b);
}

/** The rows in the order of a column, the first by default; equal ones by key, so that rows do not jump. */
export function sortRows<Row extends {readonly key: string}>(rows: readonly Row[], columns: ReadonlyArray<Sortable<Row>>, order: SortOrder): Row[] {
	const {column: {sortBy}, sign} = columnOf(columns, order);
	return sortRowsBy(rows, sortBy, sign);
}

/** The same order, for `Array.sort`; equal rows by what `lastOf` says. */
export function inOrder<Row extends {readonly key: string}>(columns: ReadonlyArray<Sortable<Row>>, order: SortOrder, lastOf?: (row: Row) => string): (a: Row, b: Row) => number {
	const {column: {sortBy}, sign} = columnOf(columns, order);
	return comparison(sortBy, sign, lastOf);
}

function columnOf<Row>(columns: ReadonlyArray<Sortable<Row>>, {column: wanted, reverse}: SortOrder): {readonly column: Sortable<Row>; readonly sign: number} {
	const column = columns.find(({id}) => id === wanted) ?? columns[0];
	return {column, sign: Boolean(column.ascending) === reverse ? -1 : 1};
}

function compareValues(a: string | number, b: string | number): number {
	return typeof a === 'number' ? byNumber(a, b as number) : byText(a, b as string);
}

function comparison<Row extends {readonly key: string}>(values: ReadonlyArray<ValueOf<Row>>, sign: number, lastOf = ({key}: Row) => key): (a: Row, b: Row) => number {
	return (a, b) => {
		for (const of of values) {
			const order = compareValues(of(a), of(b));
			if (order !== 0) {
				return sign * order;
			}
		}

		return byText(lastOf(a), lastOf(b));
	};
}

/** The rows by the first of some values, upwards or (`sign` -1) downwards, equal ones by the next, then by key. */
export function sortRowsBy<Row extends {readonly key: string}>(rows: readonly Row[], [first, ...others]: ReadonlyArray<ValueOf<Row>>, sign: number): Row[] {
	const compareOthers = comparison(others, sign);
	return rows
		.map(row => ({row, value: first(row)}))
		.sort((a, b) => sign * compareValues(a.value, b.value) || compareOthers(a.row, b.row))
		.map(({row}) => row);
}
