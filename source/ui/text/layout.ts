import type {Size} from '../terminal/terminal.js';
import {cellWidth} from '../../model/cell-width.js';
import {fitColumns, type Column} from '../../query/columns/column.js';
import type {Unit} from '../../query/types/query.js';
import {viewOf} from '../../views/registry.js';
import type {ViewRow} from '../../views/common/view.js';

export type Layout = {
	/** Cells of a line: one less than the screen's, so that no line wraps. */
	readonly width: number;
	/** Columns of the terminal, to which `fromColumns` of the table's columns refers. */
	readonly columns: number;
	readonly header: 'full' | 'line' | 'none';
	readonly hasTabs: boolean;
	readonly findingLines: number;
	readonly hasHeading: boolean;
	/** Whether there is room for the prompt or message, and the keys. */
	readonly hasFooter: boolean;
	readonly footerLines: number;
	/** Lines of the view's remark above the table's heading. */
	readonly aboveLines: number;
	readonly timeLines: number;
	readonly paneLines: number;
	readonly tableRows: number;
	/** Lines of a layer over the table, its title included. */
	readonly layerLines: number;
};

/** Lines that parts of the screen need; `above`: the view's remark; `isPast`: it needs a time line. */
type Wanted = {readonly footer: number; readonly findings: number; readonly firstFinding: number; readonly above: number; readonly isPast: boolean; readonly hasPane: boolean};

/** Least heights of the screen, in rows, at which parts are shown. */
const fullHeaderRows = 16;
const footerRows = 8;
const headerRows = 5;
const tabRows = 6;
const headingRows = 4;
const paneRows = 40;

/** Most lines of findings, by the least height of the screen. */
const findingRows = [{rows: 40, lines: 5}, {rows: 30, lines: 3}, {rows: fullHeaderRows, lines: 1}] as const;

/** From this height on the first finding may have two lines: who holds a lock, and where, is at its end. */
const firstFindingRows = 24;

/** Lines of the time line, by the least height of the screen. */
const timeLineRows = [{rows: 20, lines: 3}, {rows: fullHeaderRows, lines: 2}] as const;

const headerLines = {full: 3, line: 1, none: 0} as const;

/** Returns how many of a layer's lines fit between its title and, if not all fit, the line that says so. */
export function layerRoom({layerLines, hasHeading, hasFooter}: Pick<Layout, 'layerLines' | 'hasHeading' | 'hasFooter'>, lines: number): number {
	const room = Math.max(0, layerLines - (hasHeading ? 1 : 0));
	return Math.max(0, lines > room && hasFooter ? room - 1 : room);
}

/** Divides up the screen: a message gets at most half of the middle, the view's remark a quarter of the rest. */
export function layoutOf({columns, rows}: Size, {footer, findings, firstFinding, above, isPast, hasPane}: Wanted): Layout {
	const linesAt = (choices: ReadonlyArray<{readonly rows: number; readonly lines: number}>) => choices.find(choice => rows >= choice.rows)?.lines ?? 0;
	const header = rows >= fullHeaderRows ? 'full' : (rows >= headerRows ? 'line' : 'none');
	const hasFooter = rows >= footerRows;
	const hasHeading = rows >= headingRows;
	const findingLines = Math.min(findings, Math.max(linesAt(findingRows), rows >= firstFindingRows ? Math.min(firstFinding, 2) : 0));
	const timeLines = isPast ? linesAt(timeLineRows) : 0;
	const hasTabs = rows >= tabRows;
	const between = rows - headerLines[header] - findingLines - (hasTabs ? 1 : 0) - timeLines;
	const footerLines = hasFooter ? Math.max(1, Math.min(footer, Math.floor(between / 2))) : 0;
	const layerLines = between - footerLines;
	const aboveLines = Math.min(above, Math.floor(layerLines / 4));
	const paneLines = hasPane && rows >= paneRows ? Math.floor(layerLines * 0.4) : 0;
	return {
		width: columns - 1,
		columns,
		header,
		hasTabs,
		findingLines,
		hasHeading,
		hasFooter,
		footerLines,
		timeLines,
		aboveLines,
		paneLines,
		tableRows: Math.max(0, layerLines - aboveLines - (hasHeading ? 1 : 0) - paneLines),
		layerLines: Math.max(0, layerLines),
	};
}

export type PlacedColumns<Row> = ReadonlyArray<{readonly column: Column<Row>; readonly width: number}>;

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
export function placeColumns<Row>(columns: ReadonlyArray<Column<Row>>, {columns: terminalColumns, width}: Pick<Layout, 'columns' | 'width'>): PlacedColumns<Row> {
	let kept = columns.filter(({fromColumns}) => terminalColumns >= fromColumns);
	let placed = fitColumns(kept, terminalColumns, width - 1);
	while (kept.length > 1 && placed.some(({column, width: room}) => column.width === 0 && room < minRestWidth)) {
		kept = kept.toSpliced(kept.findLastIndex(column => column.width > 0), 1);
		placed = fitColumns(kept, terminalColumns, width - 1);
	}

	return placed;
}

/** Returns the id of the column at a cell of a line, each with the gap before it; undefined if there is none. */
export function columnAt<Row>(placed: PlacedColumns<Row>, lineWidth: number, cell: number): string | undefined {
	let end = 0;
	return placed.find(({width}) => {
		end = Math.min(lineWidth, end + width + 1);
		return cell < end;
	})?.column.id;
}

/** Returns the cells by which the longest name exceeds its room, at most `max`: how far the table scrolls sideways. */
export function overhang<Row>(rows: Iterable<Row>, placed: PlacedColumns<Row>, {unit, fullNames}: {unit: Unit; fullNames: boolean}, max: number): number {
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
