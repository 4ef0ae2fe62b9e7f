import {Box} from 'ink';
import type {Component} from 'react';
import {Table} from 'ink-table';
import {measureOf} from '../../query/counters/scope.js';
import {stateSets} from '../../query/filter/state-sets.js';
import {viewOf} from '../../views/registry.js';
import type {ViewRow} from '../../views/common/view.js';
import {useHitArea} from '../hooks/hit-areas.js';
import type {ScreenData} from '../state/screen-data.js';
import {queryOf, selectedIndex, type UiState} from '../state/state.js';
import {columnAt, columnsOf, placeColumns} from '../text/columns.js';
import type {Layout} from '../text/layout.js';
import {wrappedSpans, type Spans} from '../text/spans.js';
import {headingCells, rowCells, type TableContext} from './table-cells.js';
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
		counts: countsText({from: top, shown: layout.tableRows, rows: rows.length, allRows: ui.query.filter === '' ? rows.length : allRows}), isDim: row => viewOf(ui.view).isDim(row),
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
function countsText({from, shown, rows, allRows}: {readonly from: number; readonly shown: number; readonly rows: number; readonly allRows: number}): string {
	const all = allRows > rows ? `, ${allRows} in all` : '';
	return rows === 0 ? '' : `${from + 1}-${Math.min(rows, from + shown)} of ${rows}${all}`;
}

function emptyText(ui: UiState, {status, snapshot, table}: ScreenData): string {
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
export type RowCells = readonly Spans[];

type DataTableProps = {
	/** Undefined for a table without headings. */
	readonly headings: RowCells | undefined;
	/** A row for each line of the screen, empty where there is none. */
	readonly data: readonly RowCells[];
	readonly width: number;
};

/** ink-table's own type allows only text in cells. */
const InkTable = Table as unknown as new (props: DataTableProps) => Component<DataTableProps>;

/**
Headings and rows. Replaces ink-table's rendering, which has no settings for column widths, rows without rules between
them, and rows that stay mounted when their data changes. docs/upstream/ink-table.md offers those.
*/
export class DataTable extends InkTable {
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
