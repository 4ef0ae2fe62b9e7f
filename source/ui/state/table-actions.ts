import type {SortKey} from '../../query/columns/column.js';
import {windows} from '../../query/past/windows.js';
import {stateSets} from '../../query/filter/state-sets.js';
import type {Unit} from '../../query/types/query.js';
import {choiceAfter} from '../../views/common/keys.js';
import {viewOf, views} from '../../views/registry.js';
import type {Action} from './keys.js';
import {columnMenu} from './reduce-menu.js';
import {moveSelection, type ScreenContext} from './screen-context.js';
import {
	forgetRow, inputLayer, say, selectedRow, withEffect, pushLayer, withQuery, withSort, type UiState,
} from './state.js';
import {promptForHolders, promptForPattern} from './reduce-input.js';
import {backFromFocus, focusOnRow, withLocation} from './rows.js';
import {busiest, changes, earlier, later, mark, nextSpan, play} from './time.js';

type Handler = (state: UiState, screen: ScreenContext, action: Action) => UiState;

const units: ReadonlyArray<{readonly id: Unit; readonly title: string}> = [
	{id: 'cpu', title: 'share of CPU time'}, {id: 'ticks', title: 'share of ticks'}, {id: 'cpu-ms', title: 'CPU milliseconds'},
];

const sidewaysStep = 8;

/** Most columns scrolled: names have at most 512 characters, and nobody reads one from beyond its middle. */
const maxLeft = 256;

const move: Handler = (state, screen, action) => moveSelection(state, action, screen);

const sortBy = (figure: SortKey): Handler => (state, screen) => {
	const column = screen.columns.find(({sortKeys}) => sortKeys?.includes(figure));
	return column === undefined ? state : sortedBy(state, column.id, screen);
};

const nextView = (step: number): Handler => state => {
	const at = views.findIndex(({id}) => id === state.view);
	return {...state, view: views[(at + step + views.length) % views.length].id, left: 0};
};

const nextColumn = (step: number): Handler => (state, screen) => {
	const {columns, shownColumns} = screen;
	const at = columns.findIndex(({id}) => id === state.sorts[state.view].column);
	const order = Array.from({length: columns.length}, (_, index) => columns[(at + (step * (index + 1)) + (columns.length * 2)) % columns.length].id);
	return sortedBy(state, order.find(id => shownColumns.includes(id)) ?? state.sorts[state.view].column, screen);
};

/** Turns a part of the query on or off, after which rows are others; `titles`: the messages for on and off. */
const toggle = (part: 'ownFirst' | 'javaOnly' | 'native', titles: readonly [on: string, off: string]): Handler => state => {
	const isOn = !state.query[part];
	return say(forgetRow(withQuery(state, {[part]: isOn})), titles[isOn ? 0 : 1]);
};

