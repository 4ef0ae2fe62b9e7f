import type {Action} from './keys.js';
import {
	erased, erasedWord, moved, typed, type EditedLine,
} from './line-edit.js';
import type {Step} from './reduce-menu.js';
import type {InputLayer, UiState} from './state.js';

/** Shortest and longest delay between two refreshes, seconds: below it drawing would be all that is done; above it is no live view. As --delay has them. */
const minDelayS = 0.1;
const maxDelayS = 86_400;

/** A key in an input line, where letters are letters. */
export function pressInput(state: UiState, key: string, action: Action | undefined): Step {
	const input = state.layers.at(-1) as InputLayer;
	const below: UiState = {...state, layers: state.layers.slice(0, -1)};
	if (action === 'back') {
		return {state: input.purpose === 'filter' ? {...below, query: {...below.query, filter: ''}} : below};
	}

	if (action === 'accept') {
		return accepted(below, input);
	}

	const line = edited(input, key, action);
	const next = {...below, layers: [...below.layers, {...input, text: line.text, cursor: line.cursor}]};
	return {state: input.purpose === 'filter' && line.text !== input.text ? {...next, query: {...next.query, filter: line.text}} : next};
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

function edited(line: EditedLine, key: string, action: Action | undefined): EditedLine {
	if (action !== undefined) {
		return edits[action]?.(line) ?? line;
	}

	return [...key].length === 1 ? typed(line, key) : line;
}

function accepted(below: UiState, input: InputLayer): Step {
	switch (input.purpose) {
		case 'filter': {
			return {state: {...below, query: {...below.query, filter: input.text.trim()}}};
		}

		case 'delay': {
			const seconds = Number(input.text.trim().replace(',', '.'));
			return input.text.trim() !== '' && seconds >= minDelayS && seconds <= maxDelayS
				? {state: {...below, delayMs: Math.round(seconds * 1000), message: {text: `refresh every ${seconds} s`, tone: 'plain'}}}
				: {state: {...below, message: {text: `the delay is a number of seconds from ${minDelayS} to ${maxDelayS}`, tone: 'error'}}};
		}

		case 'save-name': {
			return {
				state: {...below, message: {text: 'saving...', tone: 'plain'}},
				effect: {type: 'save', format: input.format, ...(input.text.trim() === '' ? {} : {name: input.text.trim()})},
			};
		}
	}
}
