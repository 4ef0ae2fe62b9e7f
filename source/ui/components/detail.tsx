import {safe} from '../../util/printable.js';
import {rowsOf, type DetailOf, type ScreenData} from '../state/screen-data.js';
import {selectedRow, type UiState} from '../state/state.js';
import type {Layout} from '../text/screen-layout.js';
import type {Spans} from '../text/spans.js';
import {detailPaneLines} from './detail-lines.js';
import {Lines} from './text.js';

/** Shows the detail of the selected row below the table, if the screen is high enough. */
export function Pane({ui, data, layout, detailOf}: {
	readonly ui: UiState;
	readonly data: ScreenData;
	readonly layout: Layout;
	readonly detailOf: DetailOf;
}) {
	const {paneLines, width} = layout;
	if (paneLines === 0) {
		return null;
	}

	const row = selectedRow(ui, rowsOf(data));
	const detail = row && detailOf(ui.view, row.key);
	const rule: Spans = [{text: safe`─`.repeat(width), role: 'dim'}];
	const lines = detail ? detailPaneLines(detail, {width, fullNames: ui.query.fullNames}) : [];
	return <Lines lines={[rule, ...lines]} width={width} height={paneLines}/>;
}
