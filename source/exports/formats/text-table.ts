import {cellWidth, cut, pad} from '../../model/cell-width.js';
import {fitColumns, headingOf, type Column} from '../../query/columns/column.js';
import type {GroupBy, Unit} from '../../query/types.js';

/**
A heading and a line for each row, of the columns that the width has room for; no line wider than `width` terminal
cells, none with spaces at its end. Names are full where they fit.
*/
export function textTable<Row>(columns: ReadonlyArray<Column<Row>>, rows: readonly Row[], {width, unit, by}: {readonly width: number; readonly unit: Unit; readonly by: GroupBy}): string[] {
	const fitted = fitColumns(columns, width);
	const lineOf = (cell: (column: Column<Row>, room: number) => string) =>
		fitted.map(({column, width: room}) => pad(cut(cell(column, room), room), room, column.align)).join(' ').trimEnd();
	return [
		lineOf(column => headingOf(column, unit, by)),
		...rows.map(row => lineOf((column, room) => column.value(row, {unit, fullNames: true, room}))),
	];
}

/**
The text in lines of at most so many terminal cells, broken at the separator; all but the first begin with the indent. A
part that is longer than a line stays whole.
*/
export function wrapAt(separator: string, text: string, room: number, indent = ''): string[] {
	const [first, ...parts] = text.split(separator);
	const lines = [first];
	for (const part of parts) {
		const longer = lines.at(-1)! + separator + part;
		if (cellWidth(longer) > room) {
			lines.push(indent + part);
		} else {
			lines[lines.length - 1] = longer;
		}
	}

	return lines;
}
