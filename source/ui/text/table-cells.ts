import {cellWidth} from '../../model/cell-width.js';
import {
	fitColumns, headingOf, type Column,
} from '../../query/columns/column.js';
import {effectiveUnit} from '../../query/facts/scope.js';
import type {Trend} from '../../query/past/trend.js';
import type {Query, Unit} from '../../query/types.js';
import type {Theme} from '../terminal/theme.js';
import {
	clip, cut, dropCells, fit, pad,
} from './cells.js';
import type {Layout} from './layout.js';
import {sparkline} from './trend.js';

/** What is drawn of a table. */
export type TableView<Row> = {
	/** At the right end of the heading's widest column. */
	readonly counts: string;
	/** Whether a row is drawn dim. */
	isDim(row: Row): boolean;
};

/** What a table is drawn with. */
export type DrawnTable = {
	readonly query: Query;
	readonly theme: Theme;
	/** Cells that the widest column is scrolled to the right. */
	readonly left: number;
	readonly layout: Layout;
	trendOf(key: string): Trend | undefined;
};

/** Columns and their widths. */
export type Placed<Row> = ReadonlyArray<{readonly column: Column<Row>; readonly width: number}>;

/** Mark of the row with the cursor, for screens without colour. */
const cursorMark = '>';

/** Least room for the column that takes the rest, before others are left out. */
const minRestWidth = 10;

/**
Columns with their widths: those of the terminal's breakpoint, fewer from the right where even those leave no room for
the name.
*/
export function placeColumns<Row>(columns: ReadonlyArray<Column<Row>>, {columns: terminalColumns, width}: Pick<Layout, 'columns' | 'width'>): Placed<Row> {
	let left = columns.filter(({fromColumns}) => terminalColumns >= fromColumns);
	let placed = fitColumns(left, terminalColumns, width - 1);
	while (left.length > 1 && placed.some(({column, width: room}) => column.width === 0 && room < minRestWidth)) {
		left = left.toSpliced(left.findLastIndex(column => column.width > 0), 1);
		placed = fitColumns(left, terminalColumns, width - 1);
	}

	return placed;
}

/**
Cells of the longest name that have no room: how far the table can be scrolled sideways. Names are looked at up to
`most` cells beyond their room.
*/
export function overhang<Row>(rows: Iterable<Row>, placed: Placed<Row>, {unit, fullNames}: {unit: Unit; fullNames: boolean}, most: number): number {
	const rest = placed.find(({column}) => column.width === 0);
	if (!rest) {
		return 0;
	}

	let longest = 0;
	for (const row of rows) {
		longest = Math.max(longest, cellWidth(rest.column.value(row, {unit, fullNames, room: rest.width + most})));
	}

	return longest - rest.width;
}

/** Cells of the terminal that each column has with the gap before it: none beyond the end of the line. */
export function widthsOf<Row>(placed: Placed<Row>, lineWidth: number): number[] {
	let left = lineWidth;
	return placed.map(({width}) => {
		const own = Math.min(width + 1, left);
		left -= own;
		return own;
	});
}

/** The heading's cells, with an arrow behind the sorted column's. */
export function headingCells<Row>(view: TableView<Row>, placed: Placed<Row>, {query, theme, layout}: DrawnTable): string[] {
	const unit = effectiveUnit(query);
	return finished(placed.map(({column, width}) => {
		const isSorted = column.id === query.sort.column;
		const name = headingOf(column, unit, query.by);
		const text = cut(isSorted && cellWidth(name) < width ? name + arrow(Boolean(column.ascending) !== query.sort.reverse, theme) : name, width);
		const hasCounts = column.width === 0 && cellWidth(text) + view.counts.length < width;
		const cell = hasCounts ? pad(text, width - view.counts.length) + view.counts : pad(text, width, column.align);
		return gap + theme.paint(isSorted ? 'sorted' : 'heading', cell);
	}), placed, layout, theme);
}

/** What stands before each cell; the cursor's mark takes its place in the first. */
const gap = ' ';

function arrow(isAscending: boolean, theme: Theme): string {
	return theme.isAscii ? (isAscending ? '^' : 'v') : (isAscending ? '▲' : '▼');
}

/**
The cells of a row. A text may be longer than its cell where the next one has room to lend: a name has that of a note that
is short or not there.
*/
export function rowCells<Row extends {readonly key: string}>(row: Row, isSelected: boolean, view: TableView<Row>, placed: Placed<Row>, drawn: DrawnTable): string[] {
	const {query: {fullNames}, theme, left, layout, trendOf} = drawn;
	const unit = effectiveUnit(drawn.query);
	const isDim = view.isDim(row);
	const trend = (key: string, cells: number) => sparkline(trendOf(key)?.slice(-cells) ?? [], theme.levels).padStart(cells);
	const painted = (column: Column<Row>, cell: string) => isSelected || isDim ? cell : theme.paintCell(column.role?.(row), cell);
	const cells: string[] = [];
	// The last cell that is not blank.
	let end = -1;
	for (let index = 0; index < placed.length; index++) {
		const {column, width} = placed[index];
		if (index > 0 && column.lendsRoom) {
			cells.push('');
			continue;
		}

		// What a column has lent stands behind what took it, in one cell.
		const lender = placed[index + 1]?.column.lendsRoom ? placed[index + 1] : undefined;
		const lent = lender
			? cut(lender.column.value(row, {
				unit, fullNames, room: lender.width, trend,
			}), lender.width)
			: '';
		const room = width + (lender ? gap.length + lender.width : 0) - (lent === '' ? 0 : gap.length + cellWidth(lent));
		const isScrolled = column.width === 0 && left > 0;
		const text = column.value(row, {
			unit, fullNames, room: isScrolled ? room + left : room, trend,
		});
		const cell = fit(isScrolled ? dropCells(text, left) : text, room, column.align);
		if (cell.trim() !== '' || lent.trim() !== '') {
			end = index;
		}

		cells.push((index === 0 && isSelected ? cursorMark : gap) + painted(column, cell) + (lender && lent !== '' ? gap + painted(lender.column, lent) : ''));
	}

	// Below the cursor a row is painted up to its end, others have nothing behind their last text.
	if (!isSelected) {
		cells.fill('', end + 1);
		if (end >= 0) {
			cells[end] = cells[end].trimEnd();
		}
	}

	const role = isSelected ? 'selected' : (isDim ? 'dim' : undefined);
	return finished(role ? cells.map(text => theme.paint(role, text)) : cells, placed, layout, theme);
}

/** Texts without what lies beyond the end of the line, on screens that have no room for all of them. */
function finished<Row>(texts: readonly string[], placed: Placed<Row>, {width: lineWidth}: Layout, theme: Theme): string[] {
	let at = 0;
	const lines: string[] = [];
	const {length} = texts;
	for (let index = 0; index < length; index++) {
		const from = at;
		at += placed[index].width + 1;
		const text = theme.finish(texts[index]);
		// No text is longer than its cell, or than that and the one that it has room of.
		const end = at + (placed[index + 1]?.column.lendsRoom ? placed[index + 1].width + 1 : 0);
		lines.push(end <= lineWidth ? text : clip(text, Math.max(0, lineWidth - from)));
	}

	return lines;
}
