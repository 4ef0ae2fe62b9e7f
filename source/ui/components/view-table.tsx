import {Box, Text} from 'ink';
import {memo} from 'react';
import {safe, type Printable} from '../../util/printable.js';
import {cellWidth} from '../../util/cell-width.js';
import {headingOf, isFlexible, type CellContext} from '../../query/columns/column.js';
import {sparkline} from '../../query/columns/format.js';
import {sampledMs} from '../../query/counters/share.js';
import {measureOf} from '../../query/counters/scope.js';
import type {Trend} from '../../query/past/steps.js';
import type {Measure, Query} from '../../query/types/query.js';
import {viewOf} from '../../views/view-registry.js';
import type {ViewRow} from '../../views/common/view.js';
import {useHitArea} from '../hooks/hit-areas.js';
import {rowsOf, type ScreenData} from '../state/screen-data.js';
import {queryOfView, selectedIndex, type UiState} from '../state/state.js';
import {emptyText} from '../status/empty-text.js';
import {columnAt, columnsOf, fitTableColumns, type FittedColumns, type Layout} from '../text/screen-layout.js';
import {elideEnd, dropCells, fit, pad, truncateSpans, wrappedSpans, type Spans} from '../text/spans.js';
import {areSame, Line, Lines, Pieces, useTheme} from './text.js';

type ViewTableProps = {readonly ui: UiState; readonly data: ScreenData; readonly layout: Layout};

/** The current view: its headings, and the rows that fit, or why there are none. */
export function ViewTable({ui, data, layout}: ViewTableProps) {
	const {width, tableRows, hasHeading} = layout;
	const rows = rowsOf(data);
	const selection = ui.selections[ui.view];
	const {scrollTop} = selection;
	const view = viewOf(ui.view);
	const query = queryOfView(ui);
	const total = query.filter === '' ? rows.length : data.table?.allRows ?? 0;
	const overMs = data.snapshot ? sampledMs(data.snapshot, data.since) : 0;
	const fitted = fitTableColumns(columnsOf(ui.view, ui.columns), layout);
	const context: TableContext<ViewRow> = {
		query,
		overMs,
		measure: data.table?.measure ?? measureOf(query, overMs),
		scrollLeft: ui.scrollLeft,
		trendOf: data.trendOf,
		width,
		columns: withYielding(fitted),
		position: positionText({from: scrollTop, to: scrollTop + tableRows, rows: rows.length, total}),
	};
	const selected = selectedIndex(selection, rows);
	const headingLines = hasHeading ? 1 : 0;
	const hitArea = useHitArea((line, cell) => {
		if (line < headingLines) {
			const id = columnAt(fitted, width, cell);
			return id === undefined ? undefined : {kind: 'heading', column: id};
		}

		const row = rows.at(scrollTop + line - headingLines);
		return row && {kind: 'row', key: row.key};
	});
	if (tableRows === 0) {
		return null;
	}

	const hasRows = rows.length > 0;
	const shown = width === 0 ? [] : rows.slice(scrollTop, scrollTop + tableRows);
	return (
		<>
			<Box ref={hitArea} flexDirection='column' height={headingLines + (hasRows ? tableRows : 0)}>
				{hasHeading ? <Line spans={headingSpans(context)} width={width}/> : null}
				{shown.map((row, line) => {
					const isSelected = scrollTop + line === selected;
					const cells = cellsOf(row, isSelected, context);
					return <Row key={row.key} cells={cells} isSelected={isSelected} isDim={view.isDim(row)}/>;
				})}
			</Box>
			{hasRows
				? null
				: <Lines lines={wrappedSpans(emptyText(ui, data), width, 'dim')} width={width} height={tableRows}/>}
		</>
	);
}

type RowProps = {
	/** The texts of the cells, each after its gap, with the width that the columns give them. */
	readonly cells: Spans;
	readonly isSelected: boolean;
	/** Whether the row matters little. */
	readonly isDim: boolean;
};

/** A row of the table; it is drawn again only if it looks different. */
const Row = memo(({cells, isSelected, isDim}: RowProps) => {
	const rowRole = isSelected ? 'selected' : (isDim ? 'dim' : undefined);
	return (
		<Text wrap='truncate' {...useTheme().styleOf(rowRole)}>
			{isSelected ? cursorMark : gap}
			<Pieces spans={rowRole ? cells.map(({text}) => ({text})) : cells}/>
		</Text>
	);
}, (before, after) => (
	before.isSelected === after.isSelected && before.isDim === after.isDim && areSame(before.cells, after.cells)
));

/** Returns which rows are on the screen, such as `1-13 of 50`, and the number of all rows if a filter hides some. */
function positionText({from, to, rows, total}: {
	readonly from: number;
	readonly to: number;
	readonly rows: number;
	readonly total: number;
}): Printable {
	const inAll = total > rows ? safe`, ${total} in all` : safe``;
	return rows === 0 ? safe`` : safe`${from + 1}-${Math.min(to, rows)} of ${rows}${inAll}`;
}

type FittedColumn<Row> = FittedColumns<Row>[number] & {
	/** The next column, if it yields its unused width to this one. */
	readonly yielding?: FittedColumns<Row>[number];
};

