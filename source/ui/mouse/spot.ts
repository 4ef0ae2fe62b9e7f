import {columnsOf} from '../columns/chosen-columns.js';
import {rowsOf, type ScreenData} from '../state/screen-data.js';
import type {UiState} from '../state/state.js';
import type {Spot} from '../state/surroundings.js';
import {tabAt} from '../text/header-lines.js';
import {coveringLayer} from '../text/layers.js';
import {fullHeaderLines, type Layout} from '../text/layout.js';
import {firstItem} from '../text/overlay-lines.js';
import {placeColumns, widthsOf} from '../text/table-cells.js';

/** What is at a cell of the screen, both counted from 0; undefined for nothing that may be clicked. */
export function spotAt(line: number, column: number, {ui, data, layout}: {readonly ui: UiState; readonly data: ScreenData; readonly layout: Layout}): Spot | undefined {
	if (layout.header === 'full' && line === fullHeaderLines - 1) {
		const view = tabAt(ui, data, layout.width, column);
		return view === undefined ? undefined : {kind: 'tab', view};
	}

	// What varies in height is above it.
	const end = layout.height - (layout.hasFooter ? 1 : 0) - layout.messageLines;
	const layer = coveringLayer(ui);
	if (layer) {
		const index = line - (end - layout.layerLines) - 1;
		return layer.kind === 'menu' && index >= 0 && line < end ? inList('item', firstItem(layer, layout.layerLines) + index, layer.items.length) : undefined;
	}

	const first = end - layout.paneLines - (layout.hasHints ? 1 : 0) - layout.tableRows;
	if (layout.hasHeading && line === first - 1) {
		const found = columnAt(column, ui, layout);
		return found === undefined ? undefined : {kind: 'heading', column: found};
	}

	return line >= first && line < first + layout.tableRows ? inList('row', ui.selections[ui.view].top + line - first, rowsOf(data).length) : undefined;
}

function inList(kind: 'row' | 'item', index: number, length: number): Spot | undefined {
	return index < length ? {kind, index} : undefined;
}

/** The id of the column of the table that a cell is in. */
function columnAt(at: number, ui: UiState, layout: Layout): string | undefined {
	const placed = placeColumns(columnsOf(ui.view, ui.columns), layout);
	let end = 0;
	const index = widthsOf(placed, layout.width).findIndex(width => {
		end += width;
		return at < end;
	});
	return placed[index]?.column.id;
}
