import {printable, safe, type Printable} from '../../util/printable.js';
import type {SortKey} from '../../query/columns/column.js';
import {windows} from '../../query/past/windows.js';
import {stateSets} from '../../query/filter/state-sets.js';
import {eventWholes, type Unit} from '../../query/types/query.js';
import {eventKinds} from '../../model/schema.js';
import {choiceAfter} from '../../views/common/opening-keys.js';
import {viewOf, views} from '../../views/view-registry.js';
import {digitOf, type Action} from './keys.js';
import {columnMenu} from './reduce-menu.js';
import {moveSelection, type ScreenContext} from './screen-context.js';
import {
	selectFirstRow, inputLayer, withMessage, selectedRow, withEffect, pushLayer, withQuery, withSort, type UiState,
} from './state.js';
import {promptForHolders, promptForPattern} from './reduce-input.js';
import {backFromFocus, editOrCopy, focusOnRow} from './screen-rows.js';
import {busiest, earlier, later, nextSpan, play, setBaseline, toggleChanges} from './time.js';

/** What a key does; `action` is its own, `key` its name. */
type Handler = (state: UiState, screen: ScreenContext, action: Action, key: string) => UiState;

const units: ReadonlyArray<{readonly id: Unit; readonly title: Printable}> = [
	{id: 'core', title: safe`percent of a core`},
	{id: 'cpu', title: safe`share of CPU time`},
	{id: 'ticks', title: safe`share of ticks`},
	{id: 'cpu-ms', title: safe`CPU milliseconds`},
];

/** Cells by which a key scrolls sideways. */
const sidewaysStep = 8;

/** Maximum of `scrollLeft`: names have at most 512 characters, and nobody reads one from beyond its middle. */
const maxScrollLeft = 256;

const move: Handler = (state, screen, action) => moveSelection(state, action, screen);

const sortBy = (figure: SortKey): Handler => (state, screen) => {
	const column = screen.columns.find(({sortKeys}) => sortKeys?.includes(figure));
	return column === undefined ? state : sortByColumn(state, column.id, screen);
};

/** Goes to the next (1) or previous (-1) view. */
const stepView = (step: 1 | -1): Handler => state => {
	const index = views.findIndex(({id}) => id === state.view);
	return {...state, view: views.at((index + step) % views.length)!.id, scrollLeft: 0};
};

/** Sorts by the next (1) or previous (-1) column on the screen. */
const stepSortColumn = (step: 1 | -1): Handler => (state, screen) => {
	const {column} = state.sorts[state.view];
	const ids = screen.columns.map(({id}) => id).filter(id => id === column || screen.visibleColumns.includes(id));
	return sortByColumn(state, ids.at((ids.indexOf(column) + step) % ids.length) ?? column, screen);
};

/** Turns an option of the query on or off, and selects the first row, because all rows are replaced. */
const toggle
	= (option: 'ownFirst' | 'javaOnly' | 'native', messages: {readonly on: Printable; readonly off: Printable}): Handler =>
		state => {
			const isOn = !state.query[option];
			return withMessage(selectFirstRow(withQuery(state, {[option]: isOn})), isOn ? messages.on : messages.off);
		};

