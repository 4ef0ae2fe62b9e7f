import type {Place} from '../../query/types.js';
import {columnMenu, withColumn, withColumnMoved} from '../columns/column-menu.js';
import type {Action} from './keys.js';
import type {MenuLayer, UiState} from './state.js';
import {stepOf, type Surroundings} from './surroundings.js';

/** What the app is to do beside drawing. */
export type Effect =
	| {readonly type: 'quit' | 'redraw' | 'suspend' | 'reset' | 'undo-reset' | 'sampling' | 'holders' | 'trace' | 'forget-methods'}
	| {readonly type: 'edit' | 'copy'; readonly place: Place}
	| {readonly type: 'save'; readonly name?: string; readonly format?: string}
	/** The columns of a view as the user chose them, undefined for the usual ones, are to be kept. */
	| {readonly type: 'keep-columns'; readonly view: string; readonly columns: readonly string[] | undefined}
	| {readonly type: 'find-methods'; readonly pattern: string};

export type Step = {readonly state: UiState; readonly effect?: Effect};

/** A key in a menu. */
export function pressMenu(state: UiState, action: Action, around: Surroundings): Step {
	const menu = state.layers.at(-1) as MenuLayer;
	const below = {...state, layers: state.layers.slice(0, -1)};
	if (action === 'back') {
		return menu.isChanged ? {state: below, effect: {type: 'keep-columns', view: below.view, columns: below.columns[below.view]}} : {state: below};
	}

	if (action === 'column-left' || action === 'column-right') {
		return {state: menu.purpose === 'columns' ? changedColumns(below, menu, around, id => withColumnMoved(below, id, action === 'column-left' ? -1 : 1, around)) : state};
	}

	if (action !== 'accept') {
		const index = Math.min(menu.items.length - 1, Math.max(0, menu.index + stepOf(action, around.layerPage, menu.items.length)));
		return {state: {...below, layers: [...below.layers, {...menu, index}]}};
	}

	const item = menu.items[menu.index];
	if (!item) {
		return {state: below};
	}

	if (menu.purpose === 'columns') {
		return {state: changedColumns(below, menu, around, id => withColumn(below, id, around))};
	}

	if (menu.purpose === 'sort') {
		return {state: {...below, sorts: {...below.sorts, [below.view]: {column: item.id, reverse: false}}}};
	}

	return {
		state: {
			...below, layers: [...below.layers, {
				kind: 'input', purpose: 'save-name', label: `name for ${item.title} (empty: chosen for you): `, text: '', cursor: 0, format: item.id,
			}],
		},
	};
}

/** The column menu after a change of what its cursor is on; what was changed once is kept at the end. */
function changedColumns(below: UiState, menu: MenuLayer, around: Surroundings, change: (id: string) => UiState): UiState {
	const {id} = menu.items[menu.index];
	const changed = change(id);
	const isChanged = menu.isChanged === true || changed !== below;
	return {...changed, layers: [...changed.layers, {...columnMenu(changed, around, id), ...(isChanged ? {isChanged} : {})}]};
}
