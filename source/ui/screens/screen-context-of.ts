import {headingOf} from '../../query/columns/column.js';
import {effectiveUnit, measureOf} from '../../query/counters/scope.js';
import {viewOf} from '../../views/registry.js';
import {linksOf} from '../components/detail.js';
import type {ScreenContext} from '../state/screen-context.js';
import {keysOf, rowsOf} from '../state/screen-data.js';
import type {SessionData} from '../state/session-data.js';
import type {Feed} from '../state/session-store.js';
import {coveringLayer, type UiState} from '../state/state.js';
import {columnsOf, overhang, placeColumns} from '../text/columns.js';
import {layerRoom, type Layout} from '../text/layout.js';

/** What keys depend on in a state, on a screen with the layout that was drawn last. */
export function screenContextOf(session: SessionData, ui: UiState, feed: Feed, layout: Layout): ScreenContext {
	const {view, query} = ui;
	const {snapshot, baseline, ...data} = session.of(ui, feed);
	const {status, vitals, ring} = feed;
	const rows = rowsOf(data);
	const detailOf = session.detailOf(ui, feed);
	const layer = coveringLayer(ui);
	const placed = placeColumns(columnsOf(view, ui.columns), layout);
	const shownColumns = placed.map(({column}) => column.id);
	return {
		columns: viewOf(view).columns.map(column => {
			const heading = headingOf(column, measureOf(query));
			const name = `${column.title}${heading ? ` (${heading})` : ''}`;
			return {
				id: column.id, sortFigures: column.sortFigures, name, isRest: column.width === 0, title: shownColumns.includes(column.id) ? name : `${name}, not shown`,
			};
		}),
		shownColumns,
		overhang: most => overhang(rows, placed, {unit: effectiveUnit(query), fullNames: query.fullNames}, most),
		rowKeys: keysOf(data),
		rows,
		pageRows: layout.tableRows,
		layerPage: layer?.kind === 'menu' ? layerRoom(layout, layer.items.length) : 0,
		isRecording: status.phase === 'recording',
		traceNote: status.traceNote,
		holders: status.canAskForHolders && status.phase === 'sampling' ? {heapBytes: vitals.heapUsedBytes, heapBytesAtMost: vitals.heapCapacityBytes} : undefined,
		ring,
		window: snapshot && {snapshot, since: baseline},
		saveFormats: session.saveFormats,
		links: layer?.kind === 'detail' ? linksOf(detailOf(layer.view, layer.key)) : [],
		locationOf(id, key) {
			const found = detailOf(id, key);
			return found?.row && found.view.locationOf(found.row);
		},
		threadsOf(key) {
			const found = detailOf(view, key);
			return found?.row && found.view.threadsOf(found.row, found.detail);
		},
	};
}
