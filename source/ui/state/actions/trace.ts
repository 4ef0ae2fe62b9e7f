import {nameOf} from '../../../query/traces/methods.js';
import type {InputLayer, UiState} from '../state.js';
import type {Step} from '../reduce-menu.js';
import type {Surroundings} from '../surroundings.js';
import {rowAt} from './look-into.js';

/** What is typed over: the row's method, or nothing. Enter has it looked up. */
export function askForTrace(state: UiState, around: Surroundings): Step {
	const row = rowAt(state, around);
	const place = row && around.placeOf(row.view, row.key);
	const text = place && place.className !== '' ? nameOf({className: place.className, method: place.method === '' ? '*' : place.method}) : '';
	return {
		state: {
			...state, message: undefined, layers: [...state.layers, {
				kind: 'input', purpose: 'trace', label: 'trace: ', about: around.traceNote, text, cursor: text.length,
			}],
		},
	};
}

/** The state with the question whether to trace what was found; it waits below what is being typed or chosen. */
export function askToTrace(state: UiState, {question, about}: {readonly question: string; readonly about: string}): UiState {
	const asked: InputLayer = {
		kind: 'input', purpose: 'agree-to-trace', label: question, about, text: '', cursor: 0,
	};
	const at = state.layers.findLastIndex(({kind}) => kind !== 'input' && kind !== 'menu') + 1;
	return {...state, message: undefined, layers: [...state.layers.slice(0, at), asked, ...state.layers.slice(at)]};
}

/** The answer to it, as in a shell: y or yes, and anything else is no. */
export function answerToTrace(below: UiState, answer: string): Step {
	return /^\s*y(?:es)?\s*$/i.test(answer)
		? {state: {...below, message: {text: 'beginning to trace...', tone: 'plain'}}, effect: {type: 'trace'}}
		: {state: {...below, message: {text: 'nothing more is traced', tone: 'plain'}}, effect: {type: 'forget-methods'}};
}
