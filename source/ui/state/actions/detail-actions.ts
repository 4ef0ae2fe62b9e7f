import {markedLink} from '../../text/detail/detail-line.js';
import type {Step} from '../reduce-menu.js';
import type {Layer, UiState} from '../state.js';
import type {Surroundings} from '../surroundings.js';
import {rowAt} from './look-into.js';

type DetailLayer = Extract<Layer, {kind: 'detail'}>;

/** Marks the next link of a detail, or the previous one, and scrolls to it. */
export function stepLink(state: UiState, step: number, {links, layerLines, layerPage}: Surroundings): UiState {
	const layer = state.layers.at(-1) as DetailLayer;
	if (links.length === 0) {
		return state;
	}

	const marked = markedLink(links, layer.link);
	const now = marked ? links.indexOf(marked) : (step > 0 ? -1 : links.length);
	const link = (now + step + links.length) % links.length;
	const {line} = links[link];
	const most = Math.max(0, layerLines - layerPage);
	const top = Math.min(most, Math.max(Math.min(layer.top, line), line - layerPage + 1));
	return {...state, layers: [...state.layers.slice(0, -1), {...layer, link, top}]};
}

/** Goes to what is marked in a detail: its own detail lies above. Without a mark it goes back. */
export function followLink(state: UiState, {links}: Surroundings): UiState {
	const layer = state.layers.at(-1) as DetailLayer;
	const marked = markedLink(links, layer.link);
	return marked
		? {
			...state, layers: [...state.layers, {
				kind: 'detail', view: marked.view, key: marked.key, top: 0,
			}],
		}
		: {...state, layers: state.layers.slice(0, -1)};
}

/** Has the row's source opened in an editor, or its place copied. */
export function withPlace(state: UiState, type: 'edit' | 'copy', around: Surroundings): Step {
	const row = rowAt(state, around);
	const place = row && around.placeOf(row.view, row.key);
	return place
		? {state, effect: {type, place}}
		: {state: {...state, message: {text: row ? 'it is not known where this row is' : 'no row', tone: 'plain'}}};
}
