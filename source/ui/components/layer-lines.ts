import type {LayerSize} from '../state/screen-context.js';
import type {DetailOf, ScreenData} from '../state/screen-data.js';
import type {MenuLayer, ScrolledLayer, UiState} from '../state/state.js';
import {layerRoom, type Layout} from '../text/screen-layout.js';
import {detailLines} from './detail-lines.js';
import {helpOf, type HelpLine} from './help-lines.js';

/** What the lines of a layer depend on besides the layer. */
export type LayerContext = {
	readonly ui: UiState;
	readonly data: ScreenData;
	readonly layout: Layout;
	readonly detailOf: DetailOf;
};

/** Returns all lines of a layer, and the index of that of the selected link. */
export function linesOf(
	layer: ScrolledLayer,
	{ui, data, layout: {width}, detailOf}: LayerContext,
): {readonly lines: readonly HelpLine[]; readonly linkLine?: number} {
	if (layer.kind === 'help') {
		return {lines: helpOf(layer, ui, data, width)};
	}

	const detail = detailOf(layer.view, layer.key);
	// Only rows of the current view have known trends.
	const trend = layer.view === ui.view ? data.trendOf(layer.key) : undefined;
	const shown = detail && {...detail, trend: trend?.some(value => value > 0) ? trend : undefined};
	return detailLines(shown, layer.link, {width, fullNames: ui.query.fullNames});
}

/** Returns how far a layer can be scrolled. */
export function sizeOfLayer(layer: MenuLayer | ScrolledLayer, screen: LayerContext): LayerSize {
	const {lines, linkLine} = layer.kind === 'menu'
		? {lines: layer.items, linkLine: undefined}
		: linesOf(layer, screen);
	const page = layerRoom(screen.layout, lines.length);
	// A table's heading may be in place of the page's first line, which must then be the last of the page before.
	const overlap = layer.kind === 'help' ? 1 : 0;
	return {lines: lines.length, page, step: page - overlap, linkLine};
}
