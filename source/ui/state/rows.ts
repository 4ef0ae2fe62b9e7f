import {views} from '../../views/registry.js';
import {withMove, type ScreenContext} from './screen-context.js';
import {markedLink, type RowLink} from './screen-data.js';
import {
	say, selectedIndex, withEffect, withLayer, withoutLayer, type DetailLayer, type UiState,
} from './state.js';

const focus = views.find(({lookInto}) => lookInto);

/** Goes to the view of the method of the row with the cursor, or of the row whose detail is shown. */
export function lookInto(state: UiState, screen: ScreenContext): UiState {
	const row = rowAt(state, screen);
	const location = row && screen.locationOf(row.view, row.key);
	if (!focus || !location) {
		return say(state, row ? 'this row has no known location' : 'no row to focus on');
	}

	if (location.method === '') {
		return say(state, 'rows are classes; press l for methods first');
	}

	return {
		...state, message: undefined, view: focus.id, left: 0, layers: [], query: {...state.query, ...focus.lookInto!(location)},
		selections: {...state.selections, [focus.id]: {index: 0, top: 0}}, cameFrom: state.view === focus.id ? state.cameFrom : state.view,
	};
}

/** The row whose detail is shown, or the one with the cursor; undefined for none. */
export function rowAt(state: UiState, {rows}: ScreenContext): RowLink | undefined {
	const detail = state.layers.findLast(layer => layer.kind === 'detail');
	const index = selectedIndex(state.selections[state.view], rows);
	return detail ?? (index < 0 ? undefined : {view: state.view, key: rows[index].key});
}

/** The state back in the view that focus came from; undefined outside of focus. */
export function backFromFocus(state: UiState): UiState | undefined {
	return state.cameFrom !== undefined && state.view === focus?.id ? {...state, view: state.cameFrom, cameFrom: undefined, left: 0} : undefined;
}

/** Marks the next link of a detail, or the previous one, and scrolls to it. */
export function stepLink(state: UiState, step: number, {links}: ScreenContext): UiState {
	const layer = state.layers.at(-1) as DetailLayer;
	if (links.length === 0) {
		return state;
	}

	const marked = markedLink(links, layer.link);
	const now = marked ? links.indexOf(marked) : (step > 0 ? -1 : links.length);
	return withMove(withLayer(withoutLayer(state), {...layer, link: (now + step + links.length) % links.length}), 'to-link');
}

/** Opens the detail of the marked link above this one. Without a mark it goes back. */
export function followLink(state: UiState, {links}: ScreenContext): UiState {
	const layer = state.layers.at(-1) as DetailLayer;
	const marked = markedLink(links, layer.link);
	return marked
		? withLayer(state, {
			kind: 'detail', view: marked.view, key: marked.key, top: 0,
		})
		: withoutLayer(state);
}

export function withLocation(state: UiState, type: 'edit' | 'copy', screen: ScreenContext): UiState {
	const row = rowAt(state, screen);
	const location = row && screen.locationOf(row.view, row.key);
	return location
		? withEffect(state, {type, location})
		: say(state, row ? 'this row has no known location' : 'no row');
}
