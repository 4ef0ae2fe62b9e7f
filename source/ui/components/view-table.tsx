import {Box} from 'ink';
import type {Component} from 'react';
import {Table} from 'ink-table';
import {cellWidth} from '../../model/cell-width.js';
import {headingOf, isFlexible, type CellContext, type CellRole} from '../../query/columns/column.js';
import {sampledMs} from '../../query/counters/share.js';
import {measureOf} from '../../query/counters/scope.js';
import {stateSets} from '../../query/filter/state-sets.js';
import type {Trend} from '../../query/past/steps.js';
import type {Measure, Query} from '../../query/types/query.js';
import {viewOf} from '../../views/registry.js';
import type {ViewRow} from '../../views/common/view.js';
import {useHitArea} from '../hooks/hit-areas.js';
import {rowsOf, type ScreenData} from '../state/screen-data.js';
import {queryOf, selectedIndex, type UiState} from '../state/state.js';
import {columnAt, columnsOf, fitTableColumns, type FittedColumns, type Layout} from '../text/layout.js';
import {cut, dropCells, fit, pad, sparkline, wrappedSpans, type Span, type Spans} from '../text/spans.js';
import {Lines, Line} from './text.js';

type ViewTableProps = {readonly ui: UiState; readonly data: ScreenData; readonly layout: Layout};

/** The current view: its headings, and the rows that fit, or why there are none. */
export function ViewTable({ui, data, layout}: ViewTableProps) {
	const {width, tableRows, hasHeading} = layout;
	const rows = rowsOf(data);
	const selection = ui.selections[ui.view];
	const {scrollTop} = selection;
	const view = viewOf(ui.view);
	const query = queryOf(ui);
	const total = query.filter === '' ? rows.length : data.table?.allRows ?? 0;
	const overMs = data.snapshot ? sampledMs(data.snapshot, data.since) : 0;
	const context: TableContext<ViewRow> = {
		query, overMs, measure: data.table?.measure ?? measureOf(query, overMs),
		scrollLeft: ui.scrollLeft, trendOf: data.trendOf,
		columns: fitTableColumns(columnsOf(ui.view, ui.columns), layout),
		position: positionText({from: scrollTop, to: Math.min(rows.length, scrollTop + tableRows), rows: rows.length, total}), isDim: row => view.isDim(row),
	};
	const selected = selectedIndex(selection, rows);
	const lines = Array.from({length: rows.length > 0 ? tableRows : 0}, (_, line): Spans => {
		const row = rows.at(scrollTop + line);
		return row ? rowSpans(row, scrollTop + line === selected, context) : [];
	});
	const headingLines = hasHeading ? 1 : 0;
	const hitArea = useHitArea((line, cell) => {
		if (line < headingLines) {
			const id = columnAt(context.columns, width, cell);
			return id === undefined ? undefined : {kind: 'heading', column: id};
		}

		const row = rows.at(scrollTop + line - headingLines);
		return row && {kind: 'row', key: row.key};
	});
	if (tableRows === 0) {
		return null;
	}

	return (
		<>
			<Box ref={hitArea} flexDirection='column'>
				<DataTable heading={hasHeading ? headingSpans(context) : undefined} data={lines} width={width}/>
			</Box>
			{rows.length === 0 ? <Lines lines={wrappedSpans(emptyText(ui, data), width, 'dim').slice(0, tableRows)} width={width} height={tableRows}/> : null}
		</>
	);
}

/** Returns which rows are on the screen, such as `1-13 of 50`, and the number of all rows if a filter hides some. */
function positionText({from, to, rows, total}: {readonly from: number; readonly to: number; readonly rows: number; readonly total: number}): string {
	return rows === 0 ? '' : `${from + 1}-${to} of ${rows}${total > rows ? `, ${total} in all` : ''}`;
}

/** Returns why the view has no rows. */
export function emptyText(ui: UiState, {status, snapshot, table}: ScreenData): string {
	if (!snapshot || snapshot.session.samples === 0) {
		return status.phase === 'starting' || status.phase === 'sampling' ? 'waiting for the first sample' : 'no samples were taken';
	}

	const viewText = table?.view.emptyText?.(table, ui.query);
	if (viewText !== undefined) {
		return viewText;
	}

	if (ui.query.filter !== '') {
		return 'no rows match the filter; Esc clears it';
	}

	if (ui.query.threadKeys) {
		return 'nothing from these threads in this window; t shows all';
	}

	const set = stateSets.find(({id}) => id === ui.stateSet);
	return `nothing in this window${set && set.id !== 'all' ? ` in the counted states: ${set.title}; x for others` : ''}`;
}

type DataTableProps = {
	readonly heading: Spans | undefined;
	/** A row for each line of the screen, empty where there is none. */
	readonly data: readonly Spans[];
	readonly width: number;
};

/** ink-table's own type allows only text in cells. */
const InkTable = Table as unknown as new (props: DataTableProps) => Component<DataTableProps>;