/** Handlers of actions in the views' tables; other actions do nothing there. */
export const tableActions: Readonly<Partial<Record<Action, Handler>>> = {
	up: move,
	down: move,
	'page-up': move,
	'page-down': move,
	home: move,
	end: move,
	left: state => ({...state, left: Math.max(0, state.left - sidewaysStep)}),
	right(state, {overhang}) {
		const most = Math.ceil(Math.max(0, overhang(maxLeft)) / sidewaysStep) * sidewaysStep;
		return {...state, left: Math.max(state.left, Math.min(most, state.left + sidewaysStep))};
	},
	'next-view': nextView(1),
	'previous-view': nextView(-1),
	help: state => pushLayer(state, {kind: 'help', top: 0}),
	'help-view': state => pushLayer(state, {kind: 'help', top: 0, isOfView: true}),
	open,
	focus: focusOnRow,
	edit: (state, screen) => withLocation(state, 'edit', screen),
	copy: (state, screen) => withLocation(state, 'copy', screen),
	trace: promptForPattern,
	holders: promptForHolders,
	'clear-all': cleared,
	'sort-self': sortBy('self'),
	'sort-total': sortBy('total'),
	'sort-ticks': sortBy('ticks'),
	'sort-total-ticks': sortBy('total-ticks'),
	'sort-cpu': sortBy('cpu'),
	'sort-name': sortBy('name'),
	'sort-previous': nextColumn(-1),
	'sort-next': nextColumn(1),
	'sort-menu': (state, {columns}) => pushLayer(state, {
		kind: 'menu', purpose: 'sort', title: 'Sort by', items: columns, index: Math.max(0, columns.findIndex(({id}) => id === state.sorts[state.view].column)),
	}),
	'columns-menu': (state, screen) => pushLayer(state, columnMenu(state, screen)),
	reverse: reversed,
	filter: state => pushLayer(state, inputLayer('filter', 'filter: ', state.query.filter)),
	delay: state => pushLayer(state, {...inputLayer('delay', 'seconds between refreshes: ', String(state.delayMs / 1000)), isSelected: true}),
	'save-as': (state, {saveFormats}) => pushLayer(state, {
		kind: 'menu', purpose: 'save-format', title: 'Save as', items: saveFormats, index: 0,
	}),
	save: state => withEffect(say(state, 'saving...'), {type: 'save'}),
	'only-threads': onlyThreads,
	states(state) {
		const set = choiceAfter(stateSets, stateSets.find(({id}) => id === state.stateSet));
		return say({...state, stateSet: set.id, query: {...state.query, states: set.states}}, `counted states: ${set.title}`);
	},
	'own-code': toggle('ownFirst', ['own code first: rows are the program\'s own lines, with what they called', 'every line by itself, JDK lines included']),
	'java-only': toggle('javaOnly', ['Java alone: shares are of the CPU time of Java threads', 'all of the process: collectors, compilers and native threads too']),
	native: toggle('native', ['native code by itself, below the Java lines that called it', 'native code is folded into the Java lines that called it']),
	names: state => withQuery(state, {fullNames: !state.query.fullNames}),
	idle: state => say(withQuery(state, {showIdle: !state.query.showIdle}), state.query.showIdle ? 'idle threads are hidden' : 'idle threads are shown'),
	unit(state) {
		const unit = choiceAfter(units, units.find(({id}) => id === state.query.unit));
		return say(withQuery(state, {unit: unit.id}), `unit: ${unit.title}`);
	},
	window(state) {
		if (state.pastMs !== undefined) {
			return nextSpan(state);
		}

		const choices = windows.filter(({id}) => id !== 'reset' || state.resets > 0);
		const window = choiceAfter(choices, choices.find(({id}) => id === state.window));
		return say({...state, window: window.id}, `window: ${window.title}`);
	},
	earlier,
	later,
	busiest,
	mark,
	changes,
	reset: state => withEffect(say({...state, pastMs: undefined, window: 'reset', resets: state.resets + 1}, 'counting from now on; u undoes'), {type: 'reset', isUndone: false}),
	'undo-reset': state => state.resets === 0
		? say(state, 'nothing to undo')
		: withEffect(say({...state, resets: state.resets - 1, window: state.resets > 1 ? 'reset' : 'start'}, 'reset undone'), {type: 'reset', isUndone: true}),
	pause: (state, screen) => screen.source === 'recording' ? play(state, screen) : {...state, isPaused: !state.isPaused},
	record: state => withEffect(state, {type: 'record'}),
	sampling: state => withEffect(state, {type: 'sampling'}),
};

/** Sorts by a column in its default order; the message names it, as its heading may be off the screen. */
export function sortedBy(state: UiState, column: string, screen: ScreenContext): UiState {
	const title = screen.columns.find(({id}) => id === column)?.title ?? column;
	return say(withSort(state, {column, reverse: false}), `sorted by ${title}`);
}

export function reversed(state: UiState): UiState {
	const sort = state.sorts[state.view];
	return withSort(state, {...sort, reverse: !sort.reverse});
}

function open(state: UiState, {rows}: ScreenContext): UiState {
	const row = selectedRow(state, rows);
	return row
		? pushLayer(state, {kind: 'detail', view: state.view, key: row.key, top: 0})
		: say(state, 'no row to open');
}

/** Undoes one thing at a time: the view's zoom, the past, the filter, the selection of threads, the focus. */
function cleared(state: UiState, {source}: ScreenContext): UiState {
	const back = viewOf(state.view).back?.(state.query);
	if (back) {
		return withQuery(state, back);
	}

	if (state.pastMs !== undefined) {
		return {...state, pastMs: undefined, playing: undefined};
	}

	if (state.query.filter !== '') {
		return withQuery(state, {filter: ''});
	}

	if (state.onlyThreads !== undefined) {
		return withAllThreads(state);
	}

	return backFromFocus(state) ?? (source === 'backend' ? withEffect(state, {type: 'back'}) : state);
}

function withAllThreads(state: UiState): UiState {
	return {...withQuery(state, {threadKeys: undefined}), onlyThreads: undefined};
}

function onlyThreads(state: UiState, screen: ScreenContext): UiState {
	if (state.onlyThreads !== undefined) {
		return say(withAllThreads(state), 'all threads');
	}

	const row = selectedRow(state, screen.rows);
	const threads = row && screen.threadsOf(row.key);
	return !threads || threads.keys.length === 0
		? say(state, 'this row has no threads')
		: {...withQuery(state, {threadKeys: new Set(threads.keys)}), onlyThreads: threads.label};
}
