import {printable, safe} from '../../util/printable.js';
import {viewOf, views} from '../../views/view-registry.js';
import type {ViewKey} from '../../views/common/view.js';
import type {MouseInput} from '../terminal/key-decoder.js';
import {backFromFocus, followLink, goToFinding, stepLink} from './screen-rows.js';
import {reverseSort, sortByColumn, tableActions} from './table-actions.js';
import {actionOf, bindingOf, keyLabel, remapped, type Action} from './keys.js';
import {pressInput} from './reduce-input.js';
import {pressMenu} from './reduce-menu.js';
import {scrollLayer, selectRow, type HitTarget, type ScreenContext, moveSelection} from './screen-context.js';
import {
	keyContextOf,
	selectFirstRow,
	withMessage,
	selectedIndex,
	selectedRow,
	withEffect,
	popLayer,
	withQuery,
	replaceTopLayer,
	type UiState,
} from './state.js';

/** Actions that do not clear the message, so that users can look around while they read it. */
const actionsKeepingMessage: ReadonlySet<Action> = new Set([
	'help',
	'help-view',
	'up',
	'down',
	'page-up',
	'page-down',
	'home',
	'end',
	'left',
	'right',
]);

/** Actions of tables that work in help and detail too. */
const layerActions: ReadonlySet<Action> = new Set([
	'help',
	'help-view',
	'show-view',
	'pause',
	'save',
	'earlier',
	'later',
	'busiest',
	'set-baseline',
	'record',
	'focus',
	'trace',
	'edit',
	'copy',
]);

/** How long q does nothing after it closed something, so that pressing it twice does not quit; milliseconds. */
const closeGuardMs = 500;

/** Returns the state after a key pressed at `atMs` (milliseconds, monotonic). Pure. */
export function press(state: UiState, pressed: string, screen: ScreenContext, atMs = 0): UiState {
	// Key changes do not apply where text is typed.
	const key = keyContextOf(state) === 'input' ? pressed : remapped(pressed, state.keyChanges);
	return pressUnchanged(state, key, screen, atMs);
}

/** Returns the state after a key, by its name before the user's changes. */
function pressUnchanged(state: UiState, key: string, screen: ScreenContext, atMs: number): UiState {
	const context = keyContextOf(state);
	const binding = bindingOf(context, key, screen.source);
	const action = binding?.action;
	if (action === 'quit' || action === 'redraw' || action === 'suspend') {
		return withEffect(state, {type: action});
	}

	if (action === 'close') {
		return atMs - state.closedAtMs < closeGuardMs ? state : close(state, screen, atMs);
	}

	if (context === 'input') {
		return pressInput(state, key, action);
	}

	if (action === undefined) {
		return withUnknownKey(state, key);
	}

	if (context === 'menu') {
		return pressMenu(state, action, screen);
	}

	if (context === 'help' || context === 'detail') {
		return pressLayer(state, action, screen, key);
	}

	const unselected = {...state, isFindingSelected: false};
	// The key that opens a detail's selected line goes to the finding's row, also where it means something else.
	if (state.isFindingSelected && actionOf('detail', key) === 'accept') {
		return goToFinding(unselected, screen);
	}

	const {press: pressOwn} = binding!;
	return pressOwn ? pressViewKey(unselected, pressOwn, screen) : pressTable(unselected, action, screen, key);
}

/** Says that a key does nothing in the view or detail, once for each of them. */
function withUnknownKey(state: UiState, key: string): UiState {
	const context = keyContextOf(state);
	const known = state.unknownKeys.get(context) ?? [];
	const where = context === 'detail' ? 'a row\'s detail' : views.find(({id}) => id === context)?.title;
	if (key === '' || where === undefined || known.includes(key)) {
		return state;
	}

	return withMessage(
		{...state, unknownKeys: new Map([...state.unknownKeys, [context, [...known, key]]])},
		safe`${keyLabel(key)} does nothing in ${printable(where)}; ? lists the keys`,
	);
}

/** Closes the topmost layer, or else goes back from focus, or else quits. */
function close(state: UiState, screen: ScreenContext, atMs: number): UiState {
	const below = keyContextOf(state) === 'menu'
		? pressMenu(state, 'back', screen)
		: (state.layers.length > 0 ? popLayer(state) : backFromFocus(state));
	return below ? {...below, closedAtMs: atMs} : withEffect(state, {type: 'quit'});
}

