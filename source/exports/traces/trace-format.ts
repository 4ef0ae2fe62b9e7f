import type {TargetFacts} from '../../model/snapshot.js';
import type {TraceReport} from '../../model/traces/report.js';

/** How a report of traced methods is written. */
export type TraceExportOptions = {
	/** Of tprof-top. */
	readonly version: string;
	/** Rows of each list at most; undefined: the format's own default. */
	readonly top?: number;
	/** Terminal columns that text may use; default 120. */
	readonly width?: number;
	/** What there is to say beside the figures; printable lines. */
	readonly notes: readonly string[];
};

/** A format of traces, as a record. */
export type TraceFormat = {
	/** As `--format` takes it. */
	readonly id: string;
	readonly description: string;
	/** Bytes that no terminal can show. */
	readonly binary?: true;
	write(target: TargetFacts, report: TraceReport, options: TraceExportOptions): string | Uint8Array;
};
