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

/** Cells between the items of a line; the first gap is taken with which all items fit. */
const gapsOf: Readonly<Record<HeaderItem['line'], readonly number[]>> = {1: [2], 2: [3, 2], 3: [2]};

type HeaderProps = {
	readonly ui: UiState;
	readonly data: ScreenData;
	readonly layout: Layout;
	/** What takes the place of a low screen's header: what is being typed, or the message of the last key. */
	readonly instead?: Spans;
};

/** The program: what it is, what it uses, what its threads do. On low screens the most important of it in one line. */
export function Header({ui, data, layout: {header, width}, instead}: HeaderProps) {
	const context: HeaderContext = {
		ui, data, levels: useTheme().levels, width,
	};
	switch (header) {
		case 'none': {
			return null;
		}

		case 'full': {
			return headerLines.map(line => <Line key={line} spans={layOut(itemsOf(context, line), width, gapsOf[line])} width={width}/>);
		}

		case 'line': {
			const alarm = shownFindings(data).find(({isAlarm}) => isAlarm);
			const first: Item[] = alarm
				? [{
					text: alarm.text, priority: 0, leastWidth: 0, role: 'error',
				}]
				: [];
			return <Line spans={instead ?? layOut([...first, ...itemsOf(context)], width)} width={width}/>;
		}
	}
}

type FindingsProps = {
	readonly data: ScreenData;
	readonly layout: Layout;
	/** All of `findingLines`. */
	readonly lines: readonly Span[];
};

/** What matters more than any row. */
export function Findings({data, layout: {findingLines: room, width}, lines}: FindingsProps) {
	return room === 0 ? null : <Lines lines={fitted(lines, data, width, room).map(span => [span])} width={width}/>;
}

/** All findings, the worst first, with what the view itself adds. */
export function shownFindings({findings, table}: Pick<ScreenData, 'findings' | 'table'>): readonly Finding[] {
	return [...findings, ...(table?.finding === undefined ? [] : [{id: 'view', text: table.finding, figures: {}}])];
}

const mark = '! ';

/** At the end of the last line if there is more to read. */
const more = ' (?)';

/** The lines that all findings take. */
export function findingLines(data: Pick<ScreenData, 'findings' | 'table'>, width: number): Span[] {
	return shownFindings(data).flatMap(({text, isAlarm}) => wrapped(text, Math.max(1, width - mark.length)).map((line, index): Span => ({text: `${index === 0 ? mark : ' '.repeat(mark.length)}${line}`, role: isAlarm ? 'error' : 'hot'})));
}

/** As many lines of findings as there is room for; the help has the rest. */
function fitted(lines: readonly Span[], data: ScreenData, width: number, room: number): readonly Span[] {
	if (lines.length <= room) {
		return lines;
	}

	const kept = room === 1 ? [{...lines[0], text: mark + shownFindings(data)[0].text}] : lines.slice(0, room);
	const last = kept.at(-1)!;
	return [...kept.slice(0, -1), {...last, text: cut(withMore(last.text, width), width)}];
}

/** As many whole words as there is room for. */
function withMore(text: string, width: number): string {
	const isWhole = cellWidth(text) + more.length <= width;
	return (isWhole ? text : `${wrapped(text, width - more.length - ' …'.length)[0]} …`) + more;
}
