import type {ReactElement} from 'react';
import {safe} from '../../util/printable.js';
import {allFindings, fittingLines} from '../status/finding-lines.js';
import {headerItems, itemsOf, type HeaderContext, type HeaderItem} from '../status/items.js';
import type {ScreenData} from '../state/screen-data.js';
import type {UiState} from '../state/state.js';
import type {Layout} from '../text/screen-layout.js';
import type {Item} from '../text/line-items.js';
import {ItemLine} from './item-line.js';
import {Lines} from './text.js';

const headerLines = [...new Set(headerItems.map(({line}) => line))];

/** Widths of the gaps between the items of a line, cells: the first with which all items fit, else the last. */
const gapsOf: Readonly<Record<HeaderItem['line'], readonly number[]>> = {1: [2], 2: [3, 2], 3: [2]};

type HeaderProps = {
	readonly ui: UiState;
	readonly data: ScreenData;
	readonly layout: Layout;
	/** Replaces the header of a low screen: the input line, or the message of the last key. */
	readonly replacement?: ReactElement;
};

/** The target, its resource use and its threads' states; on low screens the most important items in one line. */
export function Header({ui, data, layout: {header, width}, replacement}: HeaderProps) {
	const context: HeaderContext = {ui, data, width};
	switch (header) {
		case 'none': {
			return null;
		}

		case 'full': {
			return headerLines.map(line => (
				<ItemLine key={line} items={itemsOf(context, line)} gaps={gapsOf[line]} width={width}/>
			));
		}

		case 'line': {
			const alarm: Item = {
				text: allFindings(data).find(({isAlarm}) => isAlarm)?.text ?? safe``,
				priority: 0,
				leastWidth: 0,
				role: 'error',
			};
			return replacement ?? <ItemLine items={[alarm, ...itemsOf(context)]} width={width}/>;
		}
	}
}

/** The findings, as many of their lines as the layout has room for; `ui.finding` is the first. */
export function Findings({ui, data, layout: {findingLines: room, width}}: Pick<HeaderProps, 'ui' | 'data' | 'layout'>) {
	const lines = room === 0 ? [] : fittingLines(ui, data, width, room).map(span => [span]);
	return <Lines lines={lines} width={width} height={room}/>;
}
