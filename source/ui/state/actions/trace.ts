import {nameOf} from '../../../query/traces/methods.js';
import type {UiState} from '../state.js';
import type {Step} from '../reduce-menu.js';
import type {Surroundings} from '../surroundings.js';
import {rowAt} from './look-into.js';

/** What is typed over: the row's method, or nothing. Enter is the answer to what it would do to the target. */
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
