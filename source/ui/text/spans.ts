import {sumOf} from '../../model/sum.js';
import {cellWidth, firstCells, graphemes} from '../../model/cell-width.js';
import type {Role} from '../terminal/theme.js';
import type {Trend} from '../../query/past/steps.js';

export {cut, fit, pad} from '../../model/cell-width.js';

/** A piece of a line with the role that decides how it looks; `states`: state letters, each in the colour of its state. */
export type Span = {
	readonly text: string;
	readonly role?: Role | 'states';
	/** What a click on it selects. */
	readonly id?: string;
};

/** A line of the screen, from its left end. Colours come in when it is drawn, see components/text. */
export type Spans = readonly Span[];

export function spansWidth(spans: Spans): number {
	return sumOf(spans, ({text}) => cellWidth(text));
}

/** The line truncated to `width` cells. */
export function clipSpans(spans: Spans, width: number): Spans {
	if (spansWidth(spans) <= width) {
		return spans;
	}

	let left = width;
	return spans.map(span => {
		const text = firstCells(span.text, left);
		left = text === span.text ? left - cellWidth(text) : 0;
		return {...span, text};
	});
}

/** The text without its first cells. */
export function dropCells(text: string, count: number): string {
	let [dropped, from] = [0, 0];
	for (const {text: character, cells} of graphemes(text)) {
		if (dropped >= count) {
			break;
		}

		dropped += cells;
		from += character.length;
	}

	return ' '.repeat(Math.max(0, dropped - count)) + text.slice(from);
}

/** The text in lines of at most `width` cells, broken at blanks, or within a word longer than a line. At least one line. */
export function wrapped(text: string, width: number): string[] {
	const room = Math.max(1, width);
	const lines: string[] = [];
	let line = '';
	for (const word of text.split(' ')) {
		if (line !== '' && cellWidth(line) + 1 + cellWidth(word) > room) {
			lines.push(line);
			line = word;
		} else {
			line = line === '' ? word : `${line} ${word}`;
		}

		while (cellWidth(line) > room) {
			const head = firstCells(line, room) || graphemes(line)[0].text;
			lines.push(head);
			line = line.slice(head.length);
		}
	}

	return [...lines, line];
}

/** The same, each line in a role. */
export function wrappedSpans(text: string, width: number, role?: Span['role']): Spans[] {
	return wrapped(text, width).map(line => [{text: line, role}]);
}

/** A trend of half as many steps: of each two the higher one. */
export function halved(trend: Trend): Trend {
	return trend.filter((_, index) => index % 2 === 1).map((value, index) => Math.max(value, trend[index * 2]));
}

/** A trend as one character a step; `levels` from nothing to all, a UTF-16 unit each. */
export function sparkline(trend: Trend, levels: string): string {
	const most = levels.length - 1;
	let line = '';
	for (const value of trend) {
		line += levels[value <= 0 ? 0 : Math.max(1, Math.min(most, Math.ceil(value * most)))];
	}

	return line;
}
