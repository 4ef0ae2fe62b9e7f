import {cellWidth, cutStart} from '../../model/cell-width.js';
import {viewOf} from '../../views/registry.js';
import type {Hint} from '../../views/common/view.js';
import {shownKeys, actionOf, bindingOf, keysOf, type KeyBinding} from '../state/keys.js';
import {inputError} from '../state/reduce-input.js';
import {backFromFocus} from '../state/rows.js';
import {keySourceOf, rowsOf, type ScreenData} from '../state/screen-data.js';
import {contextOf, queryOf, selectedRow, type InputLayer, type MenuLayer, type UiState} from '../state/state.js';
import {messageOf} from '../status/session-states.js';
import type {Layout} from '../text/layout.js';
import {layOut, type Item} from '../text/line-items.js';
import {cut, spansWidth, wrappedSpans, type Span, type Spans} from '../text/spans.js';
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

	const areTruncated = keys.some(({text}) => text.endsWith('…'));
	return areTruncated ? line : [...line, {text: ' '.repeat(Math.max(0, width - end - spansWidth(keys)))}, ...keys];
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

/** Actions whose keys stay longest in a narrow key line, the most important first. */
const keyOrder = ['close', 'help-view', 'back', 'accept', 'filter', 'open', 'sort-menu', 'pause', 'save', 'next-view'];

type KeyRoom = {readonly width: number; readonly hasLinks: boolean};

/** Titles of Enter and Esc in an input line, by its purpose. */
const inputTitles: Readonly<Record<InputLayer['purpose'], Readonly<Record<string, string>>>> = {
	filter: {accept: 'keep', back: 'clear'}, delay: {accept: 'set', back: 'cancel'}, 'save-name': {accept: 'save', back: 'cancel'}, trace: {accept: 'look up', back: 'cancel'}, 'confirm-trace': {accept: 'answer', back: 'no'}, holders: {accept: 'ask', back: 'cancel'},
};

/** Titles of Enter and Esc in a menu that differ from those of the key table. */
const menuTitles: Readonly<Record<MenuLayer['purpose'], Readonly<Record<string, string>>>> = {
	sort: {}, 'save-format': {}, columns: {accept: 'on or off', back: 'done'},
};

/** Actions in a detail that do nothing unless it has links. */
const linkActions: ReadonlySet<KeyBinding['action']> = new Set(['next-link', 'accept']);

/** Priorities in a table, the lowest stays longest: quit and help below `hintPriority`, hints below `otherPriority`. */
const hintPriority = 2;
const otherPriority = 10;

/** Returns as many keys as fit; in a table quit and help first, then hints for the selected row, then the others. */
function keyLine(state: UiState, data: ScreenData, {width, hasLinks}: KeyRoom): Spans {
	const layer = state.layers.at(-1);
	const isInput = layer?.kind === 'input';
	const tableTitles: Readonly<Record<string, string>> = backFromFocus(state) ? {close: 'back'} : {};
	const layerTitles = isInput ? inputTitles[layer.purpose] : (layer?.kind === 'menu' ? menuTitles[layer.purpose] : {});
	const titles = layer ? layerTitles : tableTitles;
	const isInvalid = isInput && inputError(layer) !== undefined;
	const isUsable = ({title, action}: KeyBinding) => title !== undefined && !(isInvalid && action === 'accept') && (hasLinks || !linkActions.has(action));
	const items = keysOf(contextOf(state), keySourceOf(data)).filter(row => isUsable(row)).flatMap((row): Item[] => {
		const {title, action} = row;
		const [key] = (isInput ? row.label : shownKeys(row, state.keyChanges)).split(' ');
		return key === ''
			? []
			: [{
				text: `${key}:${titles[action] ?? title}`, lead: key.length, role: 'key', priority: keyOrder.includes(action) ? keyOrder.indexOf(action) : keyOrder.length,
			}];
	});
	if (state.layers.length > 0) {
		return layOut(items, width);
	}

	const first = items.filter(({priority}) => priority < hintPriority);
	const hints = hintItems(state, data, width - cellWidth(first.map(({text}) => `${text}  `).join('')));
	const nameOf = ({text, lead}: Item) => text.slice(0, lead);
	const others = items.filter(item => !first.includes(item) && !hints.some(hint => nameOf(hint) === nameOf(item)));
	return layOut([...first, ...hints.map(hint => ({...hint, priority: hint.priority + hintPriority})), ...others.map(item => ({...item, priority: item.priority + otherPriority}))], width);
}

const withoutRows: readonly Hint[] = [{key: 'x', title: 'other states', short: 'states'}, {key: 'i', title: 'idle threads', short: 'idle'}, {key: 'tab', title: 'next view', short: 'view'}];
const whileFiltered: readonly Hint[] = [{key: 'escape', title: 'clear the filter', short: 'clear'}, {key: '/', title: 'another filter', short: 'filter'}, {key: 'x', title: 'other states', short: 'states'}];

function hintsFor(state: UiState, data: ScreenData): readonly Hint[] {
	const row = selectedRow(state, rowsOf(data));
	if (!row) {
		return state.query.filter === '' ? viewOf(state.view).emptyHints ?? withoutRows : whileFiltered;
	}

	const isOnly = ({key}: Hint) => state.onlyThreads !== undefined && actionOf(state.view, key) === 'only-threads';
	return viewOf(state.view).hints(row, queryOf(state)).map(hint => isOnly(hint) ? {...hint, title: 'all threads', short: 'all'} : hint);
}

/** Returns the hints as items, such as `Enter: who holds the lock`; shorter (`Enter:holder`) if they exceed `width`. */
function hintItems(state: UiState, data: ScreenData, width: number): Item[] {
	const hints = hintsFor(state, data).flatMap(({key, title, short}) => {
		const row = bindingOf(state.view, key, keySourceOf(data));
		const [name] = row ? shownKeys({...row, label: labelWithFirst(row.label, row.keys, key)}, state.keyChanges).split(' ') : [''];
		return name === '' ? [] : [{name, title: ` ${title}`, short}];
	});
	const isLong = cellWidth(hints.map(({name, title}) => `${name}:${title}`).join('  ')) <= width;
	return hints.map(({name, title, short}, index): Item => ({
		text: `${name}:${isLong ? title : short}`, lead: name.length, role: 'key', priority: index,
	}));
}

/** Returns a label such as `C F2` with the word for `key` first; unchanged unless it has a word for each of `keys`. */
function labelWithFirst(label: string, keys: readonly string[], key: string): string {
	const words = label.split(' ');
	const at = keys.indexOf(key);
	return words.length === keys.length && at > 0 ? [words[at], ...words.toSpliced(at, 1)].join(' ') : label;
}
