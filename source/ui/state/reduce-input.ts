import {safe, type Printable} from '../../util/printable.js';
import {formatBytes, formatDuration} from '../../query/columns/format.js';
import {parseFilter} from '../../query/filter/filter.js';
import {tracedMethodName} from '../../views/traces/traced-methods.js';
import type {Action} from './keys.js';
import {locationAt} from './screen-rows.js';
import type {ScreenContext} from './screen-context.js';
import {
	inputLayer, withMessage, withEffect, pushLayer, popLayer, withQuery, type InputLayer, type UiState,
} from './state.js';

/** Prompts for the methods to trace; the row's method is filled in, if any. */
export function promptForPattern(state: UiState, screen: ScreenContext): UiState {
	const location = locationAt(state, screen);
	const text = location && location.className !== ''
		? tracedMethodName({className: location.className, method: location.method === '' ? safe`*` : location.method})
		: '';
	return pushLayer({...state, message: undefined}, {
		...inputLayer('trace', safe`trace: `, text),
		about: screen.traceNote,
	});
}

/** Asks whether to trace the methods found; the question waits below an input line or menu that is open. */
export function confirmTrace(
	state: UiState,
	{question, about}: {readonly question: Printable; readonly about: Printable},
): UiState {
	const confirmation: InputLayer = {...inputLayer('confirm-trace', question), about};
	const at = state.layers.findLastIndex(({kind}) => kind !== 'input' && kind !== 'menu') + 1;
	return {
		...state,
		message: undefined,
		layers: [...state.layers.slice(0, at), confirmation, ...state.layers.slice(at)],
	};
}

/** Longest time that walking the heap takes, milliseconds for each GiB in use. */
const maxHeapWalkMsPerGiB = {default: 300, zgc: 900};

/** Prompts before a full dump, as it stops the JVM; says for how long. */
export function promptForHolders(state: UiState, {fullDump}: ScreenContext): UiState {
	if (!fullDump) {
		return withMessage(
			state,
			safe`only with the attach engine: the memory engine sees who holds locks, and a recording cannot ask`,
		);
	}

	const {heapBytes, heapBytesAtMost} = fullDump;
	// Some collectors do not report the heap in use before their first collection.
	const bytes = heapBytes ?? heapBytesAtMost;
	const size = bytes === undefined
		? safe`all of its heap`
		: safe`${heapBytes === undefined ? 'at most ' : ''}${formatBytes(bytes)} of heap`;
	const upTo = (ms: number) => formatDuration(Math.max(1, (bytes ?? 0) / (2 ** 30) * ms));
	const cost = bytes === undefined
		? size
		: safe`${size}, up to ${upTo(maxHeapWalkMsPerGiB.default)} (ZGC ${upTo(maxHeapWalkMsPerGiB.zgc)})`;
	return pushLayer(
		{...state, message: undefined},
		inputLayer('holders', safe`full dump stops the JVM: it walks ${cost} `),
	);
}

/** Shortest and longest delay between two refreshes, seconds, as for --delay. */
const minDelayS = 0.1;
const maxDelayS = 86_400;

/** Returns the state after a key in the input line, the topmost layer; `action` is undefined for text. */
export function pressInput(state: UiState, key: string, action: Action | undefined): UiState {
	const input = state.layers.at(-1) as InputLayer;
	const below = popLayer(state);
	if (action === 'back') {
		return onCancel[input.purpose]?.(below) ?? below;
	}

	if (action === 'accept') {
		return inputError(input) === undefined ? onAccept[input.purpose](below, input) : state;
	}

	return withInput(state, {...input, ...editLine(input, key, action)});
}

/** Returns the state after a paste: text of the input line, the topmost layer; elsewhere a paste does nothing. */
export function paste(state: UiState, text: string): UiState {
	const layer = state.layers.at(-1);
	return layer?.kind === 'input' ? withInput(state, {...layer, ...type(layer, text)}) : state;
}

/** Returns the state with the input line, the topmost layer, replaced. */
function withInput(state: UiState, edited: InputLayer): UiState {
	const input = state.layers.at(-1) as InputLayer;
	const next = pushLayer(popLayer(state), edited);
	// While the text is not a valid filter, the last valid one stays in force.
	const isFilter = input.purpose === 'filter' && edited.text !== input.text && inputError(edited) === undefined;
	return isFilter ? withQuery(next, {filter: edited.text}) : next;
}

/** Returns what is wrong with the text of an input line, in one sentence; undefined if Enter accepts it. */
export function inputError({purpose, text}: InputLayer): Printable | undefined {
	if (purpose === 'filter') {
		const parsed = parseFilter(text);
		return parsed.ok ? undefined : parsed.error;
	}

	if (purpose === 'trace') {
		return text.trim() === '' ? safe`Class#method, Class.method or @Annotation; * and ? are wildcards` : undefined;
	}

	return purpose === 'delay' && secondsOf(text) === undefined
		? safe`seconds, from ${minDelayS} to ${maxDelayS}`
		: undefined;
}

