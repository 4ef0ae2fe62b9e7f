import {Box, Text} from 'ink';
import {memo} from 'react';
import {safe, type Printable} from '../../util/printable.js';
import {cellWidth} from '../../util/cell-width.js';
import {
	fittedCells, fullBarOf, headingOf, isFlexible, zero, type CellContext, type Column, type FittedColumns,
} from '../../query/columns/column.js';
import {sparkline} from '../../query/columns/format.js';
import {sampledMs} from '../../query/counters/share.js';
import {sumOf} from '../../util/sum.js';
import {measureOf} from '../../query/counters/scope.js';
import type {Trend} from '../../query/past/steps.js';
import type {Query} from '../../query/types/query.js';
import {viewOf} from '../../views/view-registry.js';
import type {ViewRow} from '../../views/common/view.js';
import {useHitArea} from '../hooks/hit-areas.js';
import {rowsOf, type ScreenData} from '../state/screen-data.js';
import {queryOfView, selectedIndex, type UiState} from '../state/state.js';
import {emptyText} from '../status/empty-text.js';
import {columnAt, columnsOf, fitTableColumns, type Layout} from '../text/screen-layout.js';
import {elideEnd, dropCells, pad, truncateSpans, wrappedSpans, type Spans} from '../text/spans.js';
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
	const columns = columnsOf(ui.view, ui.columns, {rows, query, terminalColumns: layout.columns});
	const fitted = fitTableColumns(columns, layout);
	const measure = data.table?.measure ?? measureOf(query, overMs);
	const {hasColor} = useTheme();
	const figures = {measure, overMs, fullNames: query.fullNames, isWithoutColor: !hasColor};
	const context: TableContext<ViewRow> = {
		...figures,
		query,
		fullBar: fullBarOf(fitted.map(({column}) => column), rows, figures),
		scrollLeft: ui.scrollLeft,
		trendOf: data.trendOf,
		width,
		columns: fitted,
		positions: positionTexts({from: scrollTop, to: scrollTop + tableRows, rows: rows.length, total}),
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

/** Returns which rows are on the screen: `1-13 of 50`, and before that, if a filter hides some, how many there are. */
function positionTexts({from, to, rows, total}: {
	readonly from: number;
	readonly to: number;
	readonly rows: number;
	readonly total: number;
}): readonly Printable[] {
	const position = safe`${from + 1}-${Math.min(to, rows)} of ${rows}`;
	return rows === 0 ? [] : [...(total > rows ? [safe`${position}, ${total} in all`] : []), position];
}

type TableContext<Row> = Omit<CellContext, 'room' | 'trend'> & {
	readonly query: Query;
	readonly columns: FittedColumns<Row>;
	/** Which rows are on the screen, the longer text first: at the end of the headings of names. */
	readonly positions: readonly Printable[];
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

function headingSpans<Row>({columns, positions, query, measure}: TableContext<Row>): Spans {
	const textOf = (column: Column<Row>, width: number) => {
		const name = headingOf(column, measure, query.by);
		const isMarked = column.id === query.sort.column && cellWidth(name) < width;
		const mark = isMarked ? arrow(Boolean(column.ascending) !== query.sort.reverse) : safe``;
		return elideEnd(safe`${name}${mark}`, width);
	};

	const cells = columns.map(({column, width}) => ({column, width, text: textOf(column, width)}));
	// The position is at the end of the columns that names take, where there is room after the last heading.
	const name = cells.findIndex(({column}) => isFlexible(column));
	const afterNames = cells.findIndex(({column}, index) => index > name && !column.yieldsUnusedWidth);
	const end = afterNames === -1 ? cells.length : afterNames;
	const last = cells.findLastIndex(({text}, index) => index >= name && index < end && text !== '');
	const room = last === -1 ? 0 : sumOf(cells.slice(last, end), ({width}) => gap.length + width) - gap.length;
	const position = positions.find(({length}) => last !== -1 && cellWidth(cells[last].text) + length < room);
	return cells.flatMap(({column, width, text}, index): Spans => {
		const role = column.id === query.sort.column ? 'sorted' : 'heading';
		if (position !== undefined && index >= last && index < end) {
			return index === last
				? [{text: gap}, {text: safe`${pad(text, room - position.length)}${position}`, role}]
				: [];
		}

		return [{text: gap}, {text: pad(text, width, column.align), role}];
	});
}

function arrow(isAscending: boolean): Printable {
	return isAscending ? safe`▲` : safe`▼`;
}

/** Returns the cells of a row, and the gaps between them, as far as the line is wide. */
function cellsOf<Row>(row: Row, isSelected: boolean, context: TableContext<Row>): Spans {
	const {columns, scrollLeft, trendOf, width: lineWidth} = context;
	const trend = (key: string, cells: number) => sparkline(trendOf(key)?.slice(-cells) ?? []).padStart(cells);
	const cellContext: CellContext = {...context, room: 0, trend};
	const texts = fittedCells(columns, (column, room) => {
		const scrolled = isFlexible(column) ? scrollLeft : 0;
		const text = column.value(row, {...cellContext, room: room + scrolled});
		return column.isFigure && zero.test(text) ? safe`` : dropCells(text, scrolled);
	}, context.fullNames);
	// The first gap is the cursor's.
	const cells = texts.flatMap(({column, text, width}, index) => [
		{text: index === 0 ? safe`` : gap},
		{text: pad(text, width, column.align), role: text === '' ? undefined : column.role?.(row, cellContext)},
	]);
	const shown = truncateSpans(cells, lineWidth - gap.length);
	// The selected row is highlighted to the end of the line; other rows end with their last text.
	return isSelected ? shown : withoutTrailingBlanks(shown);
}

function withoutTrailingBlanks(spans: Spans): Spans {
	const last = spans.findLastIndex(({text}) => text.trim() !== '');
	return spans.slice(0, last + 1).map((span, index) => index === last ? {...span, text: span.text.trimEnd()} : span);
}
