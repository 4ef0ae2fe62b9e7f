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

/** The low bits of a double, which stand for a row while figures are sorted: more rows are not sorted so. */
const rowBits = (2 ** 20) - 1;

/** The rows by the first of some values, upwards or (`sign` -1) downwards, equal ones by the next, then by key. */
export function sortRowsBy<Row extends {readonly key: string}>(rows: readonly Row[], values: ReadonlyArray<ValueOf<Row>>, sign: number): Row[] {
	const [first, ...others] = values;
	if (rows.length === 0 || rows.length > rowBits || typeof first(rows[0]) !== 'number') {
		return rows.toSorted(comparison(values, sign));
	}

	const figures = new Float64Array(rows.length);
	for (const [index, row] of rows.entries()) {
		const figure = first(row) as number;
		figures[index] = sign * (Number.isNaN(figure) ? -Infinity : figure);
	}

	const compareOthers = comparison(others, sign);
	return nearlyInOrder(figures)
		.sort((a, b) => (figures[a] < figures[b] ? -1 : Number(figures[a] > figures[b])) || compareOthers(rows[a], rows[b]))
		.map(row => rows[row]);
}

/** The indexes of figures, upwards, but for those that are almost equal. It is fast, as nothing is called for each pair. */
function nearlyInOrder(figures: Float64Array): number[] {
	const marked = new Float64Array(figures);
	const words = new Uint32Array(marked.buffer);
	// The low half of a double comes first on every machine that Node runs on.
	for (let row = 0; row < figures.length; row++) {
		words[row * 2] = (words[row * 2] & ~rowBits) | row;
	}

	marked.sort();
	const order: number[] = [];
	for (let place = 0; place < figures.length; place++) {
		order.push(words[place * 2] & rowBits);
	}

	return order;
}
