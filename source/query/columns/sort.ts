import type {SortOrder} from '../types/query.js';

/** Returns an unformatted value of a row. Methods are bivariant, so columns of different rows may share an array. */
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
	return Number.isNaN(a) || Number.isNaN(b)
		? Number(Number.isNaN(b)) - Number(Number.isNaN(a))
		: (a < b ? -1 : Number(a > b));
}

/** Orders texts by code unit, the same in every locale. */
export function byText(a: string, b: string): number {
	return a < b ? -1 : Number(a > b);
}

/** Returns the rows sorted by a column (by default the first), then by key, so that equal rows do not jump. */
export function sortRows<Row extends {readonly key: string}>(
	rows: readonly Row[],
	columns: ReadonlyArray<Sortable<Row>>,
	order: SortOrder,
): Row[] {
	const {column: {sortBy}, sign} = columnOf(columns, order);
	return sortRowsBy(rows, sortBy, sign);
}

/** Returns the comparator of `sortRows`; equal rows are ordered by `tieBreaker`, by default the key. */
export function inOrder<Row extends {readonly key: string}>(
	columns: ReadonlyArray<Sortable<Row>>,
	order: SortOrder,
	tieBreaker?: (row: Row) => string,
): (a: Row, b: Row) => number {
	const {column: {sortBy}, sign} = columnOf(columns, order);
	return comparison(sortBy, sign, tieBreaker);
}

function columnOf<Row>(
	columns: ReadonlyArray<Sortable<Row>>,
	{column: wanted, reverse}: SortOrder,
): {readonly column: Sortable<Row>; readonly sign: number} {
	const column = columns.find(({id}) => id === wanted) ?? columns[0];
	return {column, sign: Boolean(column.ascending) === reverse ? -1 : 1};
}

function comparison<Row extends {readonly key: string}>(
	values: ReadonlyArray<ValueOf<Row>>,
	sign: number,
	tieBreaker = ({key}: Row) => key,
): (a: Row, b: Row) => number {
	return (a, b) => {
		for (const of of values) {
			const first = of(a);
			const second = of(b);
			const order = typeof first === 'number'
				? byNumber(first, second as number)
				: byText(first, second as string);
			if (order !== 0) {
				return sign * order;
			}
		}

		return byText(tieBreaker(a), tieBreaker(b));
	};
}

/** Mask of the low bits of a double that hold a row's index while figures are sorted; it bounds the number of rows. */
const rowMask = (2 ** 20) - 1;

/** Returns the rows sorted by the first value, ascending or (`sign` -1) descending, then by the others, then by key. */
export function sortRowsBy<Row extends {readonly key: string}>(
	rows: readonly Row[],
	values: ReadonlyArray<ValueOf<Row>>,
	sign: number,
): Row[] {
	const [first, ...others] = values;
	if (rows.length === 0 || rows.length > rowMask || typeof first(rows[0]) !== 'number') {
		return rows.toSorted(comparison(values, sign));
	}

	const figures = new Float64Array(rows.length);
	for (const [index, row] of rows.entries()) {
		const figure = first(row) as number;
		// With an index in its low bits, an infinite figure would become NaN.
		figures[index] = sign
			* (Number.isNaN(figure)
				? -Number.MAX_VALUE
				: Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, figure)));
	}

	const compareOthers = comparison(others, sign);
	const order = sortedIndexes(
		figures,
		(a, b) => (figures[a] < figures[b] ? -1 : Number(figures[a] > figures[b])) || compareOthers(rows[a], rows[b]),
	);
	return rows.map((_, index) => rows[order[index]]);
}

/** Returns the indexes of figures, ascending. Fast: only almost equal ones need the comparator, which takes indexes. */
function sortedIndexes(figures: Float64Array, compare: (a: number, b: number) => number): Int32Array {
	const tagged = new Float64Array(figures);
	const words = new Uint32Array(tagged.buffer);
	// The low half of a double comes first: Node's platforms are little-endian.
	for (let row = 0; row < figures.length; row++) {
		words[row * 2] = (words[row * 2] & ~rowMask) | row;
	}

	tagged.sort();
	const order = new Int32Array(figures.length);
	for (let index = 0; index < order.length; index++) {
		order[index] = words[index * 2] & rowMask;
	}

	const isAlmostEqual = (index: number) =>
		words[(index * 2) + 3] === words[(index * 2) + 1]
		&& ((words[(index * 2) + 2] ^ words[index * 2]) & ~rowMask) === 0;
	for (let from = 0, to = 1; from < order.length; from = to, to++) {
		while (to < order.length && isAlmostEqual(to - 1)) {
			to++;
		}

		if (to > from + 1) {
			order.subarray(from, to).sort(compare);
		}
	}

	return order;
}
