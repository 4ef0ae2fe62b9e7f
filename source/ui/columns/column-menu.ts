import type {MenuItem, MenuLayer, UiState} from '../state/state.js';
import type {Surroundings} from '../state/surroundings.js';

/** The item that takes the user's choice back. */
const usual = '';

/** The menu of a view's columns, those on the screen marked. */
export function columnMenu({view, columns: chosen}: UiState, {columns, shownColumns}: Surroundings, index = 0): MenuLayer {
	const shown = chosen[view] ?? shownColumns;
	const items: readonly MenuItem[] = [
		{id: usual, title: `${chosen[view] ? '( )' : '(*)'} as many as the width has room for`},
		...columns.map(({id, name, isRest}) => ({id, title: `${isRest || shown.includes(id) ? '[x]' : '[ ]'} ${name}`})),
	];
	return {
		kind: 'menu', purpose: 'columns', title: 'Columns', items, index,
	};
}

/** The state with a column of the menu shown or no longer shown, or with the usual ones. */
export function withColumn(state: UiState, id: string, {columns, shownColumns}: Surroundings): UiState {
	const {view} = state;
	const {[view]: chosen, ...others} = state.columns;
	if (id === usual) {
		return {...state, columns: others};
	}

	const now = chosen ?? shownColumns;
	const order = columns.map(column => column.id);
	if (columns.find(column => column.id === id)?.isRest) {
		return state;
	}

	// A new one stands behind the nearest one that the view has before it.
	const before = order.slice(0, order.indexOf(id)).findLast(other => now.includes(other));
	const next = now.includes(id) ? now.filter(other => other !== id) : now.toSpliced(before === undefined ? 0 : now.indexOf(before) + 1, 0, id);
	return {...state, columns: {...others, [view]: next}};
}
