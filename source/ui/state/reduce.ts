import type {ViewKey} from '../../views/view.js';
import {meaningOf} from '../keys/key-changes.js';
import {keyOf, type Action} from './keys.js';
import {followLink, stepLink} from './actions/detail-actions.js';
import {pressInput} from './reduce-input.js';
import {pressMenu, type Step} from './reduce-menu.js';
import {contextOf, selectedIndex, type UiState} from './state.js';
import {scrollLayer, selectRow, type Surroundings} from './surroundings.js';
import {forgetRow, say, tableActions, withQuery} from './actions/table-actions.js';

/**
Actions after which a message stays: one may look around while reading it; the help has all of it where the screen is
small.
*/
const quietActions: ReadonlySet<Action> = new Set(['help', 'help-view', 'up', 'down', 'page-up', 'page-down', 'home', 'end', 'left', 'right']);

/** Actions of the tables that help and detail have too. */
const layerActions: ReadonlySet<Action> = new Set(['help', 'help-view', 'pause', 'save', 'earlier', 'later', 'mark', 'look-into', 'trace', 'edit', 'copy']);

/**
What a key does: the next state, and what the app is to do beside drawing it. Pure: the same key in the same state gives
the same.
*/
export function press(state: UiState, pressed: string, around: Surroundings): Step {
	const context = contextOf(state);
	// Where text is typed, letters are letters.
	const key = context === 'input' ? pressed : meaningOf(pressed, state.keyChanges);
	const row = keyOf(context, key, around.isRecording);
	const action = row?.action;
	if (action === 'quit' || action === 'redraw' || action === 'suspend') {
		return {state, effect: {type: action}};
	}

	if (context === 'input') {
		return pressInput(state, key, action);
	}

	if (action === undefined) {
		return {state};
	}

	if (context === 'menu') {
		return pressMenu(state, action, around);
	}

	if (context === 'help' || context === 'detail') {
		return pressLayer(state, action, around);
	}

	return row?.press ? pressOwn(state, row.press, around) : pressTable(state, action, around);
}

/** A key of the view's own. */
function pressOwn(state: UiState, press: ViewKey['press'], {rows = [], rowKeys}: Surroundings): Step {
	const index = selectedIndex(state.selections[state.view], rowKeys);
	const row = rows.at(index);
	const {change, said, select} = press(state.query, row && {row, index, rows});
	const changed = withQuery({...state, message: undefined}, change);
	const next = select === undefined ? forgetRow(changed) : selectRow(changed, select);
	return said === undefined ? {state: next} : say(next, said);
}

function pressLayer(state: UiState, action: Action, around: Surroundings): Step {
	if (action === 'back') {
		return {state: {...state, layers: state.layers.slice(0, -1), left: 0}};
	}

	if (action === 'accept') {
		return {state: followLink(state, around)};
	}

	if (action === 'next-link' || action === 'previous-link') {
		return {state: stepLink(state, action === 'next-link' ? 1 : -1, around)};
	}

	const layer = state.layers.at(-1);
	if (layer?.kind === 'help' && action === 'help') {
		const below = {...state, layers: state.layers.slice(0, -1)};
		return {state: layer.isOfView ? {...below, layers: [...below.layers, {kind: 'help', top: 0}]} : below};
	}

	return layerActions.has(action) ? pressTable(state, action, around) : {state: scrollLayer(state, action, around)};
}

function pressTable(state: UiState, action: Action, around: Surroundings): Step {
	const from = quietActions.has(action) ? state : {...state, message: undefined};
	return tableActions[action]?.(from, around, action) ?? {state: from};
}
