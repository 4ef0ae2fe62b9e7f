import type {SortFigure} from '../../query/columns/column.js';
import type {Mark, Place} from '../../query/types.js';
import type {RowKeys, RowList} from '../../query/row-list.js';
import type {Ring} from '../../query/past/ring.js';
import type {LinkAt} from '../text/detail/detail-line.js';
import type {ViewRow} from '../../views/view.js';
import {firstRow, selectedIndex, type MenuItem, type UiState} from './state.js';
import type {Action} from './keys.js';

/** A column that a view can be sorted by. */
export type SortColumn = MenuItem & {
	/** The title without whether it is shown. */
	readonly name: string;
	/** It takes what the others leave, and is always shown. */
	readonly isRest: boolean;
	readonly sortFigures?: readonly SortFigure[];
};

/** Something on the screen that may be clicked. */
export type Spot =
	| {readonly kind: 'tab'; readonly view: string}
	| {readonly kind: 'heading'; readonly column: string}
	| {readonly kind: 'row'; readonly index: number}
	| {readonly kind: 'item'; readonly index: number};

/** What the keys need to know of what is on the screen. */
export type Surroundings = {
	/** Keys of the view's rows, in order. */
	readonly rowKeys: RowKeys;
	/** The rows themselves, for keys of the view's own. */
	readonly rows?: RowList<ViewRow>;
	/** Rows that fit. */
	readonly pageRows: number;
	/** Columns that the view can be sorted by, in order. */
	readonly columns: readonly SortColumn[];
	/** Ids of those that are on the screen. */
	readonly shownColumns: readonly string[];
	/** Lines of the topmost layer (help, detail), and how many of them fit. */
	readonly layerLines: number;
	readonly layerPage: number;
	readonly isRecording: boolean;
	/** What tracing methods would do to the target, see `SourceStatus`. */
	readonly traceNote?: string;
	/** The snapshot that is shown and where its window begins; undefined before the first sample. */
	readonly window?: Pick<Mark, 'snapshot' | 'baseline'>;
	/**
	The heap that is in use, if that is known, and what it cannot be more than, where the JVM can be asked at a cost who
	holds locks; else undefined.
	*/
	readonly holders?: {readonly heapBytes?: number; readonly heapBytesAtMost?: number};
	/** The windows that can be looked back at. */
	readonly ring: Ring;
	readonly saveFormats: readonly MenuItem[];
	/** The links of the detail on the top. */
	readonly links: readonly LinkAt[];
	/** Cells that the longest name has beyond its room, up to so many. */
	overhang(most: number): number;
	/** The place that a row of a view stands for, or is at. */
	placeOf(view: string, rowKey: string): Place | undefined;
	/** What is at a cell of the screen. */
	spotAt?(line: number, column: number): Spot | undefined;
	/** Keys of the threads of a row, and what to call them. */
	threadsOf(rowKey: string): {readonly keys: readonly number[]; readonly label: string} | undefined;
};

const steps: Readonly<Partial<Record<Action, (page: number, count: number) => number>>> = {
	up: () => -1,
	down: () => 1,
	'page-up': page => -page,
	'page-down': page => page,
	home: (_, count) => -count,
	end: (_, count) => count,
};

/** How far a movement goes, in rows; 0 for an action that is not a movement. */
export function stepOf(action: Action, page: number, count: number): number {
	return steps[action]?.(Math.max(1, page), count) ?? 0;
}

/** The state with the selection moved; from now on it follows the row that it came to. */
export function moveSelection(state: UiState, action: Action, {rowKeys, pageRows}: Surroundings): UiState {
	if (rowKeys.length === 0) {
		return state;
	}

	const selection = state.selections[state.view];
	const now = selectedIndex(selection, rowKeys);
	const index = Math.min(rowKeys.length - 1, Math.max(0, now + stepOf(action, pageRows, rowKeys.length)));
	return withSelection(state, rowKeys, index, firstRow(selection.top, index, rowKeys.length, pageRows));
}

/** The state with the selection where the rows now have it, after rows came, went or moved. */
export function followRow(state: UiState, rowKeys: RowKeys, pageRows: number): UiState {
	const selection = state.selections[state.view];
	const index = Math.max(0, selectedIndex(selection, rowKeys));
	const top = firstRow(selection.top, index, rowKeys.length, pageRows);
	return index === selection.index && top === selection.top
		? state
		: {
			...state, selections: {...state.selections, [state.view]: {...selection, index, top}},
		};
}

/** The state with the selection on the row of a key, if there is one. */
export function selectRow(state: UiState, key: string): UiState {
	const {index, top} = state.selections[state.view];
	return {...state, selections: {...state.selections, [state.view]: {key, index, top}}};
}

function withSelection(state: UiState, rowKeys: RowKeys, index: number, top: number): UiState {
	return {...state, selections: {...state.selections, [state.view]: {key: rowKeys.at(index), index, top}}};
}

/** The state with the topmost layer (help or detail) scrolled. */
export function scrollLayer(state: UiState, action: Action, {layerLines, layerPage}: Surroundings): UiState {
	const layer = state.layers.at(-1);
	if (layer?.kind !== 'help' && layer?.kind !== 'detail') {
		return state;
	}

	const most = Math.max(0, layerLines - layerPage);
	const top = Math.min(most, Math.max(0, Math.min(layer.top, most) + stepOf(action, layerPage, layerLines)));
	return {...state, layers: [...state.layers.slice(0, -1), {...layer, top}]};
}
