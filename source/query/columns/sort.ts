import type {SortOrder} from '../types/rows.js';
import {orderOf} from './radix-order.js';

/** A figure of a row. */
type Figure<Row> = {of(row: Row): number};

/** What sorting needs to know of a column. */
export type Sortable<Row> = {
	readonly id: string;
	/** Whether the smallest comes first when the order is not reversed: names do, figures start with the highest. */
	readonly ascending?: boolean;
	/** The figures that `compare` looks at first, in their order: very many rows are sorted by them in less time. */
	readonly figures?: ReadonlyArray<Figure<Row>>;
	/** Ascending order; figures by `byNumber`, texts by `byText`. */
	compare(a: Row, b: Row): number;
};

/** Orders figures upwards; what is not a number counts as lower than all. */
export function byNumber(a: number, b: number): number {
	return Number.isNaN(a) || Number.isNaN(b) ? Number(Number.isNaN(b)) - Number(Number.isNaN(a)) : (a < b ? -1 : Number(a > b));
}

/** Orders texts by code unit: the same on every machine, whatever its language. */
export function byText(a: string, b: string): number {
	return a < b ? -1 : Number(a > b);
}

/** Sorting by figures: by the first, those that are equal by the next. */
export function byFigures<Row>(...figures: ReadonlyArray<Figure<Row>['of']>): Required<Pick<Sortable<Row>, 'figures' | 'compare'>> {
	return {
		figures: figures.map(of => ({of})),
		compare(a, b) {
			for (const of of figures) {
				const order = byNumber(of(a), of(b));
				if (order !== 0) {
					return order;
				}
			}

			return 0;
		},
	};
}

/** Lists in the order asked for last: the other way round they need no sorting. */
const sortedLast = new WeakMap<readonly object[], {readonly column: unknown; readonly isAscending: boolean; readonly rows: readonly object[]}>();

/**
The rows in the order of a column (the first column if there is none of that name); equal ones by key, so that rows do
not jump.
*/
export function sortRows<Row extends {readonly key: string}>(rows: readonly Row[], columns: ReadonlyArray<Sortable<Row>>, order: SortOrder): readonly Row[] {
	const {column, isAscending} = columnOf(columns, order);
	const last = sortedLast.get(rows);
	const sorted = last?.column === column
		? (last.isAscending === isAscending ? last.rows as readonly Row[] : turned(last.rows as readonly Row[], column))
		: sortedBy(rows, column, isAscending ? 1 : -1);
	sortedLast.set(rows, {column, isAscending, rows: sorted});
	return sorted;
}

/** The same order, for `Array.sort`. */
export function inOrder<Row extends {readonly key: string}>(columns: ReadonlyArray<Sortable<Row>>, order: SortOrder): (a: Row, b: Row) => number {
	const {column, isAscending} = columnOf(columns, order);
	return comparison(column, isAscending ? 1 : -1);
}

function columnOf<Row>(columns: ReadonlyArray<Sortable<Row>>, {column: wanted, reverse}: SortOrder): {readonly column: Sortable<Row>; readonly isAscending: boolean} {
	const column = columns.find(({id}) => id === wanted) ?? columns[0];
	return {column, isAscending: Boolean(column.ascending) !== reverse};
}

function comparison<Row extends {readonly key: string}>(column: Sortable<Row>, sign: number): (a: Row, b: Row) => number {
	return (a, b) => (sign * column.compare(a, b)) || byText(a.key, b.key);
}

function sortedBy<Row extends {readonly key: string}>(rows: readonly Row[], column: Sortable<Row>, sign: number): Row[] {
	return sortByFigures(rows, column.figures ?? [], sign, comparison(column, sign));
}

/** Sorted rows the other way round; equal ones stay in the order of their keys. */
function turned<Row>(sorted: readonly Row[], {compare}: Sortable<Row>): Row[] {
	const rows: Row[] = [];
	for (let end = sorted.length; end > 0;) {
		let from = end - 1;
		while (from > 0 && compare(sorted[from - 1], sorted[from]) === 0) {
			from--;
		}

		for (let index = from; index < end; index++) {
			rows.push(sorted[index]);
		}

		end = from;
	}

	return rows;
}

/** From so many rows on, numbers are sorted instead of rows. */
const manyRows = 500;

/**
The rows by the first of some figures, upwards or (`sign` -1) downwards, those that are equal by the next, and by
`compare` in the end, which must begin with the same figures in the same direction.
*/
export function sortByFigures<Row>(rows: readonly Row[], [first, ...others]: ReadonlyArray<Figure<Row>>, sign: number, compare: (a: Row, b: Row) => number): Row[] {
	if (!first) {
		return [...rows].sort(compare);
	}

	const figures = new Float64Array(rows.length);
	const indexes: number[] = [];
	const isFew = rows.length < manyRows;
	for (let index = 0; index < figures.length; index++) {
		// Lower than all, as byNumber has it.
		const figure = first.of(rows[index]);
		figures[index] = sign * (Number.isNaN(figure) ? -Infinity : figure);
		if (isFew) {
			indexes.push(index);
		}
	}

	if (isFew) {
		return indexes.sort((a, b) => figures[a] - figures[b] || compare(rows[a], rows[b])).map(index => rows[index]);
	}

	const order = orderOf(figures);
	const placed = [...rows];
	for (let at = 0; at < placed.length; at++) {
		placed[at] = rows[order[at]];
	}

	for (let from = 0, end = 1; from < placed.length; from = end, end++) {
		while (end < placed.length && figures[order[end]] === figures[order[from]]) {
			end++;
		}

		if (end - from > 1) {
			const same = sortByFigures(placed.slice(from, end), others, sign, compare);
			for (const [index, row] of same.entries()) {
				placed[from + index] = row;
			}
		}
	}

	return placed;
}
