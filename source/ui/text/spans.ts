import {safe, type Printable} from '../../util/printable.js';
import {sumOf} from '../../util/sum.js';
import {cellWidth, firstCells, graphemes} from '../../util/cell-width.js';
import type {Role} from '../../model/role.js';
import type {Trend} from '../../query/past/steps.js';

export {elideEnd, elideStart, fit, pad} from '../../util/cell-width.js';

/** A piece of a line. */
export type Span = {
	readonly text: Printable;
	/** Determines the style; `states`: letters of thread states, each in the colour of its state. */
	readonly role?: Role | 'states';
	/** Whether it is a filled box: the role's colour is its background. */
	readonly isFilled?: boolean;
	/** The colour of a filled box, one of 256, in place of the role's. */
	readonly boxColor?: number;
};

/** A line of the screen, from left to right. Only components/text makes styled text of it. */
export type Spans = readonly Span[];

export function spansWidth(spans: Spans): number {
	return sumOf(spans, ({text}) => cellWidth(text));
}

/** Returns the line truncated to `width` cells. */
export function truncateSpans(spans: Spans, width: number): Spans {
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

/** Returns the same line without empty spans, and with neighbours that look alike as one span. */
export function joinAlike(spans: Spans): Spans {
	const joined: Span[] = [];
	for (const {text, role, isFilled, boxColor} of spans) {
		const last = joined.at(-1);
		if (last && last.role === role && last.isFilled === isFilled && last.boxColor === boxColor) {
			joined[joined.length - 1] = {...last, text: safe`${last.text}${text}`};
		} else if (text !== '') {
			joined.push({text, role, isFilled, boxColor});
		}
	}

	return joined;
}

/** Returns the text without its first `count` cells; half of a wide character that remains becomes a blank. */
export function dropCells(text: Printable, count: number): Printable {
	let [dropped, from] = [0, 0];
	for (const {text: character, cells} of graphemes(text)) {
		if (dropped >= count) {
			break;
		}

		dropped += cells;
		from += character.length;
	}

	return safe`${safe` `.repeat(Math.max(0, dropped - count))}${text.slice(from)}`;
}

/** Wraps the text into one or more lines of at most `width` cells, at blanks or within words longer than a line. */
export function wrapped(text: Printable, width: number): Printable[] {
	const room = Math.max(1, width);
	const lines: Printable[] = [];
	let line = safe``;
	for (const word of text.split(' ')) {
		if (line !== '' && cellWidth(line) + 1 + cellWidth(word) > room) {
			lines.push(line);
			line = word;
		} else {
			line = line === '' ? word : safe`${line} ${word}`;
		}

		while (cellWidth(line) > room) {
			const head = firstCells(line, room) || graphemes(line)[0].text;
			lines.push(head);
			line = line.slice(head.length);
		}
	}

	return [...lines, line];
}

/** Wraps the text as `wrapped` does, each line in a role. */
export function wrappedSpans(text: Printable, width: number, role?: Span['role']): Spans[] {
	return wrapped(text, width).map(line => [{text: line, role}]);
}

/** Returns a trend of fewer steps, a divisor of their number: the highest value of each group. */
export function condensed(trend: Trend, count: number): Trend {
	const size = trend.length / count;
	return Array.from({length: count}, (_, index) => Math.max(...trend.slice(index * size, (index + 1) * size)));
}
