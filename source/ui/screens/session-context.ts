import {headingOf, isRest} from '../../query/columns/column.js';
import {effectiveUnit, measureOf} from '../../query/counters/scope.js';
import {threadsOf, viewOf} from '../../views/registry.js';
import {linksOf} from '../components/detail.js';
import {sizeOfLayer} from '../components/layer.js';
import type {ScreenContext} from '../state/screen-context.js';
import {keySourceOf, rowsOf} from '../state/screen-data.js';
import type {SessionData} from '../state/session-data.js';
import type {Feed} from '../state/session-store.js';
import type {UiState} from '../state/state.js';
import type {Theme} from '../terminal/theme.js';
import {columnsOf, overhang, placeColumns, type Layout} from '../text/layout.js';

type ContextInput = {readonly session: SessionData; readonly ui: UiState; readonly feed: Feed; readonly layout: Layout; readonly theme: Theme};

/** Returns what keys depend on besides the state, for the layout drawn last. */
export function screenContextOf({session, ui, feed, layout, theme}: ContextInput): ScreenContext {
	const {view, query} = ui;
	const data = session.of(ui, feed);
	const {snapshot, baseline} = data;
	const {status, vitals, ring} = feed;
	const rows = rowsOf(data);
	const detailOf = session.detailOf(ui, feed);
	const top = ui.layers.at(-1);
	const placed = placeColumns(columnsOf(view, ui.columns), layout);
	const shownColumns = placed.map(({column}) => column.id);
	return {
		columns: viewOf(view).columns.map(column => {
			const heading = headingOf(column, measureOf(query));
			const name = `${column.title}${heading ? ` (${heading})` : ''}`;
			return {
				id: column.id, sortKeys: column.sortKeys, name, isRest: isRest(column), title: shownColumns.includes(column.id) ? name : `${name}, not shown`,
			};
		}),
		shownColumns,
		overhang: most => overhang(rows, placed, {unit: effectiveUnit(query), fullNames: query.fullNames}, most),
		rows,
		pageRows: layout.tableRows,
		source: keySourceOf(feed),
		traceNote: status.traceNote,
		holders: status.canAskForHolders && status.phase === 'sampling' ? {heapBytes: vitals.heapUsedBytes, heapBytesAtMost: vitals.heapCapacityBytes} : undefined,
		ring,
		window: snapshot && {snapshot, since: baseline},
		saveFormats: session.saveFormats,
		links: top?.kind === 'detail' ? linksOf(detailOf(top.view, top.key)) : [],
		sizeOf: layer => sizeOfLayer(layer, {ui, data, layout, detailOf}, theme),
		locationOf(id, key) {
			const found = detailOf(id, key);
			return found?.row && found.view.locationOf(found.row);
		},
		threadsOf(key) {
			const found = detailOf(view, key);
			return found?.row && threadsOf(found.view, found.row, found.detail);
		},
	};
}
