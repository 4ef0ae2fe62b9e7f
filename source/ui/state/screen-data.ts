import type {Snapshot, TargetVitals} from '../../model/snapshot.js';
import type {SourceStatus} from '../../model/source.js';
import type {Lately} from '../../query/lately.js';
import type {PastWindow} from '../../query/past/look-back.js';
import type {Ring} from '../../query/past/ring.js';
import type {Trend} from '../../query/past/trend.js';
import {keysOfRows, type RowKeys, type RowList} from '../../query/row-list.js';
import type {Place, Summary} from '../../query/types.js';
import type {RowDetail, View, ViewRow, ViewTable} from '../../views/view.js';
import type {RowLink} from '../text/detail/detail-line.js';
import type {ShownSource} from '../text/detail/source-lines.js';

/** What the numbers on the screen come from, all of one moment. */
export type ScreenData = {
	readonly status: SourceStatus;
	readonly vitals: TargetVitals;
	readonly nowMs: number;
	/** Undefined before the first sample. */
	readonly snapshot?: Snapshot;
	readonly baseline?: Snapshot;
	/** The window of the past that all of it is of, while one is looked at. */
	readonly past?: PastWindow;
	/** The windows that can be looked back at. */
	readonly ring: Ring;
	readonly summary?: Summary;
	readonly table?: ViewTable & {readonly view: View};
	/** Samples taken since those on the screen: it is paused, or shows the past. */
	readonly samplesSincePause: number;
	/** How sampling goes now; of a recording, how it went. */
	readonly lately: Lately;
	/** What the target used of the CPU in the minute up to what is shown. */
	readonly cpuTrend?: Trend;
	/** The same of a row of the current view; undefined where its rows have no such figure. Made when it is asked for. */
	trendOf(key: string): Trend | undefined;
};

/** What a thread waits for whose top frame is this native method; undefined when that is not known as waiting. */
export type IdleReason = (className: string, method: string) => string | undefined;

/** The row that is looked into, with its view. */
export type DetailData = {
	readonly view: View;
	readonly row: ViewRow | undefined;
	readonly detail: RowDetail;
	/** Looks for the row's source, the first time that it is asked for; undefined where there is none. */
	readonly source: () => ShownSource | undefined;
	/** A picture of its last minute in so many cells, where the past of such rows is kept. */
	readonly trend?: (cells: number) => string;
	/** The rows that stand for a thread (by its key) and for a place. */
	readonly linkTo: {thread(key: number): RowLink | undefined; place(place: Place): RowLink | undefined};
	readonly idleReason?: IdleReason;
	/** Another tracer of the target, see `SourceStatus`. */
	readonly tracer?: string;
};

/** Rows of the current view. */
export function rowsOf(data: ScreenData): RowList<ViewRow> {
	return data.table?.rows ?? [];
}

const keys = new WeakMap<RowList<ViewRow>, RowKeys>();

/** Keys of the rows, in their order. */
export function keysOf(data: ScreenData): RowKeys {
	const rows = rowsOf(data);
	const known = keys.get(rows) ?? keysOfRows(rows);
	keys.set(rows, known);
	return known;
}
