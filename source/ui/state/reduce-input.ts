import {parseFilter} from '../../query/filter/filter.js';
import type {Action} from './keys.js';
import {
	erased, erasedWord, moved, typed, type EditedLine,
} from './line-edit.js';
import {answerToTrace} from './actions/prompts.js';
import type {InputLayer, UiState} from './state.js';
import type {Step} from './step.js';

/**
Shortest and longest delay between two refreshes, seconds: below it drawing would be all that is done; above it is no
live view. As --delay has them.
*/
const minDelayS = 0.1;
const maxDelayS = 86_400;

/** A key in an input line, where letters are letters. */
export function pressInput(state: UiState, key: string, action: Action | undefined): Step {
	const input = state.layers.at(-1) as InputLayer;
	const below: UiState = {...state, layers: state.layers.slice(0, -1)};
	if (action === 'back') {
		return input.purpose === 'agree-to-trace' ? answerToTrace(below, '') : {state: input.purpose === 'filter' ? {...below, query: {...below.query, filter: ''}} : below};
	}

	if (action === 'accept') {
		return inputError(input) === undefined ? accepted(below, input) : {state};
	}

	const edited: InputLayer = {...input, ...afterKey(input, key, action)};
	const next = {...below, layers: [...below.layers, edited]};
	// What cannot be read is not in force: the last filter that can be is.
	return {state: input.purpose === 'filter' && edited.text !== input.text && inputError(edited) === undefined ? {...next, query: {...next.query, filter: edited.text}} : next};
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

/** A delay; undefined if the text is not one. */
function secondsOf(text: string): number | undefined {
	const seconds = Number(text.trim().replace(',', '.'));
	return text.trim() !== '' && seconds >= minDelayS && seconds <= maxDelayS ? seconds : undefined;
}

const edits: Readonly<Partial<Record<Action, (line: EditedLine) => EditedLine>>> = {
	erase: erased,
	'erase-word': erasedWord,
	'erase-all': () => ({text: '', cursor: 0}),
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

function accepted(below: UiState, input: InputLayer): Step {
	switch (input.purpose) {
		case 'filter': {
			return {state: {...below, query: {...below.query, filter: input.text.trim()}}};
		}

		case 'delay': {
			const seconds = secondsOf(input.text)!;
			return {state: {...below, delayMs: Math.round(seconds * 1000), message: {text: `refresh every ${seconds} s`, tone: 'plain'}}};
		}

		case 'trace': {
			return {state: {...below, message: {text: 'looking up methods...', tone: 'plain'}}, effect: {type: 'find-methods', pattern: input.text.trim()}};
		}

		case 'agree-to-trace': {
			return answerToTrace(below, input.text);
		}

		case 'holders': {
			return {state: {...below, message: {text: 'asked for a full dump; the next sample shows who holds locks', tone: 'plain'}}, effect: {type: 'holders'}};
		}

		case 'save-name': {
			return {
				state: {...below, message: {text: 'saving...', tone: 'plain'}},
				effect: {type: 'save', format: input.format, ...(input.text.trim() === '' ? {} : {name: input.text.trim()})},
			};
		}
	}
}
