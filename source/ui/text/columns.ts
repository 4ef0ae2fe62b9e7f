import {cellWidth} from '../../model/cell-width.js';
import {fitColumns, type Column} from '../../query/columns/column.js';
import type {Unit} from '../../query/types/query.js';
import {viewOf} from '../../views/registry.js';
import type {ViewRow} from '../../views/common/view.js';
import type {Layout} from './layout.js';

export type Placed<Row> = ReadonlyArray<{readonly column: Column<Row>; readonly width: number}>;

/** Width of the name below which other columns are left out. */
const minRestWidth = 10;

/** Returns the columns that may be shown: all of the view, or the user's choice at any width; always with the name. */
export function columnsOf(viewId: string, chosen: Readonly<Record<string, readonly string[]>>): ReadonlyArray<Column<ViewRow>> {
	const {columns} = viewOf(viewId);
	const ids = chosen[viewId];
	if (ids === undefined) {
		return columns;
	}

	const known = ids.flatMap(id => columns.find(column => column.id === id) ?? []);
	const rest = known.some(({width}) => width === 0) ? [] : columns.filter(({width}) => width === 0);
	return [...known, ...rest].map(column => ({...column, fromColumns: 0}));
}

/** Returns columns with their widths, omitting some from the right until the name has room. A gap precedes each. */
export function placeColumns<Row>(columns: ReadonlyArray<Column<Row>>, {columns: terminalColumns, width}: Pick<Layout, 'columns' | 'width'>): Placed<Row> {
	let kept = columns.filter(({fromColumns}) => terminalColumns >= fromColumns);
	let placed = fitColumns(kept, terminalColumns, width - 1);
	while (kept.length > 1 && placed.some(({column, width: room}) => column.width === 0 && room < minRestWidth)) {
		kept = kept.toSpliced(kept.findLastIndex(column => column.width > 0), 1);
		placed = fitColumns(kept, terminalColumns, width - 1);
	}

	return placed;
}

/** Returns the id of the column at a cell of a line, each with the gap before it; undefined if there is none. */
export function columnAt<Row>(placed: Placed<Row>, lineWidth: number, cell: number): string | undefined {
	let end = 0;
	return placed.find(({width}) => {
		end = Math.min(lineWidth, end + width + 1);
		return cell < end;
	})?.column.id;
}

/** Returns the cells by which the longest name exceeds its room, at most `max`: how far the table scrolls sideways. */
export function overhang<Row>(rows: Iterable<Row>, placed: Placed<Row>, {unit, fullNames}: {unit: Unit; fullNames: boolean}, max: number): number {
	const rest = placed.find(({column}) => column.width === 0);
	if (!rest) {
		return 0;
	}

	let longest = 0;
	for (const row of rows) {
		longest = Math.max(longest, cellWidth(rest.column.value(row, {unit, fullNames, room: rest.width + max})));
	}

	return longest - rest.width;
}
