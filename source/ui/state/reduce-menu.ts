import {printable, safe} from '../../util/printable.js';
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
		return menu.hasChanges
			? withEffect(below, {type: 'keep-columns', view: below.view, columns: below.columns[below.view]})
			: below;
	}

	if (action === 'column-left' || action === 'column-right') {
		return menu.purpose === 'columns'
			? changeColumns(below, menu, screen, id => moveColumn(below, id, action === 'column-left' ? -1 : 1, screen))
			: state;
	}

	if (action !== 'accept') {
		const index = Math.min(
			menu.items.length - 1,
			Math.max(0, menu.index + stepOf(action, screen.sizeOf(menu).page, menu.items.length)),
		);
		return pushLayer(below, {...menu, index});
	}

	const item = menu.items[menu.index];
	if (!item) {
		return below;
	}

	if (menu.purpose === 'columns') {
		return changeColumns(below, menu, screen, id => toggleColumn(below, id, screen));
	}

	if (menu.purpose === 'sort') {
		return withSort(below, {column: item.id, reverse: false});
	}

	return pushLayer(below, {
		...inputLayer('save-name', safe`name for ${printable(item.title)} (empty: chosen for you): `),
		format: item.id,
	});
}

/** Applies a change to the column under the cursor, and opens the menu of the changed columns. */
function changeColumns(
	below: UiState,
	menu: MenuLayer,
	screen: ScreenContext,
	change: (id: string) => UiState,
): UiState {
	const {id} = menu.items[menu.index];
	const changed = change(id);
	const hasChanges = menu.hasChanges === true || changed !== below ? true : undefined;
	return pushLayer(changed, {...columnMenu(changed, screen, id), hasChanges});
}

/** Id of the item that selects the view's default columns. */
const defaultItem = '';

type Columns = Pick<ScreenContext, 'columns' | 'visibleColumns'>;

/**
Returns the ids of the chosen columns, or else of those on the screen, in their order; always with the name column.
*/
function chosenIds({view, columns: chosen}: UiState, {columns, visibleColumns}: Columns): readonly string[] {
	const ids = chosen[view] ?? visibleColumns;
	return [...ids, ...columns.filter(({id, isFlexible}) => isFlexible && !ids.includes(id)).map(({id}) => id)];
}

/** Returns the menu of a view's columns, the chosen ones marked and in their order, with an item selected. */
export function columnMenu(state: UiState, screen: Columns, selectedId = defaultItem): MenuLayer {
	const {columns} = screen;
	const chosen = chosenIds(state, screen);
	const chosenInOrder = chosen.values();
	const items: readonly MenuItem[] = [
		{id: defaultItem, title: safe`${state.columns[state.view] ? '( )' : '(*)'} as many as the width has room for`},
		...columns.map(column => {
			// Columns not chosen keep their positions in the menu; the chosen fill the other positions, in their order.
			const isChosen = chosen.includes(column.id);
			const id = isChosen ? chosenInOrder.next().value! : column.id;
			return {id, title: safe`${isChosen ? '[x]' : '[ ]'} ${columns.find(other => other.id === id)?.name ?? ''}`};
		}),
	];
	return {
		kind: 'menu',
		purpose: 'columns',
		title: safe`Columns (< > move a column)`,
		items,
		index: Math.max(0, items.findIndex(({id}) => id === selectedId)),
	};
}

/** Adds a column, or removes it if it is there; the default item removes the user's choice. */
function toggleColumn(state: UiState, id: string, {columns, visibleColumns}: Columns): UiState {
	const {view} = state;
	const {[view]: chosen, ...others} = state.columns;
	if (id === defaultItem) {
		return {...state, columns: others};
	}

	const current = chosen ?? visibleColumns;
	const order = columns.map(column => column.id);
	if (columns.find(column => column.id === id)?.isFlexible) {
		return state;
	}

	// A new column goes after the nearest chosen one before it in the view's order.
	const before = order.slice(0, order.indexOf(id)).findLast(other => current.includes(other));
	const next = current.includes(id)
		? current.filter(other => other !== id)
		: current.toSpliced(before === undefined ? 0 : current.indexOf(before) + 1, 0, id);
	return {...state, columns: {...others, [view]: next}};
}

function moveColumn(state: UiState, id: string, by: -1 | 1, screen: Columns): UiState {
	const ids = chosenIds(state, screen);
	const from = ids.indexOf(id);
	const to = from + by;
	return from === -1 || to < 0 || to >= ids.length
		? state
		: {...state, columns: {...state.columns, [state.view]: ids.toSpliced(from, 1).toSpliced(to, 0, id)}};
}
