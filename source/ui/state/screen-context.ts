import type {SortKey} from '../../query/columns/column.js';
import type {Baseline, Location} from '../../query/types/query.js';
import type {Ring} from '../../query/past/ring.js';
import type {ViewRow} from '../../views/common/view.js';
import type {DetailLink} from './screen-data.js';
import {
	firstRow, selectedIndex, withSelection, replaceTopLayer, type MenuItem, type MenuLayer, type ScrolledLayer, type UiState,
} from './state.js';
import type {Action, KeySource} from './keys.js';

type SortColumn = MenuItem & {
	/** The title without "not shown". */
	readonly name: string;
	/** Whether it takes the width that the others leave; such a column is always shown. */
	readonly isRest: boolean;
	readonly sortKeys?: readonly SortKey[];
};

export type HitTarget =
	| {readonly kind: 'tab'; readonly view: string}
	| {readonly kind: 'heading'; readonly column: string}
	| {readonly kind: 'row'; readonly key: string}
	| {readonly kind: 'item'; readonly index: number};

/** How many lines a layer has and how many of them fit; the index of the marked link's line. */
export type LayerSize = {readonly lines: number; readonly page: number; readonly linkLine?: number};

/** What keys depend on beside the state: what is on the screen. */
export type ScreenContext = {
	readonly rows: readonly ViewRow[];
	readonly pageRows: number;
	readonly columns: readonly SortColumn[];
	readonly shownColumns: readonly string[];
	readonly source: KeySource;
	/** What tracing methods would do to the target, see `SourceStatus`. */
	readonly traceNote?: string;
	/** The window that is shown; undefined before the first sample. */
	readonly window?: Pick<Baseline, 'snapshot' | 'since'>;
	/** The heap in use and its capacity, if known; undefined if the JVM cannot be asked for the holders of locks. */
	readonly holders?: {readonly heapBytes?: number; readonly heapBytesAtMost?: number};
	readonly ring: Ring;
	readonly saveFormats: readonly MenuItem[];
	readonly links: readonly DetailLink[];
	/** Returns a layer's size; its lines are made for this. */
	sizeOf(layer: MenuLayer | ScrolledLayer): LayerSize;
	/** Returns the cells by which the longest name exceeds its room, at most `max`. */
	overhang(max: number): number;
	locationOf(view: string, rowKey: string): Location | undefined;
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

/** Returns how many rows an action moves the cursor; 0 if it is not a movement. */
export function stepOf(action: Action, page: number, count: number): number {
	return steps[action]?.(Math.max(1, page), count) ?? 0;
}

/** Returns the state with the selection moved; it follows its new row from now on. */
export function moveSelection(state: UiState, action: Action, {rows, pageRows}: ScreenContext): UiState {
	if (rows.length === 0) {
		return state;
	}

	const selection = state.selections[state.view];
	const current = selectedIndex(selection, rows);
	const index = Math.min(rows.length - 1, Math.max(0, current + stepOf(action, pageRows, rows.length)));
	const top = firstRow(selection.top, index, rows.length, pageRows);
	return withSelection(state, {key: rows[index].key, index, top});
}

/** Returns the state with the selection at its row's new index, after rows came, went or moved. */
export function followRow(state: UiState, rows: readonly ViewRow[], pageRows: number): UiState {
	const selection = state.selections[state.view];
	const index = Math.max(0, selectedIndex(selection, rows));
	const top = firstRow(selection.top, index, rows.length, pageRows);
	return index === selection.index && top === selection.top
		? state
		: withSelection(state, {...selection, index, top});
}

/** Returns the state with the selection on the row of a key, or where it was if there is none. */
export function selectRow(state: UiState, key: string): UiState {
	const {index, top} = state.selections[state.view];
	return withSelection(state, {key, index, top});
}

/** Returns the state with the layer on top scrolled within the bounds of its lines, if it is help or a detail. */
export function scrollLayer(state: UiState, action: Action, {sizeOf}: ScreenContext, times = 1): UiState {
	const layer = state.layers.at(-1);
	if (layer?.kind !== 'help' && layer?.kind !== 'detail') {
		return state;
	}

	const {lines, page} = sizeOf(layer);
	const most = Math.max(0, lines - page);
	const top = Math.min(layer.top, most) + (stepOf(action, page, lines) * times);
	return replaceTopLayer(state, {...layer, top: Math.min(most, Math.max(0, top))});
}
