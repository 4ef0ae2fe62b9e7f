import {views} from '../../../views/registry.js';
import type {RowLink} from '../../text/detail/detail-line.js';
import {selectedIndex, type UiState} from '../state.js';
import type {Step} from '../reduce-menu.js';
import type {Surroundings} from '../surroundings.js';

/** The view that looks into one method. */
const into = views.find(({lookInto}) => lookInto);

/** Goes to the view that looks into the method of the row with the cursor, or of the one whose detail is shown. */
export function lookInto(state: UiState, around: Surroundings): Step {
	const row = rowAt(state, around);
	const place = row && around.placeOf(row.view, row.key);
	if (!into || !place) {
		return said(state, row ? 'it is not known where this row is' : 'no row to look into');
	}

	if (place.method === '') {
		return said(state, 'rows stand for classes; press l for methods first');
	}

	return {
		state: {
			...state, message: undefined, view: into.id, left: 0, layers: [], query: {...state.query, ...into.lookInto!(place)},
			selections: {...state.selections, [into.id]: {index: 0, top: 0}}, cameFrom: state.view === into.id ? state.cameFrom : state.view,
		},
	};
}

/** The row whose detail is shown, or the one with the cursor; undefined where there is none. */
export function rowAt(state: UiState, {rowKeys}: Surroundings): RowLink | undefined {
	const detail = state.layers.findLast(layer => layer.kind === 'detail');
	const index = selectedIndex(state.selections[state.view], rowKeys);
	return detail ?? (index < 0 ? undefined : {view: state.view, key: rowKeys.at(index)!});
}

/** The state back in the view from which a method was looked into; undefined where it was not. */
export function lookedBack(state: UiState): UiState | undefined {
	return state.cameFrom !== undefined && state.view === into?.id ? {...state, view: state.cameFrom, cameFrom: undefined, left: 0} : undefined;
}

function said(state: UiState, text: string): Step {
	return {state: {...state, message: {text, tone: 'plain'}}};
}
