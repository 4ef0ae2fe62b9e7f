import type {Action} from './keys.js';
import {
	inputLayer, withEffect, pushLayer, popLayer, withSort, type MenuItem, type MenuLayer, type UiState,
} from './state.js';
import {stepOf, type ScreenContext} from './screen-context.js';

/** Returns the state after an action in the menu, the topmost layer. */
export function pressMenu(state: UiState, action: Action, screen: ScreenContext): UiState {
	const menu = state.layers.at(-1) as MenuLayer;
	const below = popLayer(state);
	if (action === 'back') {
		return menu.isChanged ? withEffect(below, {type: 'keep-columns', view: below.view, columns: below.columns[below.view]}) : below;
	}

	if (action === 'column-left' || action === 'column-right') {
		return menu.purpose === 'columns' ? changedColumns(below, menu, screen, id => withColumnMoved(below, id, action === 'column-left' ? -1 : 1, screen)) : state;
	}

	if (action !== 'accept') {
		const index = Math.min(menu.items.length - 1, Math.max(0, menu.index + stepOf(action, screen.sizeOf(menu).page, menu.items.length)));
		return pushLayer(below, {...menu, index});
	}

	const item = menu.items[menu.index];
	if (!item) {
		return below;
	}

	if (menu.purpose === 'columns') {
		return changedColumns(below, menu, screen, id => withColumn(below, id, screen));
	}

	if (menu.purpose === 'sort') {
		return withSort(below, {column: item.id, reverse: false});
	}

	return pushLayer(below, {...inputLayer('save-name', `name for ${item.title} (empty: chosen for you): `), format: item.id});
}

/** Applies a change to the column under the cursor and returns the state with the menu made again. */
function changedColumns(below: UiState, menu: MenuLayer, screen: ScreenContext, change: (id: string) => UiState): UiState {
	const {id} = menu.items[menu.index];
	const changed = change(id);
	const isChanged = menu.isChanged === true || changed !== below;
	return pushLayer(changed, {...columnMenu(changed, screen, id), ...(isChanged ? {isChanged} : {})});
}

/** Id of the item that selects the view's default columns. */
const defaultItem = '';

type Columns = Pick<ScreenContext, 'columns' | 'shownColumns'>;

/** Returns the ids of the columns shown, in their order; the name's is always one of them. */
function shownIds({view, columns: chosen}: UiState, {columns, shownColumns}: Columns): readonly string[] {
	const shown = chosen[view] ?? shownColumns;
	return [...shown, ...columns.filter(({id, isRest}) => isRest && !shown.includes(id)).map(({id}) => id)];
}

/** Returns the menu of a view's columns, the shown ones marked and in their order; `selectedId`: the item selected. */
export function columnMenu(state: UiState, screen: Columns, selectedId = defaultItem): MenuLayer {
	const {columns} = screen;
	const shown = shownIds(state, screen);
	const shownInOrder = shown.values();
	const items: readonly MenuItem[] = [
		{id: defaultItem, title: `${state.columns[state.view] ? '( )' : '(*)'} as many as the width has room for`},
		...columns.map(column => {
			// Hidden columns keep their positions in the menu; shown ones fill the others, in their own order.
			const isShown = shown.includes(column.id);
			const id = isShown ? shownInOrder.next().value! : column.id;
			return {id, title: `${isShown ? '[x]' : '[ ]'} ${columns.find(other => other.id === id)?.name ?? ''}`};
		}),
	];
	return {
		kind: 'menu', purpose: 'columns', title: 'Columns (< > move one)', items, index: Math.max(0, items.findIndex(({id}) => id === selectedId)),
	};
}

function withColumn(state: UiState, id: string, {columns, shownColumns}: Columns): UiState {
	const {view} = state;
	const {[view]: chosen, ...others} = state.columns;
	if (id === defaultItem) {
		return {...state, columns: others};
	}

	const current = chosen ?? shownColumns;
	const order = columns.map(column => column.id);
	if (columns.find(column => column.id === id)?.isRest) {
		return state;
	}

	// A new column goes after the nearest one before it, in the view's order, that is shown.
	const before = order.slice(0, order.indexOf(id)).findLast(other => current.includes(other));
	const next = current.includes(id) ? current.filter(other => other !== id) : current.toSpliced(before === undefined ? 0 : current.indexOf(before) + 1, 0, id);
	return {...state, columns: {...others, [view]: next}};
}

function withColumnMoved(state: UiState, id: string, by: -1 | 1, screen: Columns): UiState {
	const shown = shownIds(state, screen);
	const from = shown.indexOf(id);
	const to = from + by;
	return from === -1 || to < 0 || to >= shown.length ? state : {...state, columns: {...state.columns, [state.view]: shown.toSpliced(from, 1).toSpliced(to, 0, id)}};
}