function pressViewKey(state: UiState, press: ViewKey['press'], {rows}: ScreenContext): UiState {
	const index = selectedIndex(state.selections[state.view], rows);
	const row = rows.at(index);
	const {change, message, select} = press(state.query, row && {row, index, rows});
	const changed = withQuery({...state, message: undefined}, change);
	const next = select === undefined ? selectFirstRow(changed) : selectRow(changed, select);
	return message === undefined ? next : withMessage(next, printable(message));
}

function pressLayer(state: UiState, action: Action, screen: ScreenContext, key: string): UiState {
	if (action === 'back') {
		return popLayer(state);
	}

	if (action === 'accept') {
		return followLink(state, screen);
	}

	if (action === 'next-link' || action === 'previous-link') {
		return stepLink(state, action === 'next-link' ? 1 : -1, screen);
	}

	const layer = state.layers.at(-1);
	if (layer?.kind === 'help' && action === 'help') {
		return layer.isOfView ? replaceTopLayer(state, {kind: 'help', scrollTop: 0}) : popLayer(state);
	}

	return layerActions.has(action) ? pressTable(state, action, screen, key) : scrollLayer(state, action, screen);
}

function pressTable(state: UiState, action: Action, screen: ScreenContext, key: string): UiState {
	const from = actionsKeepingMessage.has(action) ? state : {...state, message: undefined};
	return tableActions[action]?.(from, screen, action, key) ?? from;
}

const wheelRows = 3;

/** Returns the state after a mouse input at `atMs`: the wheel scrolls, a click does what `target` says. */
export function pressMouse(
	state: UiState,
	{mouse}: MouseInput,
	target: HitTarget | undefined,
	screen: ScreenContext,
	atMs = 0,
): UiState {
	if (mouse === 'click') {
		return target?.kind === 'key' ? pressUnchanged(state, target.key, screen, atMs) : click(state, target, screen);
	}

	// As if the arrow key of that name had been pressed: the key and its action have the same name.
	const arrow = mouse === 'wheel-up' ? 'up' : 'down';
	const context = keyContextOf(state);
	if (context === 'input') {
		return state;
	}

	if (context === 'menu') {
		return pressMenu(state, arrow, screen);
	}

	if (context === 'help' || context === 'detail') {
		return scrollLayer(state, arrow, screen, wheelRows);
	}

	let next = state;
	for (let row = 0; row < wheelRows; row++) {
		// A view may have its own way to move.
		const own = bindingOf(next.view, arrow)?.press;
		next = own ? pressViewKey(next, own, screen) : moveSelection(next, arrow, screen);
	}

	return next;
}

function click(
	state: UiState,
	target: Exclude<HitTarget, {readonly kind: 'key'}> | undefined,
	screen: ScreenContext,
): UiState {
	const layer = state.layers.at(-1);
	switch (target?.kind) {
		case 'tab': {
			return {...popLayers(state, screen), view: target.view, scrollLeft: 0};
		}

		case 'heading': {
			return state.sorts[state.view].column === target.column
				? reverseSort(state)
				: sortByColumn(state, target.column, screen);
		}

		case 'row': {
			const isSelected = selectedRow(state, screen.rows)?.key === target.key;
			const onClick = isSelected ? viewOf(state.view).keys.find(({isOnClick}) => isOnClick) : undefined;
			return onClick ? pressViewKey(state, onClick.press, screen) : selectRow(state, target.key);
		}

		case 'item': {
			if (layer?.kind !== 'menu') {
				return state;
			}

			// A click on the selected item chooses it.
			return layer.index === target.index
				? pressMenu(state, 'accept', screen)
				: replaceTopLayer(state, {...layer, index: target.index});
		}

		case undefined: {
			return state;
		}
	}
}

/** Returns the state without its layers, each closed as by Esc, except that a filter being typed stays in force. */
function popLayers(state: UiState, screen: ScreenContext): UiState {
	const layer = state.layers.at(-1);
	if (!layer) {
		return state;
	}

	if (layer.kind === 'menu') {
		return popLayers(pressMenu(state, 'back', screen), screen);
	}

	const isCancelled = layer.kind === 'input' && layer.purpose !== 'filter';
	return popLayers(isCancelled ? pressInput(state, safe`escape`, 'back') : popLayer(state), screen);
}
