import {views} from '../../views/registry.js';
import {withMove, type ScreenContext} from './screen-context.js';
import {markedLink, type RowLink} from './screen-data.js';
import {
	say, selectedIndex, withEffect, withLayer, withoutLayer, type DetailLayer, type UiState,
} from './state.js';

const focus = views.find(({focusOn}) => focusOn);

/** Goes to the focus view for the method of the selected row, or of the row whose detail is open. */
export function focusOnRow(state: UiState, screen: ScreenContext): UiState {
	const row = rowAt(state, screen);
	const location = row && screen.locationOf(row.view, row.key);
	if (!focus || !location) {
		return say(state, row ? 'this row has no known location' : 'no row to focus on');
	}

	if (location.method === '') {
		return say(state, 'rows are classes; press l for methods first');
	}

	return {
		...state, message: undefined, view: focus.id, left: 0, layers: [], query: {...state.query, ...focus.focusOn!(location)},
		selections: {...state.selections, [focus.id]: {index: 0, top: 0}}, cameFrom: state.view === focus.id ? state.cameFrom : state.view,
	};
}

/** Returns the row whose detail is open, or else the selected row; undefined if there is none. */
export function rowAt(state: UiState, {rows}: ScreenContext): RowLink | undefined {
	const detail = state.layers.findLast(layer => layer.kind === 'detail');
	const index = selectedIndex(state.selections[state.view], rows);
	return detail ?? (index < 0 ? undefined : {view: state.view, key: rows[index].key});
}

/** Returns the state back in the view that focus was opened from; undefined outside focus. */
export function backFromFocus(state: UiState): UiState | undefined {
	return state.cameFrom !== undefined && state.view === focus?.id ? {...state, view: state.cameFrom, cameFrom: undefined, left: 0} : undefined;
}

/** Marks the next (1) or previous (-1) link of a detail and scrolls to it. */
export function stepLink(state: UiState, step: number, {links}: ScreenContext): UiState {
	const layer = state.layers.at(-1) as DetailLayer;
	if (links.length === 0) {
		return state;
	}

	const marked = markedLink(links, layer.link);
	const current = marked ? links.indexOf(marked) : (step > 0 ? -1 : links.length);
	return withMove(withLayer(withoutLayer(state), {...layer, link: (current + step + links.length) % links.length}), 'to-link');
}

/** Opens the detail of the marked link on top of this one, or closes this one if no link is marked. */
export function followLink(state: UiState, {links}: ScreenContext): UiState {
	const layer = state.layers.at(-1) as DetailLayer;
	const marked = markedLink(links, layer.link);
	return marked
		? withLayer(state, {
			kind: 'detail', view: marked.view, key: marked.key, top: 0,
		})
		: withoutLayer(state);
}

/** Returns the state with an effect on the location of the row, or a message if there is none. */
export function withLocation(state: UiState, type: 'edit' | 'copy', screen: ScreenContext): UiState {
	const row = rowAt(state, screen);
	const location = row && screen.locationOf(row.view, row.key);
	return location
		? withEffect(state, {type, location})
		: say(state, row ? 'this row has no known location' : 'no row');
}
