import type {Snapshot, TargetVitals} from '../model/snapshot.js';
import type {SourceStatus} from '../model/source.js';
import type {Lately} from '../query/lately.js';
import type {
	LineDetail, LineRow, LineTable, Summary, ThreadDetail, ThreadRow, ThreadTableRows,
} from '../query/types.js';
import type {ViewId} from './state.js';
import type {Trend} from './trend.js';

/** What the numbers on the screen come from, all of one moment. */
export type ScreenData = {
	readonly status: SourceStatus;
	readonly vitals: TargetVitals;
	readonly nowMs: number;
	/** Undefined before the first sample. */
	readonly snapshot?: Snapshot;
	readonly baseline?: Snapshot;
	readonly summary?: Summary;
	readonly table?: {readonly view: 'lines'; readonly lines: LineTable} | {readonly view: 'threads'; readonly threads: ThreadTableRows};
	/** Samples taken since the screen was paused. */
	readonly samplesSincePause: number;
	/** How sampling goes now; of a recording, how it went. */
	readonly lately: Lately;
	/** Trend of a row of the Lines view, where trends are kept. */
	trendOf(key: string): Trend | undefined;
};

/** What a thread waits for whose top frame is this native method; undefined when that is not known as waiting. */
export type IdleReason = (className: string, method: string) => string | undefined;

/** The row that is looked into, with its view. */
export type DetailData = {readonly idleReason?: IdleReason; /** Another tracer of the target, see `SourceStatus`. */ readonly tracer?: string} & (
	| {readonly view: 'lines'; readonly row: LineRow | undefined; readonly detail: LineDetail}
	| {readonly view: 'threads'; readonly row: ThreadRow | undefined; readonly detail: ThreadDetail}
);

/** Rows of the current view. */
export function rowsOf(data: ScreenData): ReadonlyArray<LineRow | ThreadRow> {
	return data.table ? (data.table.view === 'lines' ? data.table.lines.rows : data.table.threads.rows) : [];
}

/** Whether the table belongs to the view, and is not left from the one before. */
export function isOfView(data: ScreenData, view: ViewId): boolean {
	return data.table?.view === view;
}