/**
Headings and rows. Overrides `render` until ink-table has settings for column widths, rows without rules between them, and
rows that stay mounted when their data changes (our patch: docs/upstream/ink-table.md).
*/
class DataTable extends InkTable {
	override render() {
		const {heading, data, width} = this.props;
		return (
			<Box flexDirection='column'>
				{heading ? <Line spans={heading} width={width}/> : null}
				{/* eslint-disable-next-line react/no-array-index-key -- A row is identified by its line. */}
				{data.map((spans, line) => <Line key={line} spans={spans} width={width}/>)}
			</Box>
		);
	}
}

type TableContext<Row> = {
	readonly query: Query;
	readonly measure: Measure;
	/** Milliseconds of sampling in the window. */
	readonly overMs: number;
	readonly columns: FittedColumns<Row>;
	/** Which rows are on the screen: at the end of the name column's heading. */
	readonly position: string;
	/** Cells by which the name column is scrolled. */
	readonly scrollLeft: number;
	isDim(row: Row): boolean;
	trendOf(key: string): Trend | undefined;
};

/** The blank before each cell; the cursor's mark replaces the first one. */
const gap = ' ';

/** Marks the selected row, on screens without colour too. */
const cursorMark = '>';

/** Matches a figure that is or rounds to zero. */
const zero = /^0(?:\.0+)?$/;

function headingSpans<Row>({columns, position, query, measure}: TableContext<Row>): Spans {
	const spans: Span[] = [];
	for (let index = 0; index < columns.length; index++) {
		const {column, width} = columns[index];
		const isSorted = column.id === query.sort.column;
		const name = headingOf(column, measure, query.by);
		const mark = isSorted && cellWidth(name) < width ? arrow(Boolean(column.ascending) !== query.sort.reverse) : '';
		const text = cut(name + mark, width);
		const lender = lenderAt(columns, index + 1);
		const room = width + (lender ? gap.length + lender.width : 0);
		const hasPosition = isFlexible(column) && cellWidth(text) + position.length < room;
		spans.push({text: gap}, {text: hasPosition ? pad(text, room - position.length) + position : pad(text, width, column.align), role: isSorted ? 'sorted' : 'heading'});
		// The position takes the place of the lender's heading.
		index += hasPosition && lender ? 1 : 0;
	}

	return spans;
}

function arrow(isAscending: boolean): string {
	return isAscending ? '▲' : '▼';
}

/** Returns the column at an index if it lends its unused room to the one before it. */
function lenderAt<Row>(columns: FittedColumns<Row>, index: number): FittedColumns<Row>[number] | undefined {
	const next = columns.at(index);
	return next?.column.lendsRoom ? next : undefined;
}

function rowSpans<Row extends {readonly key: string}>(row: Row, isSelected: boolean, context: TableContext<Row>): Spans {
	const {columns, query: {fullNames}, measure: unit, overMs, scrollLeft, trendOf} = context;
	const rowRole = isSelected ? 'selected' : (context.isDim(row) ? 'dim' : undefined);
	const trend = (key: string, cells: number) => sparkline(trendOf(key)?.slice(-cells) ?? []).padStart(cells);
	const cellContext: CellContext = {unit, overMs, fullNames, room: 0, trend};
	const spans: Span[] = [];
	// Number of spans up to the last one that is not blank.
	let end = 0;
	for (let index = 0; index < columns.length; index++) {
		const {column, width} = columns[index];
		if (index > 0 && column.lendsRoom) {
			// Its text is in the cell of the column before it.
			continue;
		}

		const lender = lenderAt(columns, index + 1);
		const lenderText = lender ? cut(lender.column.value(row, {...cellContext, room: lender.width}), lender.width) : '';
		const room = width + (lender ? gap.length + lender.width : 0) - (lenderText === '' ? 0 : gap.length + cellWidth(lenderText));
		const isScrolled = isFlexible(column) && scrollLeft > 0;
		const value = column.value(row, {...cellContext, room: isScrolled ? room + scrollLeft : room});
		const text = column.isFigure && zero.test(value) ? '' : value;
		const cell = fit(isScrolled ? dropCells(text, scrollLeft) : text, room, column.align);
		const before = index === 0 && isSelected ? cursorMark : gap;
		if (rowRole) {
			spans.push({text: before + cell + (lenderText === '' ? '' : gap + lenderText), role: rowRole});
		} else {
			pushInRole(spans, before, cell, column.role?.(row, cellContext));
			if (lender && lenderText !== '') {
				pushInRole(spans, gap, lenderText, lender.column.role?.(row, cellContext));
			}
		}

		end = cell.trim() === '' && lenderText === '' ? end : spans.length;
	}

	// The selected row is highlighted to the end of the line; other rows end with their last text.
	if (!isSelected && end > 0) {
		spans[end - 1] = {...spans[end - 1], text: spans[end - 1].text.trimEnd()};
		spans.length = end;
	}

	return spans;
}

function pushInRole(spans: Span[], before: string, text: string, role: CellRole | undefined): void {
	if (role === undefined || text.trim() === '') {
		spans.push({text: before + text});
	} else {
		spans.push({text: before}, {text, role});
	}
}
