import {printable, safe} from '../../util/printable.js';
import {headingOf, isFlexible} from '../../query/columns/column.js';
import {sampledMs} from '../../query/counters/share.js';
import {measureOf} from '../../query/counters/scope.js';
import {threadsOf, viewOf} from '../../views/view-registry.js';
import {linksOf} from '../components/detail-lines.js';
import {sizeOfLayer} from '../components/layer-lines.js';
import type {ScreenContext} from '../state/screen-context.js';
import {sourceKindOf, rowsOf} from '../state/screen-data.js';
import type {SessionData} from '../state/session-data.js';
import type {Feed} from '../state/session-store.js';
import type {UiState} from '../state/state.js';
import {allFindings, selectedFinding} from '../status/finding-lines.js';
import {columnsOf, fitTableColumns, overhang, type Layout} from '../text/screen-layout.js';

type ContextInput = {readonly session: SessionData; readonly ui: UiState; readonly feed: Feed; readonly layout: Layout};

/** Returns what keys depend on besides the state, for the layout on the screen. */
export function screenContextOf({session, ui, feed, layout}: ContextInput): ScreenContext {
	const {view, query} = ui;
	const data = session.screenData(ui, feed);
	const {snapshot, since} = data;
	const overMs = snapshot ? sampledMs(snapshot, since) : 0;
	const measure = measureOf(query, overMs);
	const {status, vitals, ring} = feed;
	const rows = rowsOf(data);
	const detailOf = session.detailOf(ui, feed);
	const top = ui.layers.at(-1);
	const shown = columnsOf(view, ui.columns, {rows, query, terminalColumns: layout.columns});
	const fitted = fitTableColumns(shown, layout);
	const visibleColumns = fitted.map(({column}) => column.id);
	return {
		columns: viewOf(view).columns.map(column => {
			const heading = headingOf(column, measure);
			const name = safe`${printable(column.title)}${heading ? safe` (${heading})` : ''}`;
			return {
				id: column.id,
				sortKeys: column.sortKeys,
				name,
				isFlexible: isFlexible(column),
				title: visibleColumns.includes(column.id) ? name : safe`${name}, not shown`,
			};
		}),
		visibleColumns,
		overhang: max => overhang(rows, fitted, {measure, overMs, fullNames: query.fullNames}, max),
		rows,
		pageRows: layout.tableRows,
		source: sourceKindOf(feed),
		traceNote: status.traceNote,
		fullDump: status.canAskForHolders && status.phase === 'sampling'
			? {heapBytes: vitals.heapUsedBytes, heapBytesAtMost: vitals.heapCapacityBytes}
			: undefined,
		ring,
		window: snapshot && {snapshot, since},
		saveFormats: session.saveFormats,
		links: top?.kind === 'detail' ? linksOf(detailOf(top.view, top.key)) : [],
		sizeOf: layer => sizeOfLayer(layer, {ui, data, layout, detailOf}),
		findings: allFindings(data).length,
		rowOfFinding: () => session.rowOfFinding(ui, feed, selectedFinding(ui, data)),
		locationOf(id, key) {
			const row = detailOf(id, key)?.row;
			return row && viewOf(id).locationOf(row);
		},
		threadsOf(key) {
			const {row, detail} = detailOf(view, key) ?? {};
			return row && detail && threadsOf(viewOf(view), row, detail);
		},
	};
}
