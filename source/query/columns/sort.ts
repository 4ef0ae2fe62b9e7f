import type {SortOrder} from '../types.js';

/** What sorting needs to know of a column. */
export type Sortable<Row> = {
	readonly id: string;
	/** Whether the smallest comes first when the order is not reversed: names do, figures start with the highest. */
	readonly ascending?: boolean;
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

/**
The rows in the order of a column (the first column if there is none of that name); equal ones by key, so that rows do
not jump.
*/
export function sortRows<Row extends {readonly key: string}>(rows: readonly Row[], columns: ReadonlyArray<Sortable<Row>>, order: SortOrder): Row[] {
	const column = columns.find(({id}) => id === order.column) ?? columns[0];
	const sign = Boolean(column.ascending) === order.reverse ? -1 : 1;
	return [...rows].sort((a, b) => (sign * column.compare(a, b)) || byText(a.key, b.key));
}
