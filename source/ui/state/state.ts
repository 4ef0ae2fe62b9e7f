import {stateSets} from '../../query/filter/state-sets.js';
import type {Query, SortOrder, StateSet} from '../../query/types.js';
import type {WindowId} from '../../query/facts/window.js';
import type {RowKeys} from '../../query/row-list.js';
import {usualSpanMs} from '../../query/past/steps.js';
import {views} from '../../views/registry.js';
import type {KeyChanges} from '../keys/key-changes.js';
import type {Context} from './keys.js';

/** Id of a view of the registry. */
export type ViewId = string;

/**
Which row the cursor is on. Without a key it was never moved and stands on the first row, whatever that is; with one it
follows its row.
*/
export type Selection = {
	readonly key?: string;
	/** Where the row was when it was last seen: the cursor stays there when the row is gone. */
	readonly index: number;
	/** First row on the screen. */
	readonly top: number;
};

/** A line being typed. */
export type InputLayer = {
	readonly kind: 'input';
	readonly purpose: 'filter' | 'delay' | 'save-name' | 'trace' | 'agree-to-trace' | 'holders';
	readonly label: string;
	readonly text: string;
	/** In UTF-16 units, 0 to the text's length. */
	readonly cursor: number;
	/** The whole text is selected: what is typed replaces it, any other key leaves it to be edited. */
	readonly isSelected?: boolean;
	/** What is to be known before Enter is pressed, below the line. */
	readonly about?: string;
	/** The format chosen before a save's name is asked for. */
	readonly format?: string;
};

export type MenuItem = {readonly id: string; readonly title: string};

/** A list to choose from. */
export type MenuLayer = {
	readonly kind: 'menu';
	readonly purpose: 'sort' | 'save-format' | 'columns';
	/** Something was chosen in it that is to be kept. */
	readonly isChanged?: true;
	readonly title: string;
	readonly items: readonly MenuItem[];
	readonly index: number;
};

export type Layer =
	| {readonly kind: 'help'; readonly top: number; /** Help for the view alone. */ readonly isOfView?: true}
	| {readonly kind: 'detail'; readonly view: ViewId; readonly key: string; readonly top: number; /** The link chosen, from 0. */ readonly link?: number}
	| MenuLayer
	| InputLayer;

export type Message = {readonly text: string; readonly tone: 'plain' | 'error'};

/**
Everything that the keys decide. What is on the screen is a function of this, the snapshot and the terminal's size.
*/
export type UiState = {
	readonly view: ViewId;
	/** The view from which a method was looked into. */
	readonly cameFrom?: ViewId;
	readonly query: Query;
	readonly sorts: Readonly<Record<ViewId, SortOrder>>;
	/** The named set of counted states; undefined for a list from the command line. */
	readonly stateSet: StateSet | undefined;
	/** Whose threads alone are looked at; undefined for all. */
	readonly onlyThreads: string | undefined;
	readonly window: WindowId;
	/**
	A moment of the past, epoch milliseconds: its cell (query/past/steps) is what is looked at. Undefined: LIVE.
	*/
	readonly lookedAtMs: number | undefined;
	/** How long such a cell is. */
	readonly spanMs: number;
	/** Resets that can be undone. */
	readonly resets: number;
	readonly selections: Readonly<Record<ViewId, Selection>>;
	/** Columns scrolled to the right. */
	readonly left: number;
	readonly isPaused: boolean;
	readonly delayMs: number;
	readonly message: Message | undefined;
	/** Ids of the columns that views show, in order; of the others, those that the width has room for. */
	readonly columns: Readonly<Record<ViewId, readonly string[]>>;
	/** What the user changed; the same for as long as the screen is up. */
	readonly keyChanges: KeyChanges;
	/** What is to be said of the configuration, for the help. */
	readonly notes: readonly string[];
	/** What lies above the table, the topmost last. */
	readonly layers: readonly Layer[];
};

/** Options that a screen starts with. */
export type InitialView = {
	readonly query: Query;
	/** The view that is shown first, whose order the query has; undefined for the first of the registry. */
	readonly view?: ViewId;
	readonly delayMs: number;
} & Partial<Pick<UiState, 'columns' | 'keyChanges' | 'notes' | 'message'>>;

/** The state before the first key. */
export function initialState({query, view = views[0].id, delayMs, columns = {}, keyChanges = new Map(), notes = [], message}: InitialView): UiState {
	const start: Selection = {index: 0, top: 0};
	return {
		view,
		query,
		sorts: Object.fromEntries(views.map(({id, sort}) => [id, id === view ? query.sort : sort])),
		stateSet: stateSets.find(({states}) => states.length === query.states.length && states.every(state => query.states.includes(state)))?.id,
		onlyThreads: undefined,
		window: 'start',
		lookedAtMs: undefined,
		spanMs: usualSpanMs,
		resets: 0,
		selections: Object.fromEntries(views.map(({id}) => [id, start])),
		left: 0,
		isPaused: false,
		delayMs,
		message,
		columns,
		keyChanges,
		notes,
		layers: [],
	};
}

/** What keys mean now: the topmost layer, or the view. */
export function contextOf(state: UiState): Context {
	return state.layers.at(-1)?.kind ?? state.view;
}

/** The set of states that counts while nobody asks for another. */
const defaultStates: StateSet = 'active';

/** The query of the current view. */
export function queryOf(state: UiState): Query {
	return {
		...state.query, sort: state.sorts[state.view], foldPools: state.query.foldPools ?? true, atAGlance: {showsWaits: state.stateSet === defaultStates},
	};
}

/** Where the selection is among these rows: its row's index, or where it was when that row is gone; -1 without rows. */
export function selectedIndex(selection: Selection, rowKeys: RowKeys): number {
	if (selection.key === undefined) {
		return rowKeys.length === 0 ? -1 : 0;
	}

	const index = rowKeys.indexOf(selection.key);
	return index === -1 ? Math.min(selection.index, rowKeys.length - 1) : index;
}

/** The first row to draw so that the selected one is on the screen and no line is empty without need. */
export function firstRow(top: number, selected: number, rows: number, pageRows: number): number {
	const page = Math.max(1, pageRows);
	const least = Math.max(0, selected - page + 1);
	return Math.min(Math.max(top, least), Math.max(0, selected), Math.max(0, rows - page));
}
