import type {MouseInput} from '../terminal/mouse.js';
import type {Action} from '../state/keys.js';
import {pressMenu, type Step} from '../state/reduce-menu.js';
import {contextOf, type UiState} from '../state/state.js';
import {
	moveSelection, scrollLayer, selectRow, type Surroundings,
} from '../state/surroundings.js';
import {sortedBy} from '../state/actions/table-actions.js';

/** Rows or lines that one notch of the wheel goes. */
export const wheelRows = 3;

/** What the mouse does: the wheel scrolls, a click selects, on a heading it sorts, on a tab it goes to the view. Pure. */
export function pressMouse(state: UiState, input: MouseInput, around: Surroundings): Step {
	if (input.mouse === 'click') {
		return clicked(state, input, around);
	}

	const action = input.mouse === 'wheel-up' ? 'up' : 'down';
	const context = contextOf(state);
	if (context === 'menu') {
		return pressMenu(state, action, around);
	}

	return context === 'input' ? {state} : {state: wheeled(state, action, around, context === 'help' || context === 'detail')};
}

function wheeled(state: UiState, action: Action, around: Surroundings, isLayer: boolean): UiState {
	let next = state;
	for (let row = 0; row < wheelRows; row++) {
		next = isLayer ? scrollLayer(next, action, around) : moveSelection(next, action, around);
	}

	return next;
}

function clicked(state: UiState, {line, column}: MouseInput, around: Surroundings): Step {
	const spot = around.spotAt?.(line, column);
	const layer = state.layers.at(-1);
	switch (spot?.kind) {
		case 'tab': {
			return {state: {...state, view: spot.view, left: 0, layers: []}};
		}

		case 'heading': {
			const sort = state.sorts[state.view];
			return sort.column === spot.column
				? {state: {...state, sorts: {...state.sorts, [state.view]: {...sort, reverse: !sort.reverse}}}}
				: sortedBy(state, spot.column, around);
		}

		case 'row': {
			const key = around.rowKeys.at(spot.index);
			return {state: key === undefined ? state : selectRow(state, key)};
		}

		case 'item': {
			if (layer?.kind !== 'menu') {
				return {state};
			}

			// The one that it is on already is chosen.
			return layer.index === spot.index ? pressMenu(state, 'accept', around) : {state: {...state, layers: [...state.layers.slice(0, -1), {...layer, index: spot.index}]}};
		}

		case undefined: {
			return {state};
		}
	}
}
