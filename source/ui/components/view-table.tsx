import {Box} from 'ink';
import type {Component} from 'react';
import {Table} from 'ink-table';
import {cellWidth} from '../../model/cell-width.js';
import {headingOf, isRest, type Column} from '../../query/columns/column.js';
import {effectiveUnit, measureOf} from '../../query/counters/scope.js';
import {stateSets} from '../../query/filter/state-sets.js';
import type {Trend} from '../../query/past/steps.js';
import type {Measure, Query} from '../../query/types/query.js';
import {viewOf} from '../../views/registry.js';
import type {ViewRow} from '../../views/common/view.js';
import {useHitArea} from '../hooks/hit-areas.js';
import type {ScreenData} from '../state/screen-data.js';
import {queryOf, selectedIndex, type UiState} from '../state/state.js';
import type {Theme} from '../terminal/theme.js';
import {columnAt, columnsOf, placeColumns, type PlacedColumns, type Layout} from '../text/layout.js';
import {cut, dropCells, fit, pad, sparkline, wrappedSpans, type Span, type Spans} from '../text/spans.js';
import {Lines, useTheme, Line} from './text.js';

type ViewTableProps = {readonly ui: UiState; readonly data: ScreenData; readonly layout: Layout; readonly above: readonly Spans[]};

/** The current view: its remark, its headings, and the rows that fit, or why there are none. */
export function ViewTable({ui, data, layout, above}: ViewTableProps) {
	const theme = useTheme();
	const {rows = [], allRows = 0} = data.table ?? {};
	const {top} = ui.selections[ui.view];
	const placed = placeColumns(columnsOf(ui.view, ui.columns), layout);
	const context: TableContext<ViewRow> = {
		query: queryOf(ui), measure: data.table?.measure ?? measureOf(ui.query), theme, left: ui.left, trendOf: data.trendOf, placed,
		position: positionText({from: top, shown: layout.tableRows, rows: rows.length, allRows: ui.query.filter === '' ? rows.length : allRows}), isDim: row => viewOf(ui.view).isDim(row),
	};
	const selected = selectedIndex(ui.selections[ui.view], rows);
	const lines = Array.from({length: rows.length > 0 ? layout.tableRows : 0}, (_, line): RowCells => {
		const row = rows.at(top + line);
		return row ? rowCells(row, top + line === selected, context) : [];
	});
	const headingLines = layout.hasHeading ? 1 : 0;
	const hitArea = useHitArea((line, column) => {
		if (line < headingLines) {
			const id = columnAt(placed, layout.width, column);
			return id === undefined ? undefined : {kind: 'heading', column: id};
		}

		const row = rows.at(top + line - headingLines);
		return row && {kind: 'row', key: row.key};
	});
	if (layout.tableRows === 0) {
		return null;
	}

	return (
		<>
			{layout.aboveLines > 0 ? <Lines lines={above.slice(0, layout.aboveLines)} width={layout.width} height={layout.aboveLines}/> : null}
			<Box ref={hitArea} flexDirection='column'>
				<DataTable headings={layout.hasHeading ? headingCells(context) : undefined} data={lines} width={layout.width}/>
			</Box>
			{rows.length === 0 ? <Lines lines={wrappedSpans(emptyText(ui, data), layout.width, 'dim').slice(0, layout.tableRows)} width={layout.width} height={layout.tableRows}/> : null}
		</>
	);
}

/** Returns the lines of the view's remark above its rows. */
export function aboveLines({table}: ScreenData, width: number): Spans[] {
	return table?.above === undefined ? [] : wrappedSpans(table.above, width, 'hot');
}

/** Returns which rows are on the screen, such as `1-13 of 50`, and the number of all rows if a filter hides some. */
function positionText({from, shown, rows, allRows}: {readonly from: number; readonly shown: number; readonly rows: number; readonly allRows: number}): string {
	const all = allRows > rows ? `, ${allRows} in all` : '';
	return rows === 0 ? '' : `${from + 1}-${Math.min(rows, from + shown)} of ${rows}${all}`;
}

