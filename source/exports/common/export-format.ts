import type {Query} from '../../query/types/query.js';
import type {Snapshot, TargetInfo, TargetVitals} from '../../model/snapshot.js';
import type {TaskReport} from '../../model/task-report.js';
import type {TraceReport} from '../../model/trace-report.js';
import type {ThreadState} from '../../model/thread-state.js';
import type {View} from '../../views/common/view.js';

/** How a snapshot is written. */
export type ExportOptions = {
	/** Rows, their order and what counts; --by, --filter, --state, --threads as the views have them. */
	readonly query: Query;
	/** The view whose rows are written, in formats that are made of views' rows; undefined: what the format has by itself. */
	readonly view?: View;
	/** Version of tprof-top, for the formats that name the tool. */
	readonly version: string;
	/** Rows of each list at most; undefined: the format's own default (see its description). */
	readonly top?: number;
	/** Terminal columns that `text` may use; default 120. */
	readonly width?: number;
	/** Frames of each stack, innermost first, in `votes`; default 10. */
	readonly depth?: number;
	/** States counted by `lines` (default all) and `votes` (default RUNNABLE). */
	readonly states?: readonly ThreadState[];
	/** Which of several documents of a run, from 0: JSON is then one line, and CSV has one header row. */
	readonly iteration?: number;
	/** What is known of the target beside the snapshot, of the same window. */
	readonly vitals?: TargetVitals;
	/** What there is to say about the session beside what the snapshot says: printable lines, for text and JSON. */
	readonly notes?: readonly string[];
};

/** A document: whole, or text in pieces, made as they are asked for, where the whole may be larger than memory should hold. */
export type Written = string | Uint8Array | Iterable<string>;

/** The document piece by piece. */
export function piecesOf(written: Written): Iterable<string | Uint8Array> {
	return typeof written === 'string' || written instanceof Uint8Array ? [written] : written;
}

/** Version of JSON documents: raised when something is taken away or means something else, not when keys are added. */
export const jsonSchema = 2;

/** The first keys of every JSON document. */
export function documentHead({pid, mainClass, jvmVersion, vm}: TargetInfo, version: string) {
	return {
		tool: 'tprof-top', version, schema: jsonSchema, target: {
			pid, mainClass, jvmVersion, vm,
		},
	};
}

/** How a report of an agent is written. */
type ReportOptions = Pick<ExportOptions, 'version' | 'top' | 'width' | 'notes'>;

/** How a format writes what an agent reported: of traced methods, or of tasks. */
export type ReportFormat<Report> = {
	readonly description: string;
	write(target: TargetInfo, report: Report, options: ReportOptions): string | Uint8Array;
};

/** What a format knows of snapshots. */
type SnapshotPart = {
	readonly description: string;
	/** The choice where nobody chooses: a report that is printed, a file that the session is saved in. */
	readonly usualFor?: 'report' | 'save';
	/** Several documents of a run may be written one after the other and read back apart. */
	readonly streaming: boolean;
	/** It can be made of the rows of any view. */
	readonly ofViews?: true;
	/** In what shape the list of JVMs is printed in it; not at all when left out. */
	readonly listing?: 'table' | 'document';
	/** Frames of each stack that it shows unless --depth is given; without it all. */
	readonly depth?: number;
	/** What was counted up to the snapshot, or since the baseline. The result depends on nothing but the arguments. */
	write(snapshot: Snapshot, baseline: Snapshot | undefined, options: ExportOptions): Written;
};

/** A format of `--format`, as a record: what it writes, snapshots, traces or tasks. Nothing decides by a format's id. */
export type Format = Partial<SnapshotPart> & {
	/** As `--format` takes it. */
	readonly id: string;
	/** As the save dialogue has it. */
	readonly title: string;
	/** With the dot. */
	readonly extension: string;
	/** Bytes that no terminal can show: it needs a file or a pipe. */
	readonly binary?: true;
	readonly traces?: ReportFormat<TraceReport>;
	readonly tasks?: ReportFormat<TaskReport>;
};

/** A format that snapshots are written in. */
export type ExportFormat = Format & SnapshotPart;
