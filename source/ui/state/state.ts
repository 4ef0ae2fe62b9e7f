import {safe, type Printable} from '../../util/printable.js';
import {stateSets} from '../../query/filter/state-sets.js';
import type {Query, SortOrder, StateSet, Location} from '../../query/types/query.js';
import type {WindowId} from '../../query/past/windows.js';
import {usualSpanMs} from '../../query/past/steps.js';
import type {ViewRow} from '../../views/common/view.js';
import {views} from '../../views/view-registry.js';
import type {KeyChanges, KeyContext} from './keys.js';

type ViewId = string;

/** The selected row of a view's table. */
type Selection = {
	/** The row's key; undefined: the first row, whichever that is. */
	readonly key?: string;
	/** The row's last known index: the cursor stays there when the row is gone. */
	readonly index: number;
	/** Index of the first row on the screen. */
	readonly scrollTop: number;
};

export type InputLayer = {
	readonly kind: 'input';
	readonly purpose: 'filter' | 'delay' | 'save-name' | 'trace' | 'confirm-trace' | 'holders';
	readonly label: Printable;
	readonly text: string;
	/** In UTF-16 units, 0 to the text's length. */
	readonly cursor: number;
	/** Whether the whole text is selected: typing replaces it, any other key edits it. */
	readonly isSelected?: boolean;
	/** The note below the line, to read before pressing Enter. */
	readonly about?: Printable;
	/** For 'save-name': the format to save in. */
	readonly format?: string;
};

/** Returns an input line with an initial text, the cursor at its end. */
export function inputLayer(purpose: InputLayer['purpose'], label: Printable, text = ''): InputLayer {
	return {kind: 'input', purpose, label, text, cursor: text.length};
}

export type MenuItem = {readonly id: string; readonly title: string};

export type MenuLayer = {
	readonly kind: 'menu';
	readonly purpose: 'sort' | 'save-format' | 'columns';
	/** For 'columns': whether the user has changed any, so that they must be saved. */
	readonly hasChanges?: true;
	readonly title: Printable;
	readonly items: readonly MenuItem[];
	/** Index of the selected item. */
	readonly index: number;
};

/**
The help: all of it or, if `isOfView`, that for the current view. `scrollTop`: index of the first line on the screen.
*/
export type HelpLayer = {readonly kind: 'help'; readonly scrollTop: number; readonly isOfView?: true};

/** The detail of a row. `link`: the index of the link that the user selected, see `selectedLink`. */
export type DetailLayer = {
	readonly kind: 'detail';
	readonly scrollTop: number;
	readonly view: ViewId;
	readonly key: string;
	readonly link?: number;
};

export type ScrolledLayer = HelpLayer | DetailLayer;

type Layer = ScrolledLayer | MenuLayer | InputLayer;

export type Message = {readonly text: Printable; readonly tone: 'plain' | 'error'};

/** Everything that keys change; the screen is a function of this, the snapshot and the terminal's size. */
export type UiState = {
	readonly view: ViewId;
	/** The views that focus and the view of changes were opened from, the last one last. */
	readonly cameFrom: readonly ViewId[];
	readonly query: Query;
	readonly sorts: Readonly<Record<ViewId, SortOrder>>;
	/** The named set of counted states; undefined for a list from the command line. */
	readonly stateSet: StateSet | undefined;
	/** The label of the threads that the view is restricted to; undefined for all threads. */
	readonly onlyThreads: Printable | undefined;
	readonly window: WindowId;
	/** A moment in the window of the past on the screen, epoch milliseconds. Undefined: LIVE. */
	readonly pastMs: number | undefined;
	/** The length of windows of the past. */
	readonly spanMs: number;
	/** While a recording is played: how many seconds of it are shown in a second. */
	readonly playSpeed?: number;
	/** Number of resets that u can undo. */
	readonly resets: number;
	readonly selections: Readonly<Record<ViewId, Selection>>;
	/** Cells by which the name column is scrolled. */
	readonly scrollLeft: number;
	readonly isPaused: boolean;
	readonly delayMs: number;
	readonly message: Message | undefined;
	/** The finding that is shown first, by its index modulo their number. */
	readonly finding: number;
	/** Whether `!` has selected that finding, so that Enter goes to its row. */
	readonly isFindingSelected: boolean;
	/** Ids of the columns chosen for a view, in order; other views show as many as fit. */
	readonly columns: Readonly<Record<ViewId, readonly string[]>>;
	/** The keys that the user remapped; constant while the screen is up. */
	readonly keyChanges: KeyChanges;
	/** By context: the keys pressed there that do nothing, which was said. */
	readonly unknownKeys: ReadonlyMap<KeyContext, readonly string[]>;
	/** Notes on the start of the program, for the help. */
	readonly notes: readonly Printable[];
	/** When q last closed something (performance.now()): a second q soon after does not quit; -Infinity: never. */
	readonly closedAtMs: number;
	/** What is open over the table, the topmost last. */
	readonly layers: readonly Layer[];
	/** Effects still to be performed. */
	readonly effects: readonly Effect[];
};

export type InitialView = {
	readonly query: Query;
	/** The view shown first, to which the query's sort order applies; undefined for the first of the registry. */
	readonly view?: ViewId;
	readonly delayMs: number;
} & Partial<Pick<UiState, 'columns' | 'keyChanges' | 'notes' | 'message' | 'pastMs'>>;

