import {Box} from 'ink';
import {joined, printable, safe, type Printable} from '../../util/printable.js';
import {cellWidth, elideStart} from '../../util/cell-width.js';
import {viewOf} from '../../views/view-registry.js';
import type {Hint} from '../../views/common/view.js';
import {actionOf, bindingOf, keyLabel, keysOf, labelAfter, type KeyBinding} from '../state/keys.js';
import {inputError} from '../state/reduce-input.js';
import {backFromFocus} from '../state/screen-rows.js';
import {sourceKindOf, rowsOf, type ScreenData} from '../state/screen-data.js';
import {keyContextOf, queryOfView, selectedRow, type InputLayer, type MenuLayer, type UiState} from '../state/state.js';
import {messageOf} from '../status/session-states.js';
import type {Layout} from '../text/screen-layout.js';
import {fitItems, type Item} from '../text/line-items.js';
import {elideEnd, spansWidth, wrappedSpans, type Span, type Spans} from '../text/spans.js';
import {ItemGroup, ItemLine} from './item-line.js';
import {Line, Lines} from './text.js';

type FooterProps = {
	readonly ui: UiState;
	readonly data: ScreenData;
	readonly layout: Layout;
	/** The lines of the prompt or message, see `promptOrMessage`. */
	readonly message: readonly Spans[];
	readonly links: Links;
};

/** Whether the detail on top has lines that Enter can open, and whether one of them is selected. */
type Links = {readonly hasLinks: boolean; readonly isLinkSelected: boolean};

/** Cells between a message and the keys beside it. */
const keysGap = 3;

/** The prompt or message, if any, then the keys that work now. The help has all of a message that does not fit. */
export function Footer({ui, data, layout: {width, footerLines: room}, message, links}: FooterProps) {
	if (message.length > room) {
		return (
			<Lines
				lines={[...message.slice(0, room - 1), [{
					text: elideEnd(safe`... press ? to read all of it`, width),
					role: 'dim',
				}]]}
				width={width}
			/>
		);
	}

	return (
		<Box flexDirection='column' height={room}>
			<Lines lines={message.slice(0, -1)} width={width}/>
			<LineWithKeys line={message.at(-1)} ui={ui} data={data} width={width} links={links}/>
		</Box>
	);
}

type KeyRoom = {readonly width: number; readonly links: Links};

type LineWithKeysProps = KeyRoom & Pick<FooterProps, 'ui' | 'data'> & {readonly line?: Spans};

/** The first line of a prompt or message, with the keys if it is the only one: for screens without a footer. */
export function FooterInOneLine({message, ...props}: Omit<LineWithKeysProps, 'line'> & Pick<FooterProps, 'message'>) {
	return message.length > 1
		? <Line spans={message[0]} width={props.width}/>
		: <LineWithKeys {...props} line={message.at(0)}/>;
}

const nothing: Spans = [];

/** A line and at its right end as many keys as fit, none if one would be truncated; without a line the keys alone. */
function LineWithKeys({line = nothing, ui, data, width, links}: LineWithKeysProps) {
	const lineWidth = spansWidth(line);
	if (lineWidth === 0) {
		return <ItemLine items={keyItems(ui, data, {width, links})} width={width}/>;
	}

	const room = Math.max(0, width - lineWidth - keysGap);
	const keys = fitItems(keyItems(ui, data, {width: room, links}), room);
	const areTruncated = keys.items.length === 0 || keys.items.some(({text}) => text.endsWith('…'));
	if (areTruncated) {
		return <Line spans={line} width={width}/>;
	}

	return (
		<Box width={width} justifyContent='space-between'>
			<Line spans={line} width={width}/>
			<ItemGroup {...keys}/>
		</Box>
	);
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
		? [[...line, {text: safe` `.repeat(errorGap)}, {text: error, role: 'error'}], ...about]
		: [line, ...wrappedSpans(error, width, 'error'), ...about];
}

/** Returns the label and as much of the text before and after the cursor as fits. */
function inputLine({label, text, cursor, isSelected}: InputLayer, width: number, hasColor: boolean): readonly Span[] {
	if (width <= 0) {
		return [];
	}

	const [cursorText = ' ', ...textAfter] = text.slice(cursor);
	const atCursor = printable(cursorText);
	const room = Math.max(1, width - cellWidth(atCursor) - Math.min(cellWidth(label), Math.floor(width / 2)));
	const before = elideStart(printable(text.slice(0, cursor), Infinity), room);
	const shortLabel = elideEnd(label, Math.max(0, width - cellWidth(atCursor) - cellWidth(before)));
	const after = elideEnd(
		printable(textAfter.join(''), Infinity),
		Math.max(0, width - cellWidth(shortLabel) - cellWidth(before) - cellWidth(atCursor)),
	);
	// Without colour, brackets mark selected text, and _ a cursor on a blank.
	const marked = isSelected && !hasColor
		? safe`[${before}]`.slice(0, Math.max(0, width - cellWidth(shortLabel) - cellWidth(atCursor)))
		: before;
	return [{text: shortLabel, role: 'key'}, {text: marked, role: isSelected ? 'selected' : undefined}, {
		text: hasColor || atCursor !== ' ' ? atCursor : safe`_`,
		role: 'selected',
	}, {text: after}];
}

/** Actions whose keys stay longest in a narrow key line, the most important first. */
const keyOrder: ReadonlyArray<KeyBinding['action']> = [
	'close',
	'help-view',
	'back',
	'accept',
	'filter',
	'open',
	'sort-menu',
	'pause',
	'save',
	'next-view',
];

