import {printable, safe, type Printable} from '../../util/printable.js';
import type {Role} from '../../model/role.js';
import type {MouseInput} from '../terminal/key-decoder.js';
import {actionOf, type Action, type SourceKind} from './keys.js';
import {erasures, insert} from './reduce-input.js';
import {stepOf, type HitTarget} from './screen-context.js';
import {scrollIntoView} from './state.js';

/** A cell of a row. */
export type ChoiceCell = {
	readonly text: Printable;
	/** Takes the place of a text that is too wide for the column. */
	readonly short?: Printable;
	readonly role?: Role;
	/** By what rows are sorted, the highest first, unless the column is text; undefined if it is not known. */
	readonly rank?: number;
};

export type ChoiceRow = {
	readonly id: string;
	/** A cell for each column. */
	readonly cells: readonly ChoiceCell[];
	/** The text that the filter searches. */
	readonly words: string;
	/** Why it cannot be chosen; undefined if it can. */
	readonly problem?: Printable;
	/** All that is known of the row, below the table while it is selected. */
	readonly detail?: readonly Printable[];
};

/** What the screen does after an input besides changing its state. */
export type ChooserEffect =
	| {readonly type: 'leave' | 'cancel' | 'redraw' | 'suspend' | 'record'}
	| {readonly type: 'choose'; readonly id: string}
	| {readonly type: 'move'; readonly steps: number};

/** The column by which rows are sorted. */
type ChoiceSort = {readonly column: string; readonly isReversed: boolean};

export type ChooserState = {
	readonly filter: string;
	/** Whether keys are letters of the filter. */
	readonly isTyping: boolean;
	/** Undefined: as the rows come. */
	readonly sort: ChoiceSort | undefined;
	/** Id of the row with the cursor; undefined for the first. */
	readonly selected: string | undefined;
	readonly message: Printable;
	/** Whether the message says that something was done, not why it was not. */
	readonly isDone?: boolean;
	/** The first line of the help that is shown; undefined if it is closed. */
	readonly helpTop: number | undefined;
	/** `preparing`: a row is chosen, and every key but Esc and quit is ignored; `left`: all keys are. */
	readonly phase: 'choosing' | 'preparing' | 'left';
	/** Number of requests that wait for an answer. */
	readonly requests: number;
	/** What is still to be done. */
	readonly effects: readonly ChooserEffect[];
};

/** The rows, and the columns by which they can be sorted. */
type Choices = {
	readonly rows: readonly ChoiceRow[];
	readonly columns: ReadonlyArray<{readonly id: string; readonly isText?: boolean}>;
	readonly sortedBy?: string;
};

/** What the screen shows. */
export type ChooserContext = {
	readonly choices: Choices;
	/** Ids of the columns on the screen by which rows can be sorted, from left to right. */
	readonly sortable: readonly string[];
	/** The rows that fit. */
	readonly room: number;
	/** Lines of the help. */
	readonly helpLines: number;
	readonly source: SourceKind;
};

/** Returns the next state. Pure. */
export type ChooserChange = (state: ChooserState, context: ChooserContext) => ChooserState;

/** Returns the state of a new screen, with filter, order, cursor and message as the screen before had them, if any. */
export function initialChooser(before?: ChooserState): ChooserState {
	const {filter = '', sort, selected, message = safe``} = before ?? {};
	return {
		filter, sort, selected, isTyping: false, message, helpTop: undefined, phase: 'choosing', requests: 0, effects: [],
	};
}

/** Returns the rows that contain all words of the filter. */
export function matching(rows: readonly ChoiceRow[], filter: string): readonly ChoiceRow[] {
	const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
	return rows.filter(({words: text}) => words.every(word => text.toLowerCase().includes(word)));
}

/** Returns the column by which the rows are sorted, and whether it rises; undefined if they are in no order. */
export function sortOf(
	{sort}: Pick<ChooserState, 'sort'>,
	{columns, sortedBy}: Choices,
): {readonly column: string; readonly isAscending: boolean} | undefined {
	const column = columns.find(({id}) => id === (sort?.column ?? sortedBy));
	return column && {column: column.id, isAscending: (column.isText ?? false) !== (sort?.isReversed ?? false)};
}

