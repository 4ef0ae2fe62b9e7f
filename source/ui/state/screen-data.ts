import type {Snapshot, TargetVitals} from '../../model/snapshot.js';
import type {SourceStatus} from '../../model/source.js';
import type {PastWindow} from '../../query/past/look-back.js';
import type {Ring} from '../../query/past/ring.js';
import type {LineFigures} from '../../query/detail.js';
import type {Finding, Location} from '../../query/types/query.js';
import type {SourceText} from '../../sources/source-text.js';
import type {RowDetail, View, ViewRow, ViewTable} from '../../views/common/view.js';
import type {Trend} from '../../query/past/steps.js';
import type {SamplingRates} from '../../query/past/windows.js';
import type {Summary} from '../../query/summary/summary.js';

/** The data on the screen, all of one moment. */
export type ScreenData = {
	readonly status: SourceStatus;
	readonly vitals: TargetVitals;
	readonly nowMs: number;
	/** Undefined before the first sample. */
	readonly snapshot?: Snapshot;
	readonly baseline?: Snapshot;
	/** The window of the past that is shown; undefined: LIVE. */
	readonly past?: PastWindow;
	readonly ring: Ring;
	readonly summary?: Summary;
	/** What matters more than any row, the worst first. */
	readonly findings: readonly Finding[];
	readonly table?: ViewTable & {readonly view: View};
	/** Samples taken since those on the screen, while it is paused or shows the past. */
	readonly samplesSincePause: number;
	/** How sampling performs; of a recording, how it performed. */
	readonly lately: SamplingRates;
	/** The target's CPU use in the minute before. */
	readonly cpuTrend?: Trend;
	/** The same of a row of the current view; undefined if its rows have no such figure. */
	trendOf(key: string): Trend | undefined;
};

/** What a thread with this native method on top waits for; undefined if that is not a known wait. */
export type IdleReason = (className: string, method: string) => string | undefined;

/** A row of a view that something leads to. */
export type RowLink = {readonly view: string; readonly key: string};

/** A row that Enter in a detail goes to. `isHolder`: it holds a lock, which is what most readers want to see. */
export type DetailLink = RowLink & {readonly isHolder: boolean};

/** The link with the cursor: the chosen one, or the first if it is a holder; undefined for none. */
export function markedLink(links: readonly DetailLink[], chosen: number | undefined): DetailLink | undefined {
	return chosen === undefined ? (links.at(0)?.isHolder ? links[0] : undefined) : links.at(Math.min(chosen, links.length - 1));
}

export type LocationSource = {readonly text: SourceText; readonly line: number; readonly figures: ReadonlyMap<number, LineFigures>};

/** Finds a row's detail; undefined before the first sample. */
export type DetailOf = (view: string, key: string) => DetailData | undefined;

export type DetailData = {
	readonly view: View;
	readonly row: ViewRow | undefined;
	readonly detail: RowDetail;
	/** The row's source, found at the first call; undefined for none. */
	readonly source: () => LocationSource | undefined;
	/** Its last minute, if it was active and the past of such rows is kept. */
	readonly trend?: Trend;
	/** The rows of a thread (by its key) and of a location. */
	readonly linkTo: {thread(key: number): RowLink | undefined; location(location: Location): RowLink | undefined};
	readonly idleReason?: IdleReason;
	/** How exact its line numbers are, see `SourceStatus`. */
	readonly lineNote?: string;
	readonly tracer?: string;
};

export function rowsOf(data: ScreenData): readonly ViewRow[] {
	return data.table?.rows ?? [];
}