/** Titles of actions that replace those of the key table. */
type Titles = Readonly<Partial<Record<KeyBinding['action'], string>>>;

/** Titles of Enter and Esc in an input line, by its purpose. */
const inputTitles: Readonly<Record<InputLayer['purpose'], Titles>> = {
	filter: {accept: 'keep', back: 'clear'},
	delay: {accept: 'set', back: 'cancel'},
	'save-name': {accept: 'save', back: 'cancel'},
	trace: {accept: 'look up', back: 'cancel'},
	'confirm-trace': {accept: 'answer', back: 'no'},
	holders: {accept: 'ask', back: 'cancel'},
};

const menuTitles: Readonly<Record<MenuLayer['purpose'], Titles>> = {
	sort: {}, 'save-format': {}, columns: {accept: 'on or off', back: 'done'},
};

/**
Priorities in a table: below the first, quit and help; from the first on, hints; from the second on, all other keys.
*/
const hintPriority = 2;
const otherPriority = 10;

/** Returns the keys; in a table quit and help first, then hints for the selected row, then the others. */
function keyItems(state: UiState, data: ScreenData, {width, links}: KeyRoom): Item[] {
	const layer = state.layers.at(-1);
	const titles = titlesIn(state);
	const isInvalid = layer?.kind === 'input' && inputError(layer) !== undefined;
	const isUnusable: Partial<Record<KeyBinding['action'], boolean>> = {
		'next-link': !links.hasLinks, accept: isInvalid || (layer?.kind === 'detail' && !links.isLinkSelected),
	};
	const isUsable = ({title, action}: KeyBinding) => title !== undefined && !isUnusable[action];
	const items = keysOf(keyContextOf(state), sourceKindOf(data)).filter(binding => isUsable(binding))
		.flatMap((binding): Item[] => {
			const {title, action} = binding;
			// Key changes do not apply where text is typed.
			const [key] = (layer?.kind === 'input'
				? printable(binding.label)
				: labelAfter(state.keyChanges, binding)).split(' ');
			const priority = keyOrder.includes(action) ? keyOrder.indexOf(action) : keyOrder.length;
			const label = {key: binding.keys[0], label: key};
			return key === '' ? [] : [keyItem(label, printable(titles[action] ?? title!), priority)];
		});
	if (layer) {
		return items;
	}

	const first = items.filter(({priority}) => priority < hintPriority);
	const hints = hintItems(state, data, width - cellWidth(joined(first.map(({text}) => safe`${text}  `), safe``)));
	const keyOf = ({text, roleLength}: Item) => text.slice(0, roleLength);
	const others = items.filter(item => !first.includes(item) && !hints.some(hint => keyOf(hint) === keyOf(item)));
	return [
		...first,
		...hints.map(hint => ({...hint, priority: hint.priority + hintPriority})),
		...others.map(item => ({...item, priority: item.priority + otherPriority})),
	];
}

function titlesIn(state: UiState): Titles {
	const layer = state.layers.at(-1);
	if (layer) {
		return layer.kind === 'input'
			? inputTitles[layer.purpose]
			: (layer.kind === 'menu' ? menuTitles[layer.purpose] : {});
	}

	return backFromFocus(state) ? {close: 'back'} : {};
}

/** `key`: its name; `label`: how the screen calls it. */
function keyItem(
	{key, label}: {readonly key: string; readonly label: Printable},
	title: Printable,
	priority: number,
): Item {
	return {text: safe`${label}:${title}`, key, roleLength: label.length, role: 'key', priority};
}

/** Hints for a table without rows: without a filter, and with a filter that may hide them. */
const emptyHints: readonly Hint[] = [{key: 'x', title: 'other states', short: 'states'}, {
	key: 'i',
	title: 'idle threads',
	short: 'idle',
}, {key: 'tab', title: 'next view', short: 'view'}];
const filteredHints: readonly Hint[] = [{key: 'escape', title: 'clear the filter', short: 'clear'}, {
	key: '/',
	title: 'another filter',
	short: 'filter',
}, {key: 'x', title: 'other states', short: 'states'}];

function hintsFor(state: UiState, data: ScreenData): readonly Hint[] {
	const row = selectedRow(state, rowsOf(data));
	if (!row) {
		return state.query.filter === '' ? viewOf(state.view).emptyHints ?? emptyHints : filteredHints;
	}

	const isOnly = ({key}: Hint) => state.onlyThreads !== undefined && actionOf(state.view, key) === 'only-threads';
	return viewOf(state.view).hints(row, queryOfView(state)).map(hint =>
		isOnly(hint) ? {...hint, title: 'all threads', short: 'all'} : hint);
}

/** Returns the hints as items, such as `Enter: who holds the lock`; shorter (`Enter:holder`) if they exceed `width`. */
function hintItems(state: UiState, data: ScreenData, width: number): Item[] {
	const hints = hintsFor(state, data).flatMap(({key, title, short}) => {
		const binding = bindingOf(state.view, key, sourceKindOf(data));
		// The hint's own key stands before the action's other keys, so it is named unless the user has remapped keys.
		const [label] = binding
			? labelAfter(state.keyChanges, {...binding, label: `${keyLabel(key)} ${binding.label}`}).split(' ')
			: [safe``];
		return label === '' ? [] : [{key, label, title: safe` ${printable(title)}`, short: printable(short)}];
	});
	const areLong = cellWidth(joined(hints.map(({label, title}) => safe`${label}:${title}`), safe`  `)) <= width;
	return hints.map(({key, label, title, short}, index) => keyItem({key, label}, areLong ? title : short, index));
}
