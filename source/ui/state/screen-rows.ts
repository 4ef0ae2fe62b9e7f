import {safe} from '../../util/printable.js';
import type {Location} from '../../query/types/query.js';
import {views} from '../../views/view-registry.js';
import {selectRow, type ScreenContext} from './screen-context.js';
import {selectedLink, type RowLink} from './screen-data.js';
import {
	selectFirstRow,
	goBack,
	goTo,
	withMessage,
	selectedRow,
	withEffect,
	pushLayer,
	popLayer,
	replaceTopLayer,
	unfiltered,
	type DetailLayer,
	type UiState,
} from './state.js';

const focus = views.find(({focusOn}) => focusOn);

/** Goes to the row that the selected finding is about; nothing hides it there. */
export function goToFinding(state: UiState, screen: ScreenContext): UiState {
	const row = screen.rowOfFinding();
	return row
		? selectRow({...goTo(unfiltered(state), row.view), message: undefined}, row.key)
		: withMessage(state, safe`no view has a row for this finding`);
}

/** Goes to the focus view for the method of the selected row, or of the row whose detail is open. */
export function focusOnRow(state: UiState, screen: ScreenContext): UiState {
	const location = locationAt(state, screen);
	if (!focus || !location) {
		return withMessage(state, rowAt(state, screen) ? safe`this row has no known location` : safe`no row to focus on`);
	}

	if (location.method === '') {
		return withMessage(state, safe`rows are classes; press l for methods first`);
	}

	return {
		...selectFirstRow(goTo(state, focus.id)),
		message: undefined,
		layers: [],
		query: {...state.query, ...focus.focusOn!(location)},
	};
}

/** Returns the row whose detail is open, or else the selected row; undefined if there is none. */
function rowAt(state: UiState, {rows}: ScreenContext): RowLink | undefined {
	const row = selectedRow(state, rows);
	return state.layers.findLast(layer => layer.kind === 'detail') ?? (row && {view: state.view, key: row.key});
}

/** Returns the location of the row whose detail is open, or else of the selected row; undefined if unknown. */
export function locationAt(state: UiState, screen: ScreenContext): Location | undefined {
	const row = rowAt(state, screen);
	return row && screen.locationOf(row.view, row.key);
}

/** Returns the state back in the view that focus was opened from; undefined outside focus. */
export function backFromFocus(state: UiState): UiState | undefined {
	return state.view === focus?.id ? goBack(state) : undefined;
}

/** Selects the next (1) or previous (-1) link of the detail, the topmost layer, and scrolls to it. */
export function stepLink(state: UiState, step: 1 | -1, {links, sizeOf}: ScreenContext): UiState {
	const layer = state.layers.at(-1) as DetailLayer;
	if (links.length === 0) {
		return state;
	}

	const selected = selectedLink(links, layer.link);
	const current = selected ? links.indexOf(selected) : (step > 0 ? -1 : links.length);
	const next = {...layer, link: (current + step + links.length) % links.length};
	const {page, linkLine = 0} = sizeOf(next);
	return replaceTopLayer(state, {
		...next,
		scrollTop: Math.max(Math.min(layer.scrollTop, linkLine), linkLine - page + 1),
	});
}

/** Opens the detail of the selected link over the topmost detail; closes the topmost detail if no link is selected. */
export function followLink(state: UiState, {links}: ScreenContext): UiState {
	const layer = state.layers.at(-1) as DetailLayer;
	const selected = selectedLink(links, layer.link);
	return selected
		? pushLayer(state, {kind: 'detail', view: selected.view, key: selected.key, scrollTop: 0})
		: popLayer(state);
}

/** Opens the row's source in the editor, or copies its location. */
export function editOrCopy(state: UiState, type: 'edit' | 'copy', screen: ScreenContext): UiState {
	const location = locationAt(state, screen);
	return location
		? withEffect(state, {type, location})
		: withMessage(state, rowAt(state, screen) ? safe`this row has no known location` : safe`no row is selected`);
}