/** Returns why the view has no rows. */
export function emptyText(ui: UiState, {status, snapshot, table}: ScreenData): string {
	if (!snapshot || snapshot.session.samples === 0) {
		return status.phase === 'starting' || status.phase === 'sampling' ? 'waiting for the first sample' : 'no samples were taken';
	}

	const known = table?.view.emptyText?.(table, ui.query);
	if (known !== undefined) {
		return known;
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

/** The cells of a row: each with the gap before it, as wide as its column. */
type RowCells = readonly Spans[];

type DataTableProps = {
	readonly headings: RowCells | undefined;
	/** A row for each line of the screen, empty where there is none. */
	readonly data: readonly RowCells[];
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
		const {headings, data, width} = this.props;
		return (
			<Box flexDirection='column'>
				{headings ? <Line spans={headings.flat()} width={width}/> : null}
				{/* eslint-disable-next-line react/no-array-index-key -- A row is identified by its line. */}
				{data.map((cells, line) => <Line key={line} spans={cells.flat()} width={width}/>)}
			</Box>
		);
	}
}

type TableContext<Row> = {
	readonly query: Query;
	readonly measure: Measure;
	readonly theme: Pick<Theme, 'isAscii' | 'levels'>;
	readonly placed: PlacedColumns<Row>;
	/** Which rows are on the screen, at the end of the heading of the column that takes the rest of the line. */
	readonly position: string;
	/** By how many cells the name column is scrolled to the right. */
	readonly left: number;
	isDim(row: Row): boolean;
	trendOf(key: string): Trend | undefined;
};

/** The blank before each cell; the cursor's mark replaces the first one. */
const gap = ' ';

/** Marks the selected row, on screens without colour too. */
const cursorMark = '>';

/** Matches a figure that is or rounds to zero; its cell stays blank. */
const zero = /^0(?:\.0+)?$/;

/** Returns the heading's cells. The position ends the rest column's, over the next one if that lends its room. */
function headingCells<Row>({placed, position, query, measure, theme}: TableContext<Row>): Spans[] {
	let isCovered = false;
	return placed.map(({column, width}, index) => {
		const isSorted = column.id === query.sort.column;
		const name = headingOf(column, measure, query.by);
		const text = cut(isSorted && cellWidth(name) < width ? name + arrow(Boolean(column.ascending) !== query.sort.reverse, theme) : name, width);
		const lender = lenderAt(placed, index + 1);
		const room = width + (lender ? gap.length + lender.width : 0);
		const hasPosition = isRest(column) && cellWidth(text) + position.length < room;
		const cell = hasPosition ? pad(text, room - position.length) + position : pad(text, width, column.align);
		if (isCovered) {
			isCovered = false;
			return [];
		}

		isCovered = hasPosition && lender !== undefined;
		return [{text: gap}, {text: cell, role: isSorted ? 'sorted' : 'heading'}];
	});
}

function arrow(isAscending: boolean, {isAscii}: Pick<Theme, 'isAscii'>): string {
	return isAscii ? (isAscending ? '^' : 'v') : (isAscending ? '▲' : '▼');
}

function lenderAt<Row>(placed: PlacedColumns<Row>, index: number): PlacedColumns<Row>[number] | undefined {
	const next = placed.at(index);
	return next?.column.lendsRoom ? next : undefined;
}

/** Returns the cells of a row; a name takes the room that the next column lends. */
function rowCells<Row extends {readonly key: string}>(row: Row, isSelected: boolean, context: TableContext<Row>): Spans[] {
	const {placed, query, query: {fullNames}, theme, left, trendOf} = context;
	const unit = effectiveUnit(query);
	const rowRole = isSelected ? 'selected' : (context.isDim(row) ? 'dim' : undefined);
	const trend = (key: string, cells: number) => sparkline(trendOf(key)?.slice(-cells) ?? [], theme.levels).padStart(cells);
	const cells: Spans[] = [];
	// Index of the last cell that is not blank.
	let end = -1;
	for (let index = 0; index < placed.length; index++) {
		const {column, width} = placed[index];
		if (index > 0 && column.lendsRoom) {
			cells.push([]);
			continue;
		}

		// The lender's text follows the text that took its room, in one cell.
		const lender = lenderAt(placed, index + 1);
		const lent = lender
			? cut(lender.column.value(row, {unit, fullNames, room: lender.width, trend}), lender.width)
			: '';
		const room = width + (lender ? gap.length + lender.width : 0) - (lent === '' ? 0 : gap.length + cellWidth(lent));
		const isScrolled = isRest(column) && left > 0;
		const value = column.value(row, {unit, fullNames, room: isScrolled ? room + left : room, trend});
		const text = zero.test(value) ? '' : value;
		const cell = fit(isScrolled ? dropCells(text, left) : text, room, column.align);
		if (cell.trim() !== '' || lent.trim() !== '') {
			end = index;
		}

		const before = index === 0 && isSelected ? cursorMark : gap;
		if (rowRole) {
			cells.push([{text: before + cell + (lent === '' ? '' : gap + lent), role: rowRole}]);
		} else {
			const spans = inRole(before, cell, row, column);
			cells.push(lender && lent !== '' ? [...spans, ...inRole(gap, lent, row, lender.column)] : spans);
		}
	}

	// The selected row is highlighted to the end of the line; other rows end with their last text.
	if (!isSelected) {
		cells.fill([], end + 1);
		const last = cells[end]?.at(-1);
		if (last) {
			cells[end] = cells[end].with(-1, {...last, text: last.text.trimEnd()});
		}
	}

	return cells;
}

function inRole<Row>(before: string, text: string, row: Row, column: Column<Row>): Span[] {
	const role = text.trim() === '' ? undefined : column.role?.(row);
	return role === undefined ? [{text: before + text}] : [{text: before}, {text, role}];
}