export function initialState({
	query, view = views[0].id, delayMs, columns = {}, keyChanges = new Map(), notes = [], message, pastMs,
}: InitialView): UiState {
	return {
		view,
		cameFrom: [],
		query,
		sorts: Object.fromEntries(views.map(({id, sort}) => [id, id === view ? query.sort : sort])),
		stateSet: stateSets.find(({states}) =>
			states.length === query.states.length && states.every(state => query.states.includes(state)))?.id,
		onlyThreads: undefined,
		window: 'start',
		pastMs,
		spanMs: usualSpanMs,
		resets: 0,
		selections: Object.fromEntries(views.map(({id}) => [id, {index: 0, scrollTop: 0}])),
		scrollLeft: 0,
		isPaused: false,
		delayMs,
		message,
		finding: 0,
		isFindingSelected: false,
		columns,
		keyChanges,
		unknownKeys: new Map(),
		notes,
		closedAtMs: -Infinity,
		layers: [],
		effects: [],
	};
}

/** Returns the context that gives keys their meaning: the topmost layer, or the view. */
export function keyContextOf(state: UiState): KeyContext {
	return state.layers.at(-1)?.kind ?? state.view;
}

/** Returns the topmost layer that covers the table; an input line covers only the message. */
export function coveringLayer({layers}: UiState): ScrolledLayer | MenuLayer | undefined {
	return layers.findLast(layer => layer.kind !== 'input');
}

/** Returns the view's query. Unless the user chose states, Lines shows waits of a program that uses almost no CPU. */
export function queryOfView(state: UiState): Query {
	return {
		...state.query,
		sort: state.sorts[state.view],
		foldPools: state.query.foldPools ?? true,
		summary: {showsWaits: state.stateSet === 'active'},
	};
}

/**
Returns the index of the selected row (at first that of the first row that is not aside) or, if that row is gone, of the
row now in its place; -1 without rows.
*/
export function selectedIndex(selection: Selection, rows: readonly ViewRow[]): number {
	if (selection.key === undefined) {
		return rows.length === 0 ? -1 : Math.max(0, rows.findIndex(({isAside}) => !isAside));
	}

	const index = rows.findIndex(({key}) => key === selection.key);
	return index === -1 ? Math.min(selection.index, rows.length - 1) : index;
}

/** Returns the selected row; undefined if there are no rows. */
export function selectedRow({selections, view}: UiState, rows: readonly ViewRow[]): ViewRow | undefined {
	return rows.at(selectedIndex(selections[view], rows));
}

/**
Returns the `scrollTop` nearest to the current one that shows the selected row and leaves no line needlessly empty.
*/
export function scrollIntoView(scrollTop: number, selected: number, rows: number, pageRows: number): number {
	const page = Math.max(1, pageRows);
	const least = Math.max(0, selected - page + 1);
	return Math.min(Math.max(scrollTop, least), Math.max(0, selected), Math.max(0, rows - page));
}

/** What the screen does after a key, besides drawing: see `performEffect`. */
export type Effect =
	| {
		readonly type:
			| 'quit'
			| 'back'
			| 'redraw'
			| 'suspend'
			| 'reset'
			| 'undo-reset'
			| 'toggle-sampling'
			| 'toggle-events'
			| 'ask-for-holders'
			| 'trace'
			| 'forget-methods'
			| 'toggle-recording'
			| 'explain';
	}
	/** Only for a profile of Pyroscope: shows the span that is `steps` of its lengths later, or earlier if negative. */
	| {readonly type: 'move-span'; readonly steps: number}
	| {readonly type: 'edit' | 'copy'; readonly location: Location}
	| {readonly type: 'save'; readonly name?: string; readonly format?: string}
	/** Saves the columns that the user chose for a view; undefined for the default ones. */
	| {readonly type: 'keep-columns'; readonly view: string; readonly columns: readonly string[] | undefined}
	| {readonly type: 'find-methods'; readonly pattern: string};

const maxCameFrom = 16;

/** Returns the state in another view, from which `goBack` leads back. */
export function goTo(state: UiState, view: ViewId): UiState {
	return view === state.view
		? state
		: {...state, view, cameFrom: [...state.cameFrom, state.view].slice(-maxCameFrom), scrollLeft: 0};
}

/** Returns the state in the view that the last `goTo` left; undefined if there was none. */
export function goBack(state: UiState): UiState | undefined {
	const view = state.cameFrom.at(-1);
	return view === undefined ? undefined : {...state, view, cameFrom: state.cameFrom.slice(0, -1), scrollLeft: 0};
}

/** Returns the state with neither a filter nor a selection of threads. */
export function unfiltered(state: UiState): UiState {
	return {...state, query: {...state.query, filter: safe``, threadKeys: undefined}, onlyThreads: undefined};
}

export function withQuery(state: UiState, change: Partial<Query>): UiState {
	return {...state, query: {...state.query, ...change}};
}

export function withSort(state: UiState, sort: SortOrder): UiState {
	return {...state, sorts: {...state.sorts, [state.view]: sort}};
}

export function withSelection(state: UiState, selection: Selection): UiState {
	return {...state, selections: {...state.selections, [state.view]: selection}};
}

/** Selects the first row, when all rows have been replaced by others. */
export function selectFirstRow(state: UiState): UiState {
	return withSelection(state, {index: 0, scrollTop: 0});
}

export function withMessage(state: UiState, text: Printable): UiState {
	return {...state, message: {text, tone: 'plain'}};
}

export function withEffect(state: UiState, effect: Effect): UiState {
	return {...state, effects: [...state.effects, effect]};
}

export function pushLayer(state: UiState, layer: Layer): UiState {
	return {...state, layers: [...state.layers, layer]};
}

export function replaceTopLayer(state: UiState, layer: Layer): UiState {
	return pushLayer(popLayer(state), layer);
}

export function popLayer(state: UiState): UiState {
	return {...state, layers: state.layers.slice(0, -1)};
}