function secondsOf(text: string): number | undefined {
	const seconds = Number(text.trim().replace(',', '.'));
	return text.trim() !== '' && seconds >= minDelayS && seconds <= maxDelayS ? seconds : undefined;
}

/** What the keys that erase do to an input line, by their actions. */
export const erasures = {
	erase: eraseCharacter,
	'erase-word': eraseWord,
	'erase-all': (): InputText => ({text: '', cursor: 0}),
} as const;

const edits: Readonly<Partial<Record<Action, (line: InputText) => InputText>>> = {
	...erasures,
	left: ({text, cursor}) => ({text, cursor: stepLeft(text, cursor)}),
	right: ({text, cursor}) => ({text, cursor: stepRight(text, cursor)}),
	home: ({text}) => ({text, cursor: 0}),
	end: ({text}) => ({text, cursor: text.length}),
};

/** Returns an input line after a key that edits it; `action` is undefined for text. */
function editLine(
	input: InputLayer,
	key: string,
	action: Action | undefined,
): InputText & Pick<InputLayer, 'isSelected'> {
	const {text, cursor} = input;
	if (action !== undefined) {
		return {...edits[action]?.({text, cursor}) ?? {text, cursor}, isSelected: false};
	}

	return [...key].length === 1 ? type(input, key) : {text, cursor, isSelected: input.isSelected};
}

/** Returns an input line after text was typed or pasted, which replaces a selected text. */
function type({text, cursor, isSelected}: InputLayer, typed: string): InputText & Pick<InputLayer, 'isSelected'> {
	return {...insert(isSelected ? {text: '', cursor: 0} : {text, cursor}, typed), isSelected: false};
}

/** What Esc does besides closing an input line, by its purpose; `below`: the state without the line. */
const onCancel: Readonly<Partial<Record<InputLayer['purpose'], (below: UiState) => UiState>>> = {
	filter: below => withQuery(below, {filter: ''}),
	'confirm-trace': below => answerConfirmation(below, ''),
};

/** What Enter does besides closing an input line, by its purpose. */
const onAccept: Readonly<Record<InputLayer['purpose'], (below: UiState, input: InputLayer) => UiState>> = {
	filter: (below, {text}) => withQuery(below, {filter: text.trim()}),
	delay(below, {text}) {
		const seconds = secondsOf(text)!;
		return withMessage({...below, delayMs: Math.round(seconds * 1000)}, safe`refresh every ${seconds} s`);
	},
	trace: (below, {text}) =>
		withEffect(withMessage(below, safe`looking up methods...`), {type: 'find-methods', pattern: text.trim()}),
	'confirm-trace': (below, {text}) => answerConfirmation(below, text),
	holders: below =>
		withEffect(withMessage(below, safe`asked for a full dump; the next sample shows who holds locks`), {
			type: 'ask-for-holders',
		}),
	'save-name': (below, {text, format}) =>
		withEffect(withMessage(below, safe`saving...`), {
			type: 'save',
			format,
			...(text.trim() === '' ? {} : {name: text.trim()}),
		}),
};

/** Traces after the answer y or yes; as in a shell, anything else is no. */
function answerConfirmation(below: UiState, answer: string): UiState {
	return /^\s*y(?:es)?\s*$/i.test(answer)
		? withEffect(withMessage(below, safe`starting to trace...`), {type: 'trace'})
		: withEffect(withMessage(below, safe`nothing more is traced`), {type: 'forget-methods'});
}

/** The text of an input line and its cursor, in UTF-16 units. */
type InputText = {readonly text: string; readonly cursor: number};

const maxInputLength = 512;

/** Returns the line with text inserted at the cursor, as many of its characters as the line takes. */
export function insert({text, cursor}: InputText, typed: string): InputText {
	const room = Math.max(0, maxInputLength - text.length);
	const added = typed.slice(0, room).replace(/[\uD800-\uDBFF]$/, '');
	return {text: text.slice(0, cursor) + added + text.slice(cursor), cursor: cursor + added.length};
}

/** Returns the line without the character before the cursor: for Delete too, as terminals differ in what they send. */
function eraseCharacter({text, cursor}: InputText): InputText {
	const from = stepLeft(text, cursor);
	return {text: text.slice(0, from) + text.slice(cursor), cursor: from};
}

function eraseWord({text, cursor}: InputText): InputText {
	const kept = text.slice(0, cursor).replace(/\S*\s*$/, '');
	return {text: kept + text.slice(cursor), cursor: kept.length};
}

function stepLeft(text: string, cursor: number): number {
	const before = text.slice(0, cursor);
	return cursor - ([...before].at(-1)?.length ?? 0);
}

function stepRight(text: string, cursor: number): number {
	const [next = ''] = text.slice(cursor);
	return cursor + next.length;
}
