/* eslint-disable react/react-in-jsx-scope -- TypeScript's automatic JSX runtime needs no React in scope. */
import {useMemo} from 'react';
import {wrapped} from '../text/cells.js';
import {columnsOf} from '../columns/chosen-columns.js';
import {aboveLines} from '../text/footer-lines.js';
import {detailLines, paneDetail} from '../text/detail/detail-lines.js';
import {useSession} from '../hooks/session.js';
import {keysOf, rowsOf} from '../state/screen-data.js';
import {queryOf, selectedIndex, type UiState} from '../state/state.js';
import {stateSets} from '../../query/filter/state-sets.js';
import {viewOf} from '../../views/registry.js';
import type {ViewRow} from '../../views/view.js';
import {
	headingCells, placeColumns, rowCells, widthsOf, type DrawnTable, type TableView,
} from '../text/table-cells.js';
import type {Behind} from '../text/layers.js';
import type {Layout} from '../text/layout.js';
import {DataTable, type Slot} from './data-table.js';
import {Lines} from './lines.js';

/** The rows of the current view that fit on the screen, or why there are none. */
export function ViewTable() {
	const {ui, data, layout, theme} = useSession();
	const view = viewOf(ui.view);
	const {rows = [], allRows = 0} = data.table ?? {};
	const {top} = ui.selections[ui.view];
	const drawn: DrawnTable = {
		query: queryOf(ui), theme, left: ui.left, trendOf: data.trendOf, layout,
	};
	const table: TableView<ViewRow> = {counts: data.table ? `${rows.length}/${allRows}` : '', isDim: row => view.isDim(row)};
	const {placed, columns, widths} = usePlaces(ui, layout);
	const slotOf = (texts: readonly string[]): Slot => {
		const slot: Record<string, string> = {};
		const {length} = columns;
		for (let index = 0; index < length; index++) {
			slot[columns[index]] = texts[index];
		}

		return slot;
	};

	const selected = selectedRow({ui, data});
	const slots: Slot[] = [];
	for (let slot = 0; slot < layout.tableRows && rows.length > 0; slot++) {
		const row = rows.at(top + slot);
		slots.push(row ? slotOf(rowCells(row, top + slot === selected, table, placed, drawn)) : {});
	}

	return (
		<>
			{layout.aboveLines > 0 ? <Lines lines={aboveLines(data, layout.width).slice(0, layout.aboveLines).map(line => theme.paint('hot', line))} height={layout.aboveLines}/> : null}
			<DataTable columns={columns} widths={widths} headings={layout.hasHeading ? slotOf(headingCells(table, placed, drawn)) : undefined} data={slots}/>
			{rows.length === 0 ? <Lines lines={wrapped(emptyText({ui, data}), layout.width).slice(0, layout.tableRows).map(line => theme.paint('dim', line))} height={layout.tableRows}/> : null}
		</>
	);
}

/** The columns of the current view, by their ids too, and the cells that each has: the same as long as these are. */
function usePlaces({view, columns}: UiState, {columns: terminalColumns, width}: Layout) {
	return useMemo(() => {
		const placed = placeColumns(columnsOf(view, columns), {columns: terminalColumns, width});
		return {placed, columns: placed.map(({column}) => column.id), widths: widthsOf(placed, width)};
	}, [view, columns, terminalColumns, width]);
}

/** What is known of the row with the cursor, below the table of a high screen. */
export function Pane() {
	const {ui, data, layout, theme, detailOf} = useSession();
	if (layout.paneLines === 0) {
		return null;
	}

	const row = rowsOf(data).at(selectedRow({ui, data}));
	const detail = row && detailOf(ui.view, row.key);
	const rule = theme.paint('dim', (theme.isAscii ? '-' : '─').repeat(layout.width));
	const lines = detail
		? detailLines(detail, {
			width: layout.width, isFull: ui.query.fullNames, theme, bounds: paneDetail,
		}).map(({text}) => text)
		: [];
	return <Lines lines={[rule, ...lines]} height={layout.paneLines}/>;
}

function selectedRow({ui, data}: Pick<Behind, 'ui' | 'data'>): number {
	return selectedIndex(ui.selections[ui.view], keysOf(data));
}

/** Why there are no rows, and what to do. */
function emptyText({ui, data: {status, snapshot, table}}: Pick<Behind, 'ui' | 'data'>): string {
	if (!snapshot || snapshot.session.samples === 0) {
		return status.phase === 'starting' || status.phase === 'sampling' ? 'waiting for the first sample' : 'no samples were taken';
	}

	const known = table?.view.emptyText(table, ui.query);
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
