import type {Printable} from '../../util/printable.js';
import type {Snapshot, TargetVitals} from '../../model/snapshot.js';
import type {SourceStatus} from '../../model/source.js';
import type {PastWindow} from '../../query/past/look-back.js';
import type {Ring} from '../../query/past/past-ring.js';
import type {LineFigures} from '../../query/detail.js';
import type {Finding, Location, Unit} from '../../query/types/query.js';
import type {SourceText} from '../../sources/library.js';
import type {RowDetail, View, ViewRow, ViewResult} from '../../views/common/view.js';
import type {VitalsSteps} from '../../query/past/recent-vitals.js';
import type {Trend} from '../../query/past/steps.js';
import type {SamplingRates} from '../../query/past/windows.js';
import type {Summary} from '../../query/summary/summary.js';
import type {SourceKind} from './keys.js';

/** Returns where the screen's data is from, which decides what some keys do. */
export function sourceKindOf({status, ring}: {readonly status: SourceStatus; readonly ring: Ring}): SourceKind {
	if (status.span !== undefined) {
		return 'backend';
	}

	return status.phase === 'recording' ? (ring.windows.length > 0 ? 'recording' : 'snapshot') : 'jvm';
}

/** The data on the screen, all taken at one moment. */
export type ScreenData = {
	readonly status: SourceStatus;
	readonly vitals: TargetVitals;
	/** Epoch milliseconds. */
	readonly nowMs: number;
	/** Undefined before the first sample. */
	readonly snapshot?: Snapshot;
	/** Where the window begins; undefined: at the session's start. */
	readonly since?: Snapshot;
	/** The window of the past that is shown; undefined: LIVE. */
	readonly past?: PastWindow;
	readonly ring: Ring;
	readonly summary?: Summary;
	readonly findings: readonly Finding[];
	readonly table?: ViewResult & {readonly view: View};
	/** Number of samples taken since those on the screen, while it is paused or shows the past. */
	readonly samplesSincePause: number;
	/** How sampling performs now, or performed in the recording. */
	readonly rates: SamplingRates;
	/** The target's CPU use, and its other figures, in the minute up to the end of the window. */
	readonly cpuTrend?: Trend;
	readonly recentVitals: VitalsSteps;
	/** Returns the trend of a row of the current view in that minute; undefined if its rows have none. */
	trendOf(key: string): Trend | undefined;
};

/** Returns what a thread with this native method on top waits for; undefined if it is not a known wait. */
export type IdleReason = (className: string, method: string) => Printable | undefined;

export type RowLink = {readonly view: string; readonly key: string};

/** A row that Enter in a detail opens. `isHolder`: it holds a lock, which is what most users want to see. */
export type DetailLink = RowLink & {readonly isHolder: boolean};

/** Returns the link at an index; without one, the first link if it is a holder. Undefined if none is selected. */
export function selectedLink(links: readonly DetailLink[], index: number | undefined): DetailLink | undefined {
	return index === undefined
		? links.slice(0, 1).find(({isHolder}) => isHolder)
		: links.at(Math.min(index, links.length - 1));
}

/** A source file, the location's line, and the figures of its lines by number. */
export type LocationSource = {
	readonly text: SourceText;
	readonly line: number;
	readonly figures: ReadonlyMap<number, LineFigures>;
};

/** Returns a row's detail; undefined before the first sample. */
export type DetailOf = (view: string, key: string) => DetailData | undefined;

export type DetailData = {
	readonly view: View;
	/** Undefined: the row is no longer in the window. */
	readonly row: ViewRow | undefined;
	readonly detail: RowDetail;
	/** What the figures count, and what they are in. */
	readonly unit: Unit;
	/** Returns the row's source, looked up at the first call; undefined if there is none. */
	readonly source: () => LocationSource | undefined;
	/** The row's trend in the minute up to the end of the window, if it was active and such rows have a trend. */
	readonly trend?: Trend;
	/** Returns the rows of a thread (by its key) and of a location. */
	readonly linkTo: {thread(key: number): RowLink | undefined; location(location: Location): RowLink | undefined};
	readonly idleReason?: IdleReason;
	/** How exact line numbers are, and another tracer of the target: see `SourceStatus`. */
	readonly lineNote?: Printable;
	readonly tracer?: Printable;
};

export function rowsOf(data: ScreenData): readonly ViewRow[] {
	return data.table?.rows ?? [];
}