/** Returns the rows in the order that the user chose; rows without a figure are the last. */
export function sorted(
	rows: readonly ChoiceRow[],
	{columns}: Choices,
	sort: ChoiceSort | undefined,
): readonly ChoiceRow[] {
	const index = columns.findIndex(({id}) => id === sort?.column);
	if (index === -1) {
		return rows;
	}

	const direction = sort?.isReversed ? -1 : 1;
	const [rankOf, textOf] = [
		({cells}: ChoiceRow) => cells[index].rank,
		({cells}: ChoiceRow) => cells[index].text,
	];
	return rows.toSorted(columns[index].isText
		? (a, b) => direction * textOf(a).localeCompare(textOf(b), undefined, {numeric: true})
		: (a, b) => {
			const [first, second] = [rankOf(a), rankOf(b)];
			return first === undefined || second === undefined
				? Number(first === undefined) - Number(second === undefined)
				: direction * (second - first);
		});
}

/** Returns the rows that match, the index of the first on the screen, and that of the selected one. */
export function shownRows(
	state: Pick<ChooserState, 'filter' | 'sort' | 'selected'>,
	choices: Choices,
	room: number,
): {readonly matches: readonly ChoiceRow[]; readonly scrollTop: number; readonly selected: number} {
	const matches = sorted(matching(choices.rows, state.filter), choices, state.sort);
	const selected = Math.max(0, matches.findIndex(({id}) => id === state.selected));
	return {matches, selected, scrollTop: scrollIntoView(0, selected, matches.length, room)};
}

/** Returns the state after a key. Pure. */
export function pressChooser(state: ChooserState, key: string, context: ChooserContext): ChooserState {
	if (state.phase === 'left') {
		return state;
	}

	if (state.isTyping) {
		return typeInFilter(state, key, context);
	}

	const action = actionOf('chooser', key, context.source);
	if (state.phase === 'preparing') {
		return action === 'quit' ? leave(state) : (action === 'back' ? withEffect(state, {type: 'cancel'}) : state);
	}

	if (action === undefined) {
		return state;
	}

	if (state.helpTop !== undefined && !actionsOverHelp.has(action)) {
		return pressInHelp(state, state.helpTop, action, context);
	}

	const act = actions[action];
	return act ? act(state, context) : moveCursor(state, step => stepOf(action, context.room, step), context);
}

/** Returns the state after a paste, which is part of the filter while it is being typed. Pure. */
export function pasteInChooser(state: ChooserState, text: string): ChooserState {
	return state.isTyping ? withFilter(state, insert(lineOf(state), text).text) : state;
}

/**
Returns the state after the wheel, which moves the cursor, or a click on a row, which sets it, or on a heading, which
sorts by it. Pure.
*/
export function clickChooser(
	state: ChooserState,
	{mouse}: MouseInput,
	clicked: HitTarget | undefined,
	context: ChooserContext,
): ChooserState {
	if (state.phase !== 'choosing' || state.helpTop !== undefined) {
		return state;
	}

	if (mouse !== 'click') {
		return moveCursor(state, () => mouse === 'wheel-up' ? -1 : 1, context);
	}

	if (clicked?.kind === 'heading') {
		return sortBy(state, clicked.column, context);
	}

	return clicked?.kind === 'row' ? {...state, selected: clicked.key, message: safe``} : state;
}

/** Actions that mean the same while the help is open. */
const actionsOverHelp: ReadonlySet<Action> = new Set(['quit', 'redraw', 'suspend']);