type TableContext<Row> = {
	readonly query: Query;
	readonly measure: Measure;
	/** Milliseconds of sampling in the window. */
	readonly overMs: number;
	readonly columns: ReadonlyArray<FittedColumn<Row>>;
	/** Which rows are on the screen: at the end of the name column's heading. */
	readonly position: Printable;
	/** Cells by which the name column is scrolled. */
	readonly scrollLeft: number;
	/** Cells of a line. */
	readonly width: number;
	trendOf(key: string): Trend | undefined;
};

/** The blank before each cell; the cursor's mark replaces the first one. */
const gap = safe` `;

/** Marks the selected row, on screens without colour too. */
const cursorMark = '>';

/** Matches a figure that is or rounds to zero. */
const zero = /^0(?:\.0+)?$/;

/** Returns the columns, those that yield their unused width together with the column before them. */
function withYielding<Row>(columns: FittedColumns<Row>): ReadonlyArray<FittedColumn<Row>> {
	return columns.flatMap((fitted, index) => {
		const next = columns.at(index + 1);
		const isWithPrevious = index > 0 && fitted.column.yieldsUnusedWidth;
		return isWithPrevious ? [] : [{...fitted, yielding: next?.column.yieldsUnusedWidth ? next : undefined}];
	});
}

function headingSpans<Row>({columns, position, query, measure}: TableContext<Row>): Spans {
	const textOf = ({column, width}: FittedColumns<Row>[number]) => {
		const name = headingOf(column, measure, query.by);
		const isMarked = column.id === query.sort.column && cellWidth(name) < width;
		const mark = isMarked ? arrow(Boolean(column.ascending) !== query.sort.reverse) : safe``;
		return elideEnd(safe`${name}${mark}`, width);
	};

	const roleOf = ({column}: FittedColumns<Row>[number]) => column.id === query.sort.column ? 'sorted' : 'heading';
	const spansOf = (fitted: FittedColumns<Row>[number]): Spans =>
		[{text: gap}, {text: pad(textOf(fitted), fitted.width, fitted.column.align), role: roleOf(fitted)}];
	return columns.flatMap((fitted): Spans => {
		const {column, width, yielding} = fitted;
		const text = textOf(fitted);
		const room = width + cellsWithGap(yielding?.width);
		// The position takes the place of the yielding column's heading.
		return isFlexible(column) && cellWidth(text) + position.length < room
			? [{text: gap}, {text: safe`${pad(text, room - position.length)}${position}`, role: roleOf(fitted)}]
			: [...spansOf(fitted), ...(yielding ? spansOf(yielding) : [])];
	});
}

function arrow(isAscending: boolean): Printable {
	return isAscending ? safe`▲` : safe`▼`;
}

/** Returns the cells that a text of some width takes together with the gap before it; 0 for none. */
function cellsWithGap(width = 0): number {
	return width === 0 ? 0 : gap.length + width;
}

/** Returns the cells of a row, and the gaps between them, as far as the line is wide. */
function cellsOf<Row>(row: Row, isSelected: boolean, context: TableContext<Row>): Spans {
	const {columns, query: {fullNames}, measure, overMs, scrollLeft, trendOf, width: lineWidth} = context;
	const trend = (key: string, cells: number) => sparkline(trendOf(key)?.slice(-cells) ?? []).padStart(cells);
	const cellContext: CellContext = {measure, overMs, fullNames, room: 0, trend};
	// The first gap is the cursor's.
	const cells = columns.flatMap((fitted, index) =>
		[{text: index === 0 ? safe`` : gap}, ...cellSpans(fitted, row, scrollLeft, cellContext)]);
	const shown = truncateSpans(cells, lineWidth - gap.length);
	// The selected row is highlighted to the end of the line; other rows end with their last text.
	return isSelected ? shown : withoutTrailingBlanks(shown);
}

/** Returns the text of a cell, then that of the yielding column, if any. */
function cellSpans<Row>(
	{column, width, yielding}: FittedColumn<Row>,
	row: Row,
	scrollLeft: number,
	context: CellContext,
): Spans {
	const yieldingText = yielding
		? elideEnd(yielding.column.value(row, {...context, room: yielding.width}), yielding.width)
		: safe``;
	const room = width + cellsWithGap(yielding?.width) - cellsWithGap(cellWidth(yieldingText));
	const scrolled = isFlexible(column) ? scrollLeft : 0;
	const value = column.value(row, {...context, room: room + scrolled});
	const text = column.isFigure && zero.test(value) ? safe`` : value;
	const cell = {text: fit(dropCells(text, scrolled), room, column.align), role: column.role?.(row, context)};
	return yieldingText === ''
		? [cell]
		: [cell, {text: gap}, {text: yieldingText, role: yielding!.column.role?.(row, context)}];
}

function withoutTrailingBlanks(spans: Spans): Spans {
	const last = spans.findLastIndex(({text}) => text.trim() !== '');
	return spans.slice(0, last + 1).map((span, index) => index === last ? {...span, text: span.text.trimEnd()} : span);
}
