import {parseFilter} from '../../query/filter/filter.js';
import type {Action} from './keys.js';
import {answerToTrace} from './prompts.js';
import {
	say, withEffect, withLayer, withoutLayer, withQuery, type InputLayer, type UiState,
} from './state.js';

/** Shortest and longest delay between two refreshes, seconds, as --delay has them. */
const minDelayS = 0.1;
const maxDelayS = 86_400;

/** A key in an input line, where letters are letters. */
export function pressInput(state: UiState, key: string, action: Action | undefined): UiState {
	const input = state.layers.at(-1) as InputLayer;
	const below = withoutLayer(state);
	if (action === 'back') {
		return input.purpose === 'agree-to-trace' ? answerToTrace(below, '') : (input.purpose === 'filter' ? withQuery(below, {filter: ''}) : below);
	}

	if (action === 'accept') {
		return inputError(input) === undefined ? accepted(below, input) : state;
	}

	const edited: InputLayer = {...input, ...afterKey(input, key, action)};
	const next = withLayer(below, edited);
	// What cannot be read is not in force: the last filter that can be is.
	return input.purpose === 'filter' && edited.text !== input.text && inputError(edited) === undefined ? withQuery(next, {filter: edited.text}) : next;
}

/** What is wrong with a line as it stands, in one sentence; undefined when Enter takes it. */
export function inputError({purpose, text}: InputLayer): string | undefined {
	if (purpose === 'filter') {
		const parsed = parseFilter(text);
		return parsed.ok ? undefined : parsed.error;
	}

	if (purpose === 'trace') {
		return text.trim() === '' ? 'Class#method, Class.method or @Annotation; * and ? are wildcards' : undefined;
	}

	return purpose === 'delay' && secondsOf(text) === undefined ? `seconds, from ${minDelayS} to ${maxDelayS}` : undefined;
}

function secondsOf(text: string): number | undefined {
	const seconds = Number(text.trim().replace(',', '.'));
	return text.trim() !== '' && seconds >= minDelayS && seconds <= maxDelayS ? seconds : undefined;
}

/** What takes something away from a line. */
export const erasures = {
	erase: erased,
	'erase-word': erasedWord,
	'erase-all': (): EditedLine => ({text: '', cursor: 0}),
} as const;

const edits: Readonly<Partial<Record<Action, (line: EditedLine) => EditedLine>>> = {
	...erasures,
	left: line => moved(line, 'left'),
	right: line => moved(line, 'right'),
	home: ({text}) => ({text, cursor: 0}),
	end: ({text}) => ({text, cursor: text.length}),
};

function afterKey(input: InputLayer, key: string, action: Action | undefined): EditedLine & Pick<InputLayer, 'isSelected'> {
	const {text, cursor} = input;
	if (action !== undefined) {
		return {...edits[action]?.({text, cursor}) ?? {text, cursor}, isSelected: false};
	}

	return [...key].length === 1 ? {...typed(input.isSelected ? {text: '', cursor: 0} : {text, cursor}, key), isSelected: false} : {text, cursor, isSelected: input.isSelected};
}

function accepted(below: UiState, input: InputLayer): UiState {
	switch (input.purpose) {
		case 'filter': {
			return withQuery(below, {filter: input.text.trim()});
		}

		case 'delay': {
			const seconds = secondsOf(input.text)!;
			return say({...below, delayMs: Math.round(seconds * 1000)}, `refresh every ${seconds} s`);
		}

		case 'trace': {
			return withEffect(say(below, 'looking up methods...'), {type: 'find-methods', pattern: input.text.trim()});
		}

		case 'agree-to-trace': {
			return answerToTrace(below, input.text);
		}

		case 'holders': {
			return withEffect(say(below, 'asked for a full dump; the next sample shows who holds locks'), {type: 'holders'});
		}

		case 'save-name': {
			return withEffect(say(below, 'saving...'), {type: 'save', format: input.format, ...(input.text.trim() === '' ? {} : {name: input.text.trim()})});
		}
	}
}

/** A line being typed and where its cursor is, in UTF-16 units. */
type EditedLine = {readonly text: string; readonly cursor: number};

/** Longest line that may be typed, in UTF-16 units. */
const maxInputLength = 512;

/** The line with a typed character at the cursor. */
export function typed({text, cursor}: EditedLine, character: string): EditedLine {
	return text.length + character.length > maxInputLength
		? {text, cursor}
		: {text: text.slice(0, cursor) + character + text.slice(cursor), cursor: cursor + character.length};
}

/** The line without the character before the cursor, for Backspace and Delete alike: terminals differ in what they send. */
function erased({text, cursor}: EditedLine): EditedLine {
	const from = stepLeft(text, cursor);
	return {text: text.slice(0, from) + text.slice(cursor), cursor: from};
}

/** The line without the word before the cursor. */
function erasedWord({text, cursor}: EditedLine): EditedLine {
	const kept = text.slice(0, cursor).replace(/\S*\s*$/, '');
	return {text: kept + text.slice(cursor), cursor: kept.length};
}

/** The line with its cursor one character to the left or right. */
function moved({text, cursor}: EditedLine, direction: 'left' | 'right'): EditedLine {
	const after = text.codePointAt(cursor);
	return {text, cursor: direction === 'left' ? stepLeft(text, cursor) : Math.min(text.length, cursor + (after !== undefined && after > 0xFF_FF ? 2 : 1))};
}

function stepLeft(text: string, cursor: number): number {
	const isPair = cursor > 1 && text.codePointAt(cursor - 2)! > 0xFF_FF;
	return Math.max(0, cursor - (isPair ? 2 : 1));
}
