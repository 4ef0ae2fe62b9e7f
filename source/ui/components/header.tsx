import {headerItems, itemsOf, type HeaderContext, type HeaderItem} from '../status/items.js';
import {cellWidth} from '../../model/cell-width.js';
import type {Finding} from '../../query/types/query.js';
import type {ScreenData} from '../state/screen-data.js';
import type {UiState} from '../state/state.js';
import type {Layout} from '../text/layout.js';
import {layOut, type Item} from '../text/line-items.js';
import {cut, wrapped, type Span, type Spans} from '../text/spans.js';
import {Line, Lines} from './text.js';

const headerLines = [...new Set(headerItems.map(({line}) => line))];

/** Widths of the gaps between the items of a line, cells: the first with which all items fit, else the last. */
const gapsOf: Readonly<Record<HeaderItem['line'], readonly number[]>> = {1: [2], 2: [3, 2], 3: [2]};

type HeaderProps = {
	readonly ui: UiState;
	readonly data: ScreenData;
	readonly layout: Layout;
	/** Replaces the header of a low screen: the input line, or the message of the last key. */
	readonly replacement?: Spans;
};

/** The target, its resource use and its threads' states; on low screens the most important items in one line. */
export function Header({ui, data, layout: {header, width}, replacement}: HeaderProps) {
	const context: HeaderContext = {ui, data, width};
	switch (header) {
		case 'none': {
			return null;
		}

		case 'full': {
			return headerLines.map(line => <Line key={line} spans={layOut(itemsOf(context, line), width, gapsOf[line])} width={width}/>);
		}

		case 'line': {
			const alarm: Item = {text: allFindings(data).find(({isAlarm}) => isAlarm)?.text ?? '', priority: 0, leastWidth: 0, role: 'error'};
			return <Line spans={replacement ?? layOut([alarm, ...itemsOf(context)], width)} width={width}/>;
		}
	}
}

/** The findings, as many of their lines as the layout has room for. */
export function Findings({data, layout: {findingLines: room, width}}: Pick<HeaderProps, 'data' | 'layout'>) {
	return room === 0 ? null : <Lines lines={fittingLines(data, width, room).map(span => [span])} width={width}/>;
}

/** Returns all findings, the worst first, then the view's own. */
export function allFindings({findings, table}: Pick<ScreenData, 'findings' | 'table'>): readonly Finding[] {
	return [...findings, ...(table?.finding === undefined ? [] : [{id: 'view', text: table.finding, figures: {}}])];
}

const bullet = '! ';

/** Ends the last line if findings do not fit: ? opens the help, which has all of them. */
const moreMark = ' (?)';

/** Returns all findings, each wrapped to lines. */
export function findingLines(data: ScreenData, width: number): ReadonlyArray<readonly Span[]> {
	return allFindings(data).map(({text, isAlarm}) => wrapped(text, Math.max(1, width - bullet.length)).map((line, index): Span => ({text: (index === 0 ? bullet : ' '.repeat(bullet.length)) + line, role: isAlarm ? 'error' : 'hot'})));
}

/** Returns the first `room` lines of the findings; the last one ends with `moreMark` if there are others. */
function fittingLines(data: ScreenData, width: number, room: number): readonly Span[] {
	const lines = findingLines(data, width).flat();
	if (lines.length <= room) {
		return lines;
	}

	// A single line gets all of the first finding, which is then truncated at its end.
	const kept = room === 1 ? [{...lines[0], text: bullet + allFindings(data)[0].text}] : lines.slice(0, room);
	const last = kept.at(-1)!;
	return [...kept.slice(0, -1), {...last, text: cut(withMoreMark(last.text, width), width)}];
}

/** Returns the text, or the whole words of it that fit, followed by `moreMark`. */
function withMoreMark(text: string, width: number): string {
	const fits = cellWidth(text) + moreMark.length <= width;
	return (fits ? text : `${wrapped(text, width - moreMark.length - ' …'.length)[0]} …`) + moreMark;
}
