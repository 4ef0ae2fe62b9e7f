import {deadlockText} from '../../query/locks/deadlock-text.js';
import type {DetailData, ScreenData} from '../state/screen-data.js';
import type {Layer, UiState} from '../state/state.js';
import type {Theme} from '../terminal/theme.js';
import {linksOf, markedLink, type DetailLine} from './detail/detail-line.js';
import {detailLines, wholeDetail} from './detail/detail-lines.js';
import {messageText} from './footer-lines.js';
import type {Layout} from './layout.js';
import {helpLines, viewHelpLines} from './help-lines.js';
import {menuLines} from './overlay-lines.js';
import {sparkline} from './trend.js';
import {warningsOf} from './warnings.js';

/** Asks for a row's detail; called only for what is drawn. */
export type DetailOf = (view: UiState['view'], key: string) => DetailData | undefined;

/** A layer that lies over the table. */
export type CoveringLayer = Exclude<Layer, {kind: 'input'}>;

/** The topmost layer but for an input line, which takes the message line only. */
export function coveringLayer(state: UiState): CoveringLayer | undefined {
	return state.layers.findLast((layer): layer is CoveringLayer => layer.kind !== 'input');
}

/** What layers are drawn from. */
export type Behind = {readonly ui: UiState; readonly data: ScreenData; readonly layout: Layout; readonly theme: Theme; readonly detailOf: DetailOf};

/** All lines of a layer: how each kind is drawn. */
const drawers: {readonly [Kind in CoveringLayer['kind']]: (layer: Extract<CoveringLayer, {kind: Kind}>, behind: Behind) => string[]} = {
	help: ({isOfView}, {ui, data, layout, theme}) => (isOfView ? viewHelpLines : helpLines)(ui.layers.some(({kind}) => kind === 'detail') ? 'detail' : ui.view, layout.width, theme, {
		warnings: [...(data.summary?.deadlocks ?? []).map(deadlock => deadlockText(deadlock)), ...warningsOf(data).map(({whole}) => whole)],
		notes: [...new Set([messageText(ui, data).text, data.status.note ?? '', ...ui.notes])].filter(Boolean),
		isRecording: data.status.phase === 'recording',
		keyChanges: ui.keyChanges,
	}),
	menu: (layer, {layout, theme}) => menuLines(layer, layout.layerLines, layout.width, theme),
	detail(layer, behind) {
		const lines = linesOfDetail(layer, behind);
		const marked = markedLink(linksOf(lines), layer.link)?.line;
		return lines.map(({text}, line) => line === marked ? markedLine(text) : text);
	},
};

/** All lines of a layer that lies over the table. */
export function layerLines(layer: CoveringLayer, behind: Behind): string[] {
	return (drawers[layer.kind] as (layer: CoveringLayer, behind: Behind) => string[])(layer, behind);
}

/** Whether Enter may go to another row from what is on top: in a detail, where a line stands for one. */
export function leadsOn(behind: Behind): boolean {
	const layer = behind.ui.layers.at(-1);
	return layer?.kind !== 'detail' || linksOf(linesOfDetail(layer, behind)).length > 0;
}

/** The lines of a row's detail, and the rows that they stand for. */
export function linesOfDetail({view, key}: Extract<Layer, {kind: 'detail'}>, {ui, data, layout, theme, detailOf}: Behind): readonly DetailLine[] {
	const detail = detailOf(view, key);
	if (!detail) {
		return [{text: 'Nothing sampled yet.'}];
	}

	const trend = view === ui.view ? data.trendOf(key) : undefined;
	return detailLines({...detail, ...(trend?.some(value => value > 0) ? {trend: cells => sparkline(trend.slice(-cells), theme.levels)} : {})}, {
		width: layout.width, isFull: ui.query.fullNames, theme, bounds: wholeDetail,
	});
}

/** A line that Enter goes to, with the cursor's mark in its first cell, which is blank in all of them. */
function markedLine(text: string): string {
	return text.replace(/^(?:\u001B\[[\d;]*m)* /, start => `${start.slice(0, -1)}>`);
}