/** What keys do while a row is being chosen; other actions move the cursor. */
const actions: Readonly<Partial<Record<Action, ChooserChange>>> = {
	quit: leave,
	close: leave,
	back: state => state.message === '' ? withFilter(state, '') : {...state, message: safe``},
	redraw: state => withEffect(state, {type: 'redraw'}),
	suspend: state => withEffect(state, {type: 'suspend'}),
	open: choose,
	filter: state => ({...state, isTyping: true, message: safe``}),
	'sort-previous': (state, context) => sortByNeighbour(state, -1, context),
	'sort-next': (state, context) => sortByNeighbour(state, 1, context),
	reverse: (state, {choices}) => reversed(state, choices),
	earlier: state => withEffect({...state, message: safe``}, {type: 'move', steps: -1}),
	later: state => withEffect({...state, message: safe``}, {type: 'move', steps: 1}),
	help: state => ({...state, helpTop: 0}),
	record: state => withEffect({...state, message: safe``}, {type: 'record'}),
};

/** What keys do while the filter is typed: Enter keeps it, Esc clears it. */
const typing: Readonly<Partial<Record<Action, (state: ChooserState) => ChooserState>>> = {
	quit: leave,
	accept: state => ({...state, isTyping: false}),
	back: state => ({...withFilter(state, ''), isTyping: false}),
	erase: state => withFilter(state, erasures.erase(lineOf(state)).text),
	'erase-word': state => withFilter(state, erasures['erase-word'](lineOf(state)).text),
	'erase-all': state => withFilter(state, ''),
	redraw: state => withEffect(state, {type: 'redraw'}),
	suspend: state => withEffect(state, {type: 'suspend'}),
};

/** Returns the state after a key while the filter is typed. */
function typeInFilter(state: ChooserState, key: string, {source}: ChooserContext): ChooserState {
	const action = actionOf('input', key, source);
	if (action !== undefined) {
		return typing[action]?.(state) ?? state;
	}

	return [...key].length === 1 ? withFilter(state, insert(lineOf(state), key).text) : state;
}

/** Returns the state after a key while the help is open: it scrolls, or closes it. */
function pressInHelp(
	state: ChooserState,
	top: number,
	action: Action,
	{room, helpLines}: ChooserContext,
): ChooserState {
	if (action === 'back' || action === 'close' || action === 'help') {
		return {...state, helpTop: undefined};
	}

	const helpTop = Math.max(0, Math.min(helpLines - room, top + stepOf(action, room, helpLines)));
	return {...state, helpTop};
}

function sortByNeighbour(state: ChooserState, step: number, context: ChooserContext): ChooserState {
	const {choices, sortable} = context;
	const at = sortable.indexOf(sortOf(state, choices)?.column ?? '');
	const column = sortable.at(Math.max(0, Math.min(sortable.length - 1, at + step)));
	return column === undefined ? state : {...state, sort: {column, isReversed: false}, message: safe``};
}

/** Sorts by a column, or reverses its order if it is the sorted one. */
function sortBy(state: ChooserState, column: string, {choices}: ChooserContext): ChooserState {
	return sortOf(state, choices)?.column === column
		? reversed(state, choices)
		: {...state, sort: {column, isReversed: false}, message: safe``};
}

function reversed(state: ChooserState, choices: Choices): ChooserState {
	const column = sortOf(state, choices)?.column;
	return column === undefined
		? state
		: {...state, sort: {column, isReversed: !state.sort?.isReversed}, message: safe``};
}

function leave(state: ChooserState): ChooserState {
	return withEffect({...state, phase: 'left'}, {type: 'leave'});
}

/** Returns the state after Enter: the selected row is prepared, or a message says why it cannot be chosen. */
function choose(state: ChooserState, {choices, room}: ChooserContext): ChooserState {
	const {matches, selected} = shownRows(state, choices, room);
	const row = matches.at(selected);
	if (!row) {
		return state;
	}

	return row.problem === undefined
		? withEffect({...state, selected: row.id, message: safe``, phase: 'preparing'}, {type: 'choose', id: row.id})
		: {...state, selected: row.id, message: safe`${printable(row.id)}: ${row.problem}`, isDone: false};
}

/** Moves the cursor by what `stepOf` returns for this number of rows. */
function moveCursor(
	state: ChooserState,
	stepIn: (count: number) => number,
	{choices, room}: ChooserContext,
): ChooserState {
	const {matches, selected} = shownRows(state, choices, room);
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
