import type {MouseInput} from '../terminal/key-decoder.js';
import {actionOf} from './keys.js';
import {erasures, typed} from './reduce-input.js';
import {firstRow} from './state.js';
import {stepOf} from './screen-context.js';

export type ChoiceRow = {
	readonly pid: number;
	/** A cell for each column. Printable, as all texts are. */
	readonly cells: readonly string[];
	/** The text after the cells: main class and arguments. */
	readonly name: string;
	/** The text that the filter searches, besides the pid. */
	readonly words: string;
	/** Why it cannot be chosen; undefined if it can. */
	readonly problem?: string;
};

/** A column between the pid and the name. */
export type ChoiceColumn = {
	readonly heading: string;
	readonly align: 'left' | 'right';
	/** Least terminal width, in columns, at which it is shown. */
	readonly fromColumns: number;
};

export type ChooserState = {
	readonly filter: string;
	/** Pid of the row with the cursor; undefined for the first. */
	readonly selected: number | undefined;
	readonly message: string;
};

/** The state after an input, and what else to do. `chosen`: the pid that the screen is left with, if any. */
export type ChooserStep = {readonly state: ChooserState; readonly effect?: 'leave' | 'redraw' | 'suspend'; readonly chosen?: number};

/** Returns the rows that contain all words of the filter. */
export function matching(rows: readonly ChoiceRow[], filter: string): readonly ChoiceRow[] {
	const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
	return rows.filter(({pid, words: text}) => words.every(word => `${pid} ${text}`.toLowerCase().includes(word)));
}

/** Lines above the first row: title and headings. */
const linesAbove = 2;

/** Returns the indices of the first row on the screen, which has room for `room` rows, and of the selected row. */
export function scrollPosition({selected: selectedPid}: ChooserState, shown: readonly ChoiceRow[], room: number): {readonly top: number; readonly selected: number} {
	const selected = Math.max(0, shown.findIndex(({pid}) => pid === selectedPid));
	return {selected, top: firstRow(0, selected, shown.length, room)};
}

/** Returns the state after a mouse input; `room`: rows that fit. The wheel moves the cursor, a click sets it. Pure. */
export function clickChooser(state: ChooserState, {mouse, line}: MouseInput, rows: readonly ChoiceRow[], room: number): ChooserStep {
	const shown = matching(rows, state.filter);
	const {top, selected} = scrollPosition(state, shown, room);
	const isOnRow = line >= linesAbove && line < linesAbove + room;
	const index = mouse === 'click' ? (isOnRow ? top + line - linesAbove : -1) : Math.min(shown.length - 1, Math.max(0, selected + (mouse === 'wheel-up' ? -1 : 1)));
	const row = index < 0 ? undefined : shown.at(index);
	return {state: row ? {...state, selected: row.pid, message: ''} : state};
}

/** Returns the state after a key; `pageRows`: rows that page up and page down move. Pure. */
export function pressChooser(state: ChooserState, key: string, rows: readonly ChoiceRow[], pageRows: number): ChooserStep {
	const action = actionOf('chooser', key);
	const shown = matching(rows, state.filter);
	const at = Math.max(0, shown.findIndex(({pid}) => pid === state.selected));
	const line = {text: state.filter, cursor: state.filter.length};
	const withFilter = (filter: string): ChooserStep => ({state: {filter, selected: state.selected, message: ''}});
	if (action === 'back' && state.filter !== '') {
		return withFilter('');
	}

	if (action === 'back' || action === 'quit') {
		return {state, effect: 'leave'};
	}

	if (action === 'redraw' || action === 'suspend') {
		return {state, effect: action};
	}

	if (action === 'accept') {
		const row = shown.at(at);
		if (row?.problem !== undefined) {
			return {state: {...state, selected: row.pid, message: `${row.pid}: ${row.problem}`}};
		}

		return row ? {state, effect: 'leave', chosen: row.pid} : {state};
	}

	if (action === 'erase' || action === 'erase-word' || action === 'erase-all') {
		return withFilter(erasures[action](line).text);
	}

	if (action === undefined) {
		return [...key].length === 1 ? withFilter(typed(line, key).text) : {state};
	}

	const index = Math.min(shown.length - 1, Math.max(0, at + stepOf(action, pageRows, shown.length)));
	return {state: {...state, selected: shown.at(index)?.pid, message: ''}};
}
