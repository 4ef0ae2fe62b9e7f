import {cellWidth} from '../model/cell-width.js';
import {
	fitColumns, headingOf, type CellContext, type Column,
} from '../query/column.js';
import {effectiveUnit} from '../query/scope.js';
import type {Query, Unit} from '../query/types.js';
import {cut, dropCells, pad} from './cells.js';
import type {Layout} from './layout.js';
import type {Theme} from './theme.js';
import {sparkline, type Trend} from './trend.js';

/** What is drawn of a table. */
export type TableView<Row> = {
	readonly columns: ReadonlyArray<Column<Row>>;
	readonly rows: readonly Row[];
	/** First row drawn, and the one with the cursor (-1: none). */
	readonly top: number;
	readonly selected: number;
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

type Placed<Row> = ReadonlyArray<{readonly column: Column<Row>; readonly width: number}>;

/** Mark of the row with the cursor, for screens without colour. */
const cursorMark = '>';

/** Least room for the column that takes the rest, before others are left out. */
const minRestWidth = 10;

/** Columns with their widths: those of the terminal's breakpoint, fewer from the right where even those leave no room for the name. */
export function placeColumns<Row>(columns: ReadonlyArray<Column<Row>>, {columns: terminalColumns, width}: Layout): Placed<Row> {
	let left = columns.filter(({fromColumns}) => terminalColumns >= fromColumns);
	let placed = fitColumns(left, terminalColumns, width - 1);
	while (left.length > 1 && placed.some(({column, width: room}) => column.width === 0 && room < minRestWidth)) {
		left = left.toSpliced(left.findLastIndex(column => column.width > 0), 1);
		placed = fitColumns(left, terminalColumns, width - 1);
	}

	return placed;
}

/** Cells of the longest name that have no room: how far the table can be scrolled sideways. Names are looked at up to `most` cells beyond their room. */
export function overhang<Row>(rows: readonly Row[], placed: Placed<Row>, {unit, fullNames}: {unit: Unit; fullNames: boolean}, most: number): number {
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

/** The table's heading, with an arrow behind the sorted column's. */
export function headingLine<Row>(view: TableView<Row>, placed: Placed<Row>, {query, theme, layout}: DrawnTable): string {
	const unit = effectiveUnit(query);
	const cells = placed.map(({column, width}) => {
		const isSorted = column.id === query.sort.column;
		const name = headingOf(column, unit, query.by);
		const text = cut(isSorted && cellWidth(name) < width ? name + arrow(Boolean(column.ascending) !== query.sort.reverse, theme) : name, width);
		const hasCounts = column.width === 0 && cellWidth(text) + view.counts.length < width;
		const cell = hasCounts ? pad(text, width - view.counts.length) + view.counts : pad(text, width, column.align);
		return theme.paint(isSorted ? 'sorted' : 'heading', cell);
	});
	return layout.width > 0 ? ` ${cells.join(' ')}` : '';
}

function arrow(isAscending: boolean, theme: Theme): string {
	return theme.isAscii ? (isAscending ? '^' : 'v') : (isAscending ? '▲' : '▼');
}

/** The rows that fit, from the top; as many lines as there is room for. */
export function rowLines<Row extends {readonly key: string}>(view: TableView<Row>, placed: Placed<Row>, drawn: DrawnTable): string[] {
	const {rows, top, selected} = view;
	const lines = drawn.layout.tableRows;
	const shown = rows.slice(top, top + lines).map((row, index) => rowLine(row, top + index === selected, view, placed, drawn));
	return [...shown, ...Array.from({length: Math.max(0, lines - shown.length)}, () => '')];
}

function rowLine<Row extends {readonly key: string}>(row: Row, isSelected: boolean, view: TableView<Row>, placed: Placed<Row>, {query, theme, left, layout, trendOf}: DrawnTable): string {
	if (layout.width <= 0) {
		return '';
	}

	const unit = effectiveUnit(query);
	const isDim = view.isDim(row);
	const context = (room: number) => ({unit, fullNames: query.fullNames, room, trend: (key: string, cells: number) => sparkline(trendOf(key) ?? [], cells, theme.levels)});
	const cells = withRoomOfNote(row, placed, context(0)).map(({column, width}) => {
		const isRest = column.width === 0;
		const text = column.value(row, context(isRest && left > 0 ? width + left : width));
		const cell = pad(cut(isRest && left > 0 ? dropCells(text, left) : text, width), width, column.align);
		return isSelected || isDim ? cell : theme.paintCell(column.role?.(row), cell);
	});
	const line = `${isSelected ? cursorMark : ' '}${cells.join(' ')}`;
	return isSelected ? theme.paint('selected', line) : (isDim ? theme.paint('dim', line.trimEnd()) : line.trimEnd());
}

/** A name has the room of the note behind it where the row has none. */
function withRoomOfNote<Row>(row: Row, placed: Placed<Row>, context: CellContext): Placed<Row> {
	const note = placed.findIndex(({column}) => column.lendsRoom);
	const before = placed[note - 1];
	if (before?.column.width !== 0 || placed[note].column.value(row, context) !== '') {
		return placed;
	}

	return placed.toSpliced(note - 1, 2, {column: before.column, width: before.width + 1 + placed[note].width});
}
