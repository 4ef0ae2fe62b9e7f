import type {Size} from '../terminal/terminal.js';
import {cellWidth} from '../../util/cell-width.js';
import {fitColumns, isFlexible, type CellContext, type Column, type FittedColumns} from '../../query/columns/column.js';
import type {Query} from '../../query/types/query.js';
import {viewOf} from '../../views/view-registry.js';
import type {ViewRow} from '../../views/common/view.js';

/** How many lines each part of the screen gets. */
export type Layout = {
	/** Cells of a line: one less than the screen's, so that no line wraps. */
	readonly width: number;
	/** Width of the terminal, to which `fromColumns` of the table's columns refers. */
	readonly columns: number;
	readonly header: 'full' | 'line' | 'none';
	readonly hasTabs: boolean;
	readonly findingLines: number;
	readonly hasHeading: boolean;
	/** Whether there is room for the prompt or message, and the keys. */
	readonly hasFooter: boolean;
	readonly footerLines: number;
	/** Lines of the view's caption, above the table's heading. */
	readonly captionLines: number;
	readonly timeLines: number;
	/** Lines of the selected row's detail below the table. */
	readonly paneLines: number;
	readonly tableRows: number;
	/** Lines of a layer over the table, its title included. */
	readonly layerLines: number;
};

/** How many lines parts of the screen need; `findings`: all findings together, `firstFinding`: the first alone. */
type NeededLines = {
	readonly footer: number;
	readonly findings: number;
	readonly firstFinding: number;
	readonly caption: number;
	readonly hasTimeLine: boolean;
	readonly hasPane: boolean;
};

/** Least heights of the screen, in rows, at which parts are shown. */
const fullHeaderRows = 16;
const footerRows = 8;
const headerRows = 5;
const tabRows = 6;
const headingRows = 4;
const paneRows = 40;

/** Part of a layer's lines that the pane gets. */
const panePart = 0.4;

/** Most lines of findings, by the least height of the screen. */
const findingRows = [{rows: 40, lines: 5}, {rows: 30, lines: 3}, {rows: fullHeaderRows, lines: 1}] as const;

/** From this height on the first finding may have two lines: who holds a lock, and where, is at its end. */
const firstFindingRows = 24;

/** Lines of the time line, by the least height of the screen. */
const timeLineRows = [{rows: 20, lines: 3}, {rows: fullHeaderRows, lines: 2}] as const;

const headerLines = {full: 3, line: 1, none: 0} as const;

/** Returns how many of a layer's lines fit between its title and, if not all fit, the line that says so. */
export function layerRoom(
	{layerLines, hasHeading, hasFooter}: Pick<Layout, 'layerLines' | 'hasHeading' | 'hasFooter'>,
	lines: number,
): number {
	const room = Math.max(0, layerLines - (hasHeading ? 1 : 0));
	return Math.max(0, lines > room && hasFooter ? room - 1 : room);
}

/** Divides up the screen: a message gets at most half of the middle, the view's caption a quarter of the rest. */
export function layoutOf(
	{columns, rows}: Size,
	{footer, findings, firstFinding, caption, hasTimeLine, hasPane}: NeededLines,
): Layout {
	const linesAt = (choices: ReadonlyArray<{readonly rows: number; readonly lines: number}>) =>
		choices.find(choice => rows >= choice.rows)?.lines ?? 0;
	const header = rows >= fullHeaderRows ? 'full' : (rows >= headerRows ? 'line' : 'none');
	const hasFooter = rows >= footerRows;
	const hasHeading = rows >= headingRows;
	const findingLines = Math.min(
		findings,
		Math.max(linesAt(findingRows), rows >= firstFindingRows ? Math.min(firstFinding, 2) : 0),
	);
	const timeLines = hasTimeLine ? linesAt(timeLineRows) : 0;
	const hasTabs = rows >= tabRows;
	const between = rows - headerLines[header] - findingLines - (hasTabs ? 1 : 0) - timeLines;
	const footerLines = hasFooter ? Math.max(1, Math.min(footer, Math.floor(between / 2))) : 0;
	const layerLines = between - footerLines;
	const captionLines = Math.min(caption, Math.floor(layerLines / 4));
	const paneLines = hasPane && rows >= paneRows ? Math.floor(layerLines * panePart) : 0;
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
		captionLines,
		paneLines,
		tableRows: Math.max(0, layerLines - captionLines - (hasHeading ? 1 : 0) - paneLines),
		layerLines: Math.max(0, layerLines),
	};
}

const minNameWidth = 10;

/**
Returns the columns to show: those of the view that have values, or the user's choice, always with the name; and that by
which rows are sorted, at every width.
*/
export function columnsOf(
	view: string,
	chosen: Readonly<Record<string, readonly string[]>>,
	{rows, query, terminalColumns}: {
		readonly rows: readonly ViewRow[]; readonly query: Query; readonly terminalColumns: number;
	},
): ReadonlyArray<Column<ViewRow>> {
	const {columns} = viewOf(view);
	const ids = chosen[view];
	if (ids === undefined) {
		return columns.flatMap(column => {
			if (column.id === query.sort.column) {
				return {...column, fromColumns: 0};
			}

			return terminalColumns >= column.fromColumns && !column.isWithoutValues?.(rows, query) ? column : [];
		});
	}

	const known = ids.flatMap(id => columns.find(column => column.id === id) ?? []);
	const name = known.some(column => isFlexible(column)) ? [] : columns.filter(column => isFlexible(column));
	return [...known, ...name].map(column => ({...column, fromColumns: 0}));
}

/** Returns columns with their widths, omitting some from the right until the name has room. A gap precedes each. */
export function fitTableColumns<Row>(
	columns: ReadonlyArray<Column<Row>>,
	{columns: terminalColumns, width}: Pick<Layout, 'columns' | 'width'>,
): FittedColumns<Row> {
	let kept = columns.filter(({fromColumns}) => terminalColumns >= fromColumns);
	let fitted = fitColumns(kept, terminalColumns, width - 1);
	while (kept.length > 1 && fitted.some(({column, width: room}) => isFlexible(column) && room < minNameWidth)) {
		kept = kept.toSpliced(kept.findLastIndex(column => !isFlexible(column)), 1);
		fitted = fitColumns(kept, terminalColumns, width - 1);
	}

	return fitted;
}

/** Returns the id of the column at a cell of a line, each with the gap before it; undefined if there is none. */
export function columnAt<Row>(columns: FittedColumns<Row>, lineWidth: number, cell: number): string | undefined {
	let end = 0;
	return columns.find(({width}) => {
		end = Math.min(lineWidth, end + width + 1);
		return cell < end;
	})?.column.id;
}

/** Returns by how many cells the longest name exceeds its column, at most `max`: how far the table scrolls sideways. */
export function overhang<Row>(
	rows: Iterable<Row>,
	columns: FittedColumns<Row>,
	context: Pick<CellContext, 'measure' | 'overMs' | 'fullNames'>,
	max: number,
): number {
	const name = columns.find(({column}) => isFlexible(column));
	if (!name) {
		return 0;
	}

	let longest = 0;
	for (const row of rows) {
		longest = Math.max(longest, cellWidth(name.column.value(row, {...context, room: name.width + max})));
	}

	return longest - name.width;
}
