import {deadlockText} from '../../query/locks/deadlock-text.js';
import type {DetailData, ScreenData} from '../state/screen-data.js';
import type {Layer, UiState} from '../state/state.js';
import type {Theme} from '../terminal/theme.js';
import {detailLines, wholeDetail} from './detail-lines.js';
import {messageText} from './footer-lines.js';
import type {Layout} from './layout.js';
import {helpLines, viewHelpLines} from './help-lines.js';
import {menuLines} from './overlay-lines.js';
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
	detail({view, key}, {ui, layout, theme, detailOf}) {
		const detail = detailOf(view, key);
		return detail
			? detailLines(detail, {
				width: layout.width, isFull: ui.query.fullNames, theme, bounds: wholeDetail,
			})
			: ['Nothing sampled yet.'];
	},
};

/** All lines of a layer that lies over the table. */
export function layerLines(layer: CoveringLayer, behind: Behind): string[] {
	return (drawers[layer.kind] as (layer: CoveringLayer, behind: Behind) => string[])(layer, behind);
}
