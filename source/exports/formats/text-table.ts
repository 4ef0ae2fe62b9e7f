import {cellWidth} from '../../model/cell-width.js';
import {fitColumns, headingOf, type Column} from '../../query/columns/column.js';
import type {Unit} from '../../query/types.js';

/**
A heading and a line for each row, of the columns that the width has room for; no line wider than `width` terminal
cells, none with spaces at its end. Names are full where they fit.
*/
export function textTable<Row>(columns: ReadonlyArray<Column<Row>>, rows: readonly Row[], {width, unit}: {readonly width: number; readonly unit: Unit}): string[] {
	const fitted = fitColumns(columns, width);
	const lineOf = (cell: (column: Column<Row>, room: number) => string) =>
		fitted.map(({column, width: room}) => padded(cell(column, room), room, column.align)).join(' ').trimEnd();
	return [
		lineOf(column => headingOf(column, unit)),
		...rows.map(row => lineOf((column, room) => column.value(row, {unit, fullNames: true, room}))),
	];
}

function padded(text: string, width: number, align: 'left' | 'right'): string {
	const cut = cutEnd(text, width);
	const space = ' '.repeat(Math.max(width - cellWidth(cut), 0));
	return align === 'left' ? cut + space : space + cut;
}

/** The text cut to so many terminal cells, with an ellipsis where something is missing. */
export function cutEnd(text: string, room: number): string {
	if (cellWidth(text) <= room) {
		return text;
	}

	let kept = '';
	for (const character of text) {
		if (cellWidth(kept + character) > room - 1) {
			break;
		}

		kept += character;
	}

	return room > 0 ? `${kept}…` : '';
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
