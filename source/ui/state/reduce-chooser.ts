import {printable, safe, type Printable} from '../../util/printable.js';
import type {MouseInput} from '../terminal/key-decoder.js';
import {actionOf, type Action, type SourceKind} from './keys.js';
import {erasures, insert} from './reduce-input.js';
import {stepOf} from './screen-context.js';
import {scrollIntoView} from './state.js';

export type ChoiceRow = {
	readonly id: string;
	/** A cell for each column. Printable, as all texts are. */
	readonly cells: readonly Printable[];
	/** The text after the cells: main class and arguments. */
	readonly name: Printable;
	/** The text that the filter searches. */
	readonly words: string;
	/** Why it cannot be chosen; undefined if it can. */
	readonly problem?: Printable;
};

/** What the screen does after an input besides changing its state. */
export type ChooserEffect =
	| {readonly type: 'leave' | 'cancel' | 'redraw' | 'suspend'}
	| {readonly type: 'choose'; readonly id: string}
	| {readonly type: 'move'; readonly steps: number};

export type ChooserState = {
	readonly filter: string;
	/** Id of the row with the cursor; undefined for the first. */
	readonly selected: string | undefined;
	readonly message: Printable;
	/** `preparing`: a row is chosen, and every key but Esc and quit is ignored; `left`: all keys are. */
	readonly phase: 'choosing' | 'preparing' | 'left';
	/** Number of requests that wait for an answer. */
	readonly requests: number;
	/** What is still to be done. */
	readonly effects: readonly ChooserEffect[];
};

/** What the screen shows. `room`: the rows that fit. */
type ChooserContext = {
	readonly rows: readonly ChoiceRow[];
	readonly room: number;
	readonly source: SourceKind;
};

/** Returns the next state. Pure. */
export type ChooserChange = (state: ChooserState, context: ChooserContext) => ChooserState;

/** Returns the state of a new screen, with filter and cursor as the screen before had them, if any. */
export function initialChooser(before?: ChooserState): ChooserState {
	const {filter = '', selected} = before ?? {};
	return {filter, selected, message: safe``, phase: 'choosing', requests: 0, effects: []};
}

/** Returns the rows that contain all words of the filter. */
export function matching(rows: readonly ChoiceRow[], filter: string): readonly ChoiceRow[] {
	const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
	return rows.filter(({words: text}) => words.every(word => text.toLowerCase().includes(word)));
}

/** Returns the rows that match, the index of the first on the screen, and that of the selected one. */
export function shownRows(
	state: ChooserState,
	rows: readonly ChoiceRow[],
	room: number,
): {readonly matches: readonly ChoiceRow[]; readonly scrollTop: number; readonly selected: number} {
	const matches = matching(rows, state.filter);
	const selected = Math.max(0, matches.findIndex(({id}) => id === state.selected));
	return {matches, selected, scrollTop: scrollIntoView(0, selected, matches.length, room)};
}

/** Returns the state after a key. Pure. */
export function pressChooser(state: ChooserState, key: string, context: ChooserContext): ChooserState {
	const action = actionOf('chooser', key, context.source);
	if (state.phase === 'left') {
		return state;
	}

	if (state.phase === 'preparing') {
		return action === 'quit' ? leave(state) : (action === 'back' ? withEffect(state, {type: 'cancel'}) : state);
	}

	if (action === undefined) {
		return [...key].length === 1 ? withFilter(state, insert(lineOf(state), key).text) : state;
	}

	const act = actions[action];
	return act ? act(state, context) : moveCursor(state, step => stepOf(action, context.room, step), context);
}

/** Returns the state after a paste, which is part of the filter. Pure. */
export function pasteInChooser(state: ChooserState, text: string): ChooserState {
	return state.phase === 'choosing' ? withFilter(state, insert(lineOf(state), text).text) : state;
}

/** Returns the state after the wheel, which moves the cursor, or a click on a row, which sets it. Pure. */
export function clickChooser(
	state: ChooserState,
	{mouse}: MouseInput,
	clicked: string | undefined,
	context: ChooserContext,
): ChooserState {
	if (state.phase !== 'choosing') {
		return state;
	}

	if (mouse === 'click') {
		return clicked === undefined ? state : {...state, selected: clicked, message: safe``};
	}

	return moveCursor(state, () => mouse === 'wheel-up' ? -1 : 1, context);
}

/** What keys do while a row is being chosen; other actions move the cursor. */
const actions: Readonly<Partial<Record<Action, ChooserChange>>> = {
	quit: leave,
	back: state => state.filter === '' ? leave(state) : withFilter(state, ''),
	redraw: state => withEffect(state, {type: 'redraw'}),
	suspend: state => withEffect(state, {type: 'suspend'}),
	accept: choose,
	erase: state => withFilter(state, erasures.erase(lineOf(state)).text),
	'erase-word': state => withFilter(state, erasures['erase-word'](lineOf(state)).text),
	'erase-all': state => withFilter(state, ''),
	earlier: state => withEffect({...state, message: safe``}, {type: 'move', steps: -1}),
	later: state => withEffect({...state, message: safe``}, {type: 'move', steps: 1}),
	filter: state => state,
};

function leave(state: ChooserState): ChooserState {
	return withEffect({...state, phase: 'left'}, {type: 'leave'});
}

/** Returns the state after Enter: the selected row is prepared, or a message says why it cannot be chosen. */
function choose(state: ChooserState, {rows, room}: ChooserContext): ChooserState {
	const {matches, selected} = shownRows(state, rows, room);
	const row = matches.at(selected);
	if (!row) {
		return state;
	}

	return row.problem === undefined
		? withEffect({...state, message: safe``, phase: 'preparing'}, {type: 'choose', id: row.id})
		: {...state, selected: row.id, message: safe`${printable(row.id)}: ${row.problem}`};
}

/** Moves the cursor by what `stepOf` returns for this number of rows. */
function moveCursor(
	state: ChooserState,
	stepIn: (count: number) => number,
	{rows, room}: ChooserContext,
): ChooserState {
	const {matches, selected} = shownRows(state, rows, room);
	const index = Math.min(matches.length - 1, Math.max(0, selected + stepIn(matches.length)));
	return {...state, selected: matches.at(index)?.id ?? state.selected, message: safe``};
}

function lineOf({filter}: ChooserState) {
	return {text: filter, cursor: filter.length};
}

function withFilter(state: ChooserState, filter: string): ChooserState {
	return {...state, filter, message: safe``};
}

function withEffect(state: ChooserState, effect: ChooserEffect): ChooserState {
	return {...state, effects: [...state.effects, effect]};
}
