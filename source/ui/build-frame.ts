import {stateSets} from '../query/state-sets.js';
import {viewOf} from '../views/registry.js';
import type {ViewRow} from '../views/view.js';
import {clip, cut, wrapped} from './cells.js';
import {detailLines, paneDetail, wholeDetail} from './detail-lines.js';
import {footerLines, messageLines, messageText} from './footer-lines.js';
import type {Frame} from './frame.js';
import {headerLines} from './header-lines.js';
import {layoutOf, type Layout} from './layout.js';
import {helpLines, menuLines} from './overlay-lines.js';
import {rowsOf, type DetailData, type ScreenData} from './screen-data.js';
import {
	firstRow, queryOf, selectedIndex, type Layer, type UiState,
} from './state.js';
import {
	headingLine, placeColumns, rowLines, type DrawnTable, type TableView,
} from './table-lines.js';
import type {Size} from './terminal.js';
import {Theme} from './theme.js';
import {warningsOf} from './warnings.js';

/** Asks for a row's detail; called only for what is drawn. */
export type DetailOf = (view: UiState['view'], key: string) => DetailData | undefined;

/** The lines of the topmost layer that lies over the table, all of them; undefined when none does. */
export function layerLines(state: UiState, data: ScreenData, layout: Layout, theme: Theme, detailOf: DetailOf): string[] | undefined {
	const layer = coveringLayer(state);
	if (layer?.kind === 'help') {
		return helpLines(state.layers.some(({kind}) => kind === 'detail') ? 'detail' : state.view, layout.width, theme, {
			warnings: warningsOf(data).map(({whole}) => whole),
			notes: [...new Set([messageText(state, data).text, data.status.note ?? ''])].filter(Boolean),
			isRecording: data.status.phase === 'recording',
		});
	}

	if (layer?.kind === 'menu') {
		return menuLines(layer, layout.layerLines, layout.width, theme);
	}

	if (layer?.kind === 'detail') {
		const data = detailOf(layer.view, layer.key);
		return data
			? detailLines(data, {
				width: layout.width, isFull: state.query.fullNames, theme, bounds: wholeDetail,
			})
			: ['Nothing sampled yet.'];
	}

	return undefined;
}

/** The topmost layer but for an input line, which takes the message line only. */
export function coveringLayer(state: UiState): Exclude<Layer, {kind: 'input'}> | undefined {
	return state.layers.findLast((layer): layer is Exclude<Layer, {kind: 'input'}> => layer.kind !== 'input');
}

/** What fits on the screen beside what is to be said now. */
export function layoutFor(state: UiState, data: ScreenData, size: Size): Layout {
	return layoutOf(size, messageLines(state, data, size.columns - 1, plain).length);
}

/** For counting lines. */
const plain = new Theme({color: false, ascii: true});

/** The whole screen of a state, its numbers and a size: pure, and never larger than one cell and one line less than the screen. */
export function buildFrame(state: UiState, data: ScreenData, size: Size, theme: Theme, detailOf: DetailOf): Frame {
	const {above, heading, rows, below} = unfinished(state, data, size, theme, detailOf);
	const finish = (line: string) => clip(theme.finish(line), size.columns - 1);
	return {
		above: above.map(line => finish(line)), below: below.map(line => finish(line)), ...(rows ? {heading: finish(heading ?? ''), rows: rows.map(line => finish(line))} : {}),
	};
}

function unfinished(state: UiState, data: ScreenData, size: Size, theme: Theme, detailOf: DetailOf): Frame {
	const layout = layoutFor(state, data, size);
	const header = headerLines(state, data, layout, theme);
	// Without a footer, what is typed or was done just now takes the header's line.
	const isTyping = state.layers.at(-1)?.kind === 'input';
	const said = !layout.hasFooter && header.length > 0 && (isTyping || state.message)
		? (isTyping ? messageLines(state, data, layout.width, theme)[0] : cut(messageText(state, data).text, layout.width))
		: undefined;
	const above = said === undefined ? header : [said];
	const below = footerLines(state, data, layout, theme);
	const layer = layerLines(state, data, layout, theme, detailOf);
	if (layer) {
		const covering = coveringLayer(state);
		const top = covering && 'top' in covering ? covering.top : 0;
		const from = Math.min(top, Math.max(0, layer.length - layout.layerLines));
		return {above: [...above, ...filled(layer.slice(from, from + layout.layerLines), layout.layerLines)], below};
	}

	if (layout.tableRows === 0) {
		return {above, below};
	}

	const keys = rowsOf(data).map(({key}) => key);
	const selection = state.selections[state.view];
	const view = viewOf(state.view);
	// What is left from the view before has no cursor.
	const selected = data.table?.view === view ? selectedIndex(selection, keys) : -1;
	const top = firstRow(selection.top, Math.max(0, selected), keys.length, layout.tableRows);
	const pane = layout.paneLines > 0 ? paneLines(state, keys[selected], layout, theme, detailOf) : [];
	const drawn: DrawnTable = {
		query: queryOf(state), theme, left: state.left, trendOf: data.trendOf, layout,
	};
	const {rows = [], allRows = 0} = data.table ?? {};
	const table = tableOf({
		columns: view.columns, rows, top, selected, counts: data.table ? `${rows.length}/${allRows}` : '', isDim: row => view.isDim(row),
	}, drawn);
	if (keys.length === 0) {
		for (const [index, line] of wrapped(emptyText(state, data), layout.width).slice(0, layout.tableRows).entries()) {
			table.rows[index] = theme.paint('dim', line);
		}
	}

	return {
		above, ...(layout.hasHeading ? {heading: table.heading, rows: table.rows} : {}), below: [...(layout.hasHeading ? [] : table.rows), ...pane, ...below],
	};
}

function tableOf(view: TableView<ViewRow>, drawn: DrawnTable): {heading: string; rows: string[]} {
	const placed = placeColumns(view.columns, drawn.layout);
	return {heading: headingLine(view, placed, drawn), rows: rowLines(view, placed, drawn)};
}

function paneLines(state: UiState, key: string | undefined, layout: Layout, theme: Theme, detailOf: DetailOf): string[] {
	const detail = key === undefined ? undefined : detailOf(state.view, key);
	const rule = theme.paint('dim', (theme.isAscii ? '-' : '─').repeat(layout.width));
	const lines = detail
		? detailLines(detail, {
			width: layout.width, isFull: state.query.fullNames, theme, bounds: paneDetail,
		})
		: [];
	return filled([rule, ...lines].slice(0, layout.paneLines), layout.paneLines);
}

function filled(lines: readonly string[], count: number): string[] {
	return [...lines, ...Array.from({length: Math.max(0, count - lines.length)}, () => '')];
}

/** Why there are no rows, and what to do. */
function emptyText(state: UiState, {status, snapshot, table}: ScreenData): string {
	if (!snapshot || snapshot.session.samples === 0) {
		return status.phase === 'starting' || status.phase === 'sampling' ? 'waiting for the first sample' : 'no samples were taken';
	}

	const known = table?.view.emptyText(table, state.query);
	if (known !== undefined) {
		return known;
	}

	if (state.query.filter !== '') {
		return 'no rows match the filter; Esc clears it';
	}

	if (state.query.threadKeys) {
		return 'nothing from these threads in this window; t shows all';
	}

	const set = stateSets.find(({id}) => id === state.stateSet);
	return `nothing in this window${set && set.id !== 'all' ? ` in the counted states: ${set.title}; x for others` : ''}`;
}
