import type {Printable} from '../../util/printable.js';
import type {SortKey} from '../../query/columns/column.js';
import type {Baseline, Location} from '../../query/types/query.js';
import type {Ring} from '../../query/past/past-ring.js';
import type {ViewRow} from '../../views/common/view.js';
import type {DetailLink, RowLink} from './screen-data.js';
import {
	scrollIntoView,
	selectedIndex,
	withSelection,
	replaceTopLayer,
	type MenuItem,
	type MenuLayer,
	type ScrolledLayer,
	type UiState,
} from './state.js';
import type {Action, SourceKind} from './keys.js';

/** A column of the view, as an item of menus: `title` says whether it is on the screen, `name` does not. */
type ColumnItem = MenuItem & {
	readonly name: Printable;
	/** Whether it takes the width that the others leave; such a column is always shown. */
	readonly isFlexible: boolean;
	readonly sortKeys?: readonly SortKey[];
};

export type HitTarget =
	| {readonly kind: 'tab'; readonly view: string}
	/** A key of the key line, by its name before the user's changes. */
	| {readonly kind: 'key'; readonly key: string}
	| {readonly kind: 'heading'; readonly column: string}
	| {readonly kind: 'row'; readonly key: string}
	| {readonly kind: 'item'; readonly index: number};

export type LayerSize = {
	/** Lines of the layer. */
	readonly lines: number;
	/** Lines that fit. */
	readonly page: number;
	/** Lines by which Page Down moves. */
	readonly step: number;
	/** The selected link's line. */
	readonly linkLine?: number;
};

/** What the effect of a key depends on besides the state: what is on the screen. */
export type ScreenContext = {
	readonly rows: readonly ViewRow[];
	/** Number of rows that fit on the screen. */
	readonly pageRows: number;
	/** All columns of the view. */
	readonly columns: readonly ColumnItem[];
	/** Ids of the columns on the screen, from left to right. */
	readonly visibleColumns: readonly string[];
	readonly source: SourceKind;
	/** What tracing methods would do to the target, see `SourceStatus`. */
	readonly traceNote?: Printable;
	/** The window that is shown; undefined before the first sample. */
	readonly window?: Pick<Baseline, 'snapshot' | 'since'>;
	/** The heap that a full dump walks; undefined if the JVM cannot be asked for the holders of locks with one. */
	readonly fullDump?: {readonly heapBytes?: number; readonly heapBytesAtMost?: number};
	readonly ring: Ring;
	/** Number of findings. */
	readonly findings: number;
	readonly saveFormats: readonly MenuItem[];
	/** The links of the detail, if the topmost layer is one. */
	readonly links: readonly DetailLink[];
	/** Returns a layer's size. Slow: formats its lines. */
	sizeOf(layer: MenuLayer | ScrolledLayer): LayerSize;
	/** Returns by how many cells the longest name exceeds its column, at most `max`. */
	overhang(max: number): number;
	/** Returns the row that the selected finding is about. */
	rowOfFinding(): RowLink | undefined;
	locationOf(view: string, rowKey: string): Location | undefined;
	threadsOf(rowKey: string): {readonly keys: readonly number[]; readonly label: Printable} | undefined;
};

const steps: Readonly<Partial<Record<Action, (page: number, count: number) => number>>> = {
	up: () => -1,
	down: () => 1,
	'page-up': page => -page,
	'page-down': page => page,
	home: (_, count) => -count,
	end: (_, count) => count,
};

/**
Returns by how many rows an action moves the cursor; 0 if it is not a movement. `page`, `count`: rows of a page, of all.
*/
export function stepOf(action: Action, page: number, count: number): number {
	return steps[action]?.(Math.max(1, page), count) ?? 0;
}

/** Moves the selection; it then follows its new row. */
export function moveSelection(state: UiState, action: Action, {rows, pageRows}: ScreenContext): UiState {
	if (rows.length === 0) {
		return state;
	}

	const selection = state.selections[state.view];
	const current = selectedIndex(selection, rows);
	const index = Math.min(rows.length - 1, Math.max(0, current + stepOf(action, pageRows, rows.length)));
	return withSelection(state, {
		key: rows[index].key,
		index,
		scrollTop: scrollIntoView(selection.scrollTop, index, rows.length, pageRows),
	});
}

/** Moves the selection to the current index of its row, after rows came, went or moved. */
export function followRow(state: UiState, rows: readonly ViewRow[], pageRows: number): UiState {
	const selection = state.selections[state.view];
	const index = Math.max(0, selectedIndex(selection, rows));
	const scrollTop = scrollIntoView(selection.scrollTop, index, rows.length, pageRows);
	return index === selection.index && scrollTop === selection.scrollTop
		? state
		: withSelection(state, {...selection, index, scrollTop});
}

/** Selects the row with a key; if there is none, the index stays as it was. */
export function selectRow(state: UiState, key: string): UiState {
	return withSelection(state, {...state.selections[state.view], key});
}

/** Scrolls the topmost layer, if it is help or a detail, as `times` presses of a key with this action do. */
export function scrollLayer(state: UiState, action: Action, {sizeOf}: ScreenContext, times = 1): UiState {
	const layer = state.layers.at(-1);
	if (layer?.kind !== 'help' && layer?.kind !== 'detail') {
		return state;
	}

	const {lines, page, step} = sizeOf(layer);
	const most = Math.max(0, lines - page);
	const scrollTop = Math.min(layer.scrollTop, most) + (stepOf(action, step, lines) * times);
	return replaceTopLayer(state, {...layer, scrollTop: Math.min(most, Math.max(0, scrollTop))});
}
