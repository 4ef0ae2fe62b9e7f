import {cellWidth, cutStart} from '../../model/cell-width.js';
import {inputError} from '../state/reduce-input.js';
import type {ScreenData} from '../state/screen-data.js';
import type {InputLayer, UiState} from '../state/state.js';
import {messageOf} from '../status/session-states.js';
import type {Layout} from '../text/layout.js';
import {
	cut, spansWidth, wrappedSpans, type Span, type Spans,
} from '../text/spans.js';
import {keyLine, type KeyRoom} from './key-line.js';
import {Lines} from './text.js';

type FooterProps = {
	readonly ui: UiState;
	readonly data: ScreenData;
	readonly layout: Layout;
	readonly message: readonly Spans[];
	/** Whether Enter in the detail on top opens another row. */
	readonly hasLinks: boolean;
};

const keysGap = 3;

/** The prompt or message, if any, then the keys of the current context. A message that does not fit is in the help. */
export function Footer({ui, data, layout: {width, footerLines: room}, message, hasLinks}: FooterProps) {
	if (message.length > room) {
		return <Lines lines={[...message.slice(0, room - 1), [{text: cut('... press ? to read all of it', width), role: 'dim'}]]} width={width}/>;
	}

	return <Lines lines={[...message.slice(0, -1), withKeys(message.at(-1) ?? [], ui, data, {width, hasLinks})]} width={width} height={room}/>;
}

/** Returns the first line of a message or prompt, with the keys if it is the only one: for screens without a footer. */
export function firstLine(message: readonly Spans[], ui: UiState, data: ScreenData, room: KeyRoom): Spans {
	return message.length > 1 ? message[0] : withKeys(message[0] ?? [], ui, data, room);
}

/** Returns a line followed by the keys; after text they are right-aligned, and left out unless all fit. */
function withKeys(line: Spans, ui: UiState, data: ScreenData, {width, hasLinks}: KeyRoom): Spans {
	const end = spansWidth(line);
	const keys = keyLine(ui, data, {width: Math.max(0, end === 0 ? width : width - end - keysGap), hasLinks});
	if (end === 0) {
		return keys;
	}

	return keys.some(({text}) => text.endsWith('…')) ? line : [...line, {text: ' '.repeat(Math.max(0, width - end - spansWidth(keys)))}, ...keys];
}

/** Returns the lines of the prompt, or else of the message; empty if there is neither. */
export function promptOrMessage(ui: UiState, data: ScreenData, width: number, hasColor: boolean): readonly Spans[] {
	const input = ui.layers.at(-1);
	if (input?.kind === 'input') {
		return prompt(input, width, hasColor);
	}

	const {text, isAlarm} = messageOf(ui, data);
	return text === '' ? [] : wrappedSpans(text, width, isAlarm ? 'error' : (ui.message ? undefined : 'dim'));
}

const errorGap = 2;

/** Returns the input line, its error after it (or below if too long), and the note to read before pressing Enter. */
function prompt(input: InputLayer, width: number, hasColor: boolean): readonly Spans[] {
	const error = inputError(input);
	const line = inputLine(input, width, hasColor);
	// The empty line at the end is for the keys.
	const about = input.about === undefined ? [] : [...wrappedSpans(input.about, width, 'dim'), []];
	if (error === undefined) {
		return [line, ...about];
	}

	return spansWidth(line) + errorGap + cellWidth(error) <= width
		? [[...line, {text: ' '.repeat(errorGap)}, {text: error, role: 'error'}], ...about]
		: [line, ...wrappedSpans(error, width, 'error'), ...about];
}

/** Returns the label and the part of the text around its cursor that fits. */
function inputLine({label, text, cursor, isSelected}: InputLayer, width: number, hasColor: boolean): readonly Span[] {
	if (width <= 0) {
		return [];
	}

	const [atCursor = ' ', ...after] = text.slice(cursor);
	const room = Math.max(1, width - cellWidth(atCursor) - Math.min(cellWidth(label), Math.floor(width / 2)));
	const typed = cutStart(text.slice(0, cursor), room);
	const lead = cut(label, Math.max(0, width - cellWidth(atCursor) - cellWidth(typed)));
	const rest = cut(after.join(''), Math.max(0, width - cellWidth(lead) - cellWidth(typed) - cellWidth(atCursor)));
	// Without colour, brackets mark selected text, and _ a cursor on a blank.
	const before = isSelected && !hasColor ? `[${typed}]`.slice(0, Math.max(0, width - cellWidth(lead) - cellWidth(atCursor))) : typed;
	return [{text: lead, role: 'key'}, {text: before, role: isSelected ? 'selected' : undefined}, {text: hasColor || atCursor !== ' ' ? atCursor : '_', role: 'selected'}, {text: rest}];
}
