import type {MouseInput} from '../terminal/mouse.js';
import type {Action} from './keys.js';
import {pressMenu} from './reduce-menu.js';
import {contextOf, type UiState} from './state.js';
import {
	moveSelection, selectRow, withMove, type HitTarget, type ScreenContext,
} from './screen-context.js';
import type {Step} from './step.js';
import {sortedBy} from './actions/table-actions.js';

/** Rows or lines that a notch of the wheel scrolls. */
const wheelRows = 3;

/** What the mouse does, on what was drawn at its place: the wheel scrolls, a click selects, on a heading it sorts, on a tab it goes to the view. Pure. */
export function pressMouse(state: UiState, {mouse}: MouseInput, target: HitTarget | undefined, screen: ScreenContext): Step {
	if (mouse === 'click') {
		return clicked(state, target, screen);
	}

	const action = mouse === 'wheel-up' ? 'up' : 'down';
	const context = contextOf(state);
	if (context === 'menu') {
		return pressMenu(state, action, screen);
	}

	return context === 'input' ? {state} : {state: wheeled(state, action, screen, context === 'help' || context === 'detail')};
}

function wheeled(state: UiState, action: Action, screen: ScreenContext, isLayer: boolean): UiState {
	let next = state;
	for (let row = 0; row < wheelRows; row++) {
		next = isLayer ? withMove(next, action) : moveSelection(next, action, screen);
	}

	return next;
}

function clicked(state: UiState, target: HitTarget | undefined, screen: ScreenContext): Step {
	const layer = state.layers.at(-1);
	switch (target?.kind) {
		case 'tab': {
			return {state: {...state, view: target.view, left: 0, layers: []}};
		}

		case 'heading': {
			const sort = state.sorts[state.view];
			return sort.column === target.column
				? {state: {...state, sorts: {...state.sorts, [state.view]: {...sort, reverse: !sort.reverse}}}}
				: sortedBy(state, target.column, screen);
		}

		case 'row': {
			const key = screen.rowKeys.at(target.index);
			return {state: key === undefined ? state : selectRow(state, key)};
		}

		case 'item': {
			if (layer?.kind !== 'menu') {
				return {state};
			}

			// A click on the selected item chooses it.
			return layer.index === target.index ? pressMenu(state, 'accept', screen) : {state: {...state, layers: [...state.layers.slice(0, -1), {...layer, index: target.index}]}};
		}

		case undefined: {
			return {state};
		}
	}
}
