import {headerItems, itemsOf, type HeaderContext, type HeaderItem} from '../status/items.js';
import {cellWidth} from '../../model/cell-width.js';
import type {Finding} from '../../query/types/query.js';
import type {ScreenData} from '../state/screen-data.js';
import type {UiState} from '../state/state.js';
import type {Layout} from '../text/layout.js';
import {layOut, type Item} from '../text/line-items.js';
import {cut, wrapped, type Span, type Spans} from '../text/spans.js';
import {Line, Lines, useTheme} from './text.js';

const headerLines = [...new Set(headerItems.map(({line}) => line))];

/** Cells between the items of a line: the first of these gaps with which all items fit, else the last. */
const gapsOf: Readonly<Record<HeaderItem['line'], readonly number[]>> = {1: [2], 2: [3, 2], 3: [2]};

type HeaderProps = {
	readonly ui: UiState;
	readonly data: ScreenData;
	readonly layout: Layout;
	/** Replaces the header of a low screen: the input line, or the message of the last key. */
	readonly instead?: Spans;
};

/** The target, its resource use and its threads' states; on low screens the most important items in one line. */
export function Header({ui, data, layout: {header, width}, instead}: HeaderProps) {
	const context: HeaderContext = {ui, data, levels: useTheme().levels, width};
	switch (header) {
		case 'none': {
			return null;
		}

		case 'full': {
			return headerLines.map(line => <Line key={line} spans={layOut(itemsOf(context, line), width, gapsOf[line])} width={width}/>);
		}

		case 'line': {
			const alarm: Item = {
				text: shownFindings(data).find(({isAlarm}) => isAlarm)?.text ?? '', priority: 0, leastWidth: 0, role: 'error',
			};
			return <Line spans={instead ?? layOut([alarm, ...itemsOf(context)], width)} width={width}/>;
		}
	}
}

/** The findings, as many of their lines as the layout has room for. */
export function Findings({data, layout: {findingLines: room, width}}: Pick<HeaderProps, 'data' | 'layout'>) {
	return room === 0 ? null : <Lines lines={fitted(data, width, room).map(span => [span])} width={width}/>;
}

/** Returns all findings, the worst first, then the view's own. */
export function shownFindings({findings, table}: Pick<ScreenData, 'findings' | 'table'>): readonly Finding[] {
	return [...findings, ...(table?.finding === undefined ? [] : [{id: 'view', text: table.finding, figures: {}}])];
}

const mark = '! ';

/** Ends the last line if findings do not fit: ? opens the help, which has all of them. */
const more = ' (?)';

/** Returns all findings, each wrapped to lines. */
export function findingLines(data: ScreenData, width: number): ReadonlyArray<readonly Span[]> {
	return shownFindings(data).map(({text, isAlarm}) => wrapped(text, Math.max(1, width - mark.length)).map((line, index): Span => ({text: `${index === 0 ? mark : ' '.repeat(mark.length)}${line}`, role: isAlarm ? 'error' : 'hot'})));
}

/** Returns the first `room` lines of the findings; the last one ends with `more` if there are others. */
function fitted(data: ScreenData, width: number, room: number): readonly Span[] {
	const lines = findingLines(data, width).flat();
	if (lines.length <= room) {
		return lines;
	}

	// A single line gets all of the first finding, which is then truncated at its end.
	const kept = room === 1 ? [{...lines[0], text: mark + shownFindings(data)[0].text}] : lines.slice(0, room);
	const last = kept.at(-1)!;
	return [...kept.slice(0, -1), {...last, text: cut(withMore(last.text, width), width)}];
}

/** Returns the text, or the whole words of it that fit, followed by `more`. */
function withMore(text: string, width: number): string {
	const isWhole = cellWidth(text) + more.length <= width;
	return (isWhole ? text : `${wrapped(text, width - more.length - ' …'.length)[0]} …`) + more;
}