/** Handlers of actions in the views' tables; other actions do nothing there. */
export const tableActions: Readonly<Partial<Record<Action, Handler>>> = {
	up: move,
	down: move,
	'page-up': move,
	'page-down': move,
	home: move,
	end: move,
	left: state => ({...state, scrollLeft: Math.max(0, state.scrollLeft - sidewaysStep)}),
	right(state, {overhang}) {
		const most = Math.ceil(Math.max(0, overhang(maxScrollLeft)) / sidewaysStep) * sidewaysStep;
		return {...state, scrollLeft: Math.max(state.scrollLeft, Math.min(most, state.scrollLeft + sidewaysStep))};
	},
	'show-view'(state, _screen, _action, key) {
		const shown = views.find(({id}) => digitOf(id) === key);
		return shown ? {...state, view: shown.id, layers: [], scrollLeft: 0} : state;
	},
	'next-view': stepView(1),
	'previous-view': stepView(-1),
	help: state => pushLayer(state, {kind: 'help', scrollTop: 0}),
	'help-view': state => pushLayer(state, {kind: 'help', scrollTop: 0, isOfView: true}),
	open: openDetail,
	'next-finding'(state, {findings}) {
		if (findings === 0) {
			return withMessage(state, safe`there are no findings`);
		}

		return {...state, finding: (state.finding + 1) % findings, isFindingSelected: true};
	},
	focus: focusOnRow,
	edit: (state, screen) => editOrCopy(state, 'edit', screen),
	copy: (state, screen) => editOrCopy(state, 'copy', screen),
	explain: state => withEffect(state, {type: 'explain'}),
	trace: promptForPattern,
	holders: promptForHolders,
	clear: clearOne,
	'sort-self': sortBy('self'),
	'sort-total': sortBy('total'),
	'sort-name': sortBy('name'),
	'sort-previous': stepSortColumn(-1),
	'sort-next': stepSortColumn(1),
	'sort-menu': (state, {columns}) =>
		pushLayer(state, {
			kind: 'menu',
			purpose: 'sort',
			title: safe`Sort by`,
			items: columns,
			index: Math.max(0, columns.findIndex(({id}) => id === state.sorts[state.view].column)),
		}),
	'columns-menu': (state, screen) => pushLayer(state, columnMenu(state, screen)),
	reverse: reverseSort,
	filter: state => pushLayer(state, inputLayer('filter', safe`filter: `, state.query.filter)),
	delay: state =>
		pushLayer(state, {
			...inputLayer('delay', safe`seconds between refreshes: `, String(state.delayMs / 1000)),
			isSelected: true,
		}),
	'save-as': (state, {saveFormats}) => pushLayer(state, {
		kind: 'menu', purpose: 'save-format', title: safe`Save as`, items: saveFormats, index: 0,
	}),
	save: state => withEffect(withMessage(state, safe`saving...`), {type: 'save'}),
	'only-threads': toggleOnlyThreads,
	states(state) {
		const set = choiceAfter(stateSets, stateSets.find(({id}) => id === state.stateSet));
		return withMessage(
			{...state, stateSet: set.id, query: {...state.query, states: set.states}},
			safe`counted states: ${set.title}`,
		);
	},
	'own-code': toggle('ownFirst', {
		on: safe`own code first: rows are the program's own lines, with what they called`,
		off: safe`every line by itself, JDK lines included`,
	}),
	'java-only': toggle('javaOnly', {
		on: safe`Java alone: shares are of the CPU time of Java threads`,
		off: safe`all of the process: collectors, compilers and native threads too`,
	}),
	native: toggle('native', {
		on: safe`native code by itself, below the Java lines that called it`,
		off: safe`native code is folded into the Java lines that called it`,
	}),
	names: state => withQuery(state, {fullNames: !state.query.fullNames}),
	idle: state =>
		withMessage(
			withQuery(state, {showsWaitsForWork: !state.query.showsWaitsForWork}),
			state.query.showsWaitsForWork ? safe`idle threads are hidden` : safe`idle threads are shown`,
		),
	unit(state, {window}) {
		const events = window?.snapshot.events;
		const isRecorded = (code: number) => events?.kind.subarray(0, events.count).includes(code);
		const ofEvents = eventKinds.filter((_, code) => isRecorded(code))
			.map(id => ({id, title: safe`share of ${eventWholes[id]}`}));
		const choices = [...units, ...ofEvents];
		const unit = choiceAfter(choices, choices.find(({id}) => id === state.query.unit));
		return withMessage(withQuery(state, {unit: unit.id}), safe`unit: ${unit.title}`);
	},
	window(state) {
		if (state.pastMs !== undefined) {
			return nextSpan(state);
		}

		const choices = windows.filter(({id}) => id !== 'reset' || state.resets > 0);
		const window = choiceAfter(choices, choices.find(({id}) => id === state.window));
		return withMessage({...state, window: window.id}, safe`window: ${window.title}`);
	},
	earlier,
	later,
	busiest,
	'set-baseline': setBaseline,
	changes: toggleChanges,
	reset: state =>
		withEffect(
			withMessage(
				{...state, pastMs: undefined, window: 'reset', resets: state.resets + 1},
				safe`counting from now on; u undoes`,
			),
			{type: 'reset'},
		),
	'undo-reset': state =>
		state.resets === 0
			? withMessage(state, safe`nothing to undo`)
			: withEffect(
				withMessage(
					{...state, resets: state.resets - 1, window: state.resets > 1 ? 'reset' : 'start'},
					safe`reset undone`,
				),
				{type: 'undo-reset'},
			),
	pause: (state, screen) =>
		screen.source === 'recording' ? play(state, screen) : {...state, isPaused: !state.isPaused},
	record: state => withEffect(state, {type: 'toggle-recording'}),
	sampling: state => withEffect(state, {type: 'toggle-sampling'}),
	events: state => withEffect(state, {type: 'toggle-events'}),
};

/** Sorts by a column in its default order; the message names it, as its heading may be off the screen. */
export function sortByColumn(state: UiState, column: string, screen: ScreenContext): UiState {
	const title = screen.columns.find(({id}) => id === column)?.title ?? column;
	return withMessage(withSort(state, {column, reverse: false}), safe`sorted by ${printable(title)}`);
}

export function reverseSort(state: UiState): UiState {
	const sort = state.sorts[state.view];
	return withSort(state, {...sort, reverse: !sort.reverse});
}

function openDetail(state: UiState, {rows}: ScreenContext): UiState {
	const row = selectedRow(state, rows);
	return row
		? pushLayer(state, {kind: 'detail', view: state.view, key: row.key, scrollTop: 0})
		: withMessage(state, safe`no row to open`);
}

/**
Undoes one thing, the first that applies: the view's zoom, the past, the filter, the selection of threads, the focus.
With nothing left to undo, goes back to the table of JVMs, if the session was opened there.
*/
function clearOne(state: UiState, {source}: ScreenContext): UiState {
	const change = viewOf(state.view).onEscape?.(state.query);
	if (change) {
		return withQuery(state, change);
	}

	if (state.pastMs !== undefined) {
		return {...state, pastMs: undefined, playSpeed: undefined};
	}

	if (state.query.filter !== '') {
		return withQuery(state, {filter: safe``});
	}

	if (state.onlyThreads !== undefined) {
		return withAllThreads(state);
	}

	const hasTable = source === 'backend' || source === 'jvm';
	return backFromFocus(state) ?? (hasTable ? withEffect(state, {type: 'back'}) : state);
}

function withAllThreads(state: UiState): UiState {
	return {...withQuery(state, {threadKeys: undefined}), onlyThreads: undefined};
}

/** Restricts the view to the threads of the selected row, or shows all threads again. */
function toggleOnlyThreads(state: UiState, screen: ScreenContext): UiState {
	if (state.onlyThreads !== undefined) {
		return withMessage(withAllThreads(state), safe`all threads`);
	}

	const row = selectedRow(state, screen.rows);
	const threads = row && screen.threadsOf(row.key);
	return !threads || threads.keys.length === 0
		? withMessage(state, safe`this row has no threads`)
		: {...withQuery(state, {threadKeys: new Set(threads.keys)}), onlyThreads: threads.label};
}
