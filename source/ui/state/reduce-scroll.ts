import type {Action} from './keys.js';
import type {UiState} from './state.js';
import {stepOf, type Surroundings} from './surroundings.js';

/** The state with the topmost layer (help or detail) scrolled. */
export function pressScroll(state: UiState, action: Action, {layerLines, layerPage}: Surroundings): UiState {
	const layer = state.layers.at(-1);
	if (layer?.kind !== 'help' && layer?.kind !== 'detail') {
		return state;
	}

	const most = Math.max(0, layerLines - layerPage);
	const top = Math.min(most, Math.max(0, Math.min(layer.top, most) + stepOf(action, layerPage, layerLines)));
	return {...state, layers: [...state.layers.slice(0, -1), {...layer, top}]};
}
