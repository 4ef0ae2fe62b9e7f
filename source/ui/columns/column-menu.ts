import type {MenuItem, MenuLayer, UiState} from '../state/state.js';
import type {Surroundings} from '../state/surroundings.js';

/** The item that takes the user's choice back. */
const usual = '';

type Columns = Pick<Surroundings, 'columns' | 'shownColumns'>;

/** Ids of the columns on the screen, in their order. */
function shownIds({view, columns: chosen}: UiState, {columns, shownColumns}: Columns): readonly string[] {
	const shown = chosen[view] ?? shownColumns;
	return [...shown, ...columns.filter(({id, isRest}) => isRest && !shown.includes(id)).map(({id}) => id)];
}

/**
The menu of a view's columns, those on the screen marked and in the order that they have there; the others stay where
they are among all. The cursor is on the first item, or on a column.
*/
export function columnMenu(state: UiState, around: Columns, on?: string): MenuLayer {
	const {columns} = around;
	const shown = shownIds(state, around);
	const inOrder = shown.values();
	const items: readonly MenuItem[] = [
		{id: usual, title: `${state.columns[state.view] ? '( )' : '(*)'} as many as the width has room for`},
		...columns.map(({id: place}) => {
			const isShown = shown.includes(place);
			const id = isShown ? inOrder.next().value : place;
			return {id: id!, title: `${isShown ? '[x]' : '[ ]'} ${columns.find(column => column.id === id)?.name ?? ''}`};
		}),
	];
	return {
		kind: 'menu', purpose: 'columns', title: 'Columns (< > move one)', items, index: Math.max(0, items.findIndex(({id}) => id === on)),
	};
}

/** The state with a column of the menu shown or no longer shown, or with the usual ones. */
export function withColumn(state: UiState, id: string, {columns, shownColumns}: Columns): UiState {
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

/** The state with a column of the menu one further to the left (-1) or to the right (1) on the screen. */
export function withColumnMoved(state: UiState, id: string, by: -1 | 1, around: Columns): UiState {
	const shown = shownIds(state, around);
	const from = shown.indexOf(id);
	const to = from + by;
	return from === -1 || to < 0 || to >= shown.length ? state : {...state, columns: {...state.columns, [state.view]: shown.toSpliced(from, 1).toSpliced(to, 0, id)}};
}
