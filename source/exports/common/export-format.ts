import type {Printable} from '../../util/printable.js';
import {ofCpu, type Query} from '../../query/types/query.js';
import type {Snapshot, TargetInfo, TargetVitals} from '../../model/snapshot.js';
import type {TaskReport} from '../../model/task-report.js';
import type {TraceReport} from '../../model/trace-report.js';
import type {ThreadState} from '../../model/thread-state.js';
import type {View} from '../../views/common/view.js';

/** Something that is known of the target, or of its host. */
export type Fact = {readonly name: Printable; readonly value: Printable};

export type ExportOptions = {
	readonly query: Query;
	/** The view whose rows formats with `ofViews` write; undefined: the format's own content. */
	readonly view?: View;
	readonly version: string;
	/** Maximum number of rows of each list; undefined: the format's default (see its description). */
	readonly top?: number;
	/** Terminal columns that `text` may use; default 120. */
	readonly width?: number;
	/** Frames of each stack, innermost first, in `votes`; default 10. */
	readonly depth?: number;
	/** States counted by `lines` (default all) and `votes` (default RUNNABLE). */
	readonly states?: readonly ThreadState[];
	/** Stacks of `collapsed` and `speedscope` begin with a frame of the thread, and of its state. */
	readonly withThreads?: boolean;
	readonly withStates?: boolean;
	/**
	Number of the document, from 0, in a run that writes several: JSON is one line each, only the first CSV has a
	heading.
	*/
	readonly iteration?: number;
	readonly vitals?: TargetVitals;
	/** Notes on the session, besides those that the snapshot gives: printable lines, for text and JSON. */
	readonly notes?: readonly Printable[];
	/** For the head of `markdown`. */
	readonly facts?: readonly Fact[];
};

/** A document; one that may be too large to be held in memory comes in pieces, made on demand. */
export type Written = string | Uint8Array | Iterable<string>;

export function piecesOf(written: Written): Iterable<string | Uint8Array> {
	return typeof written === 'string' || written instanceof Uint8Array ? [written] : written;
}

/** Characters of a piece: large enough for cheap writes, small compared to the tool's memory. */
const pieceLength = 1 << 18;

/** Joins short texts to pieces of a document. */
export function * inPieces(texts: Iterable<string>): Generator<string> {
	let piece = '';
	for (const text of texts) {
		piece += text;
		if (piece.length >= pieceLength) {
			yield piece;
			piece = '';
		}
	}

	yield piece;
}

const entities: Readonly<Record<string, string>> = {
	'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\'': '&#39;',
};

/** Escapes a text for HTML and XML, also for attributes. */
export function escapedMarkup(text: string): string {
	return text.replaceAll(/[&<>"']/g, character => entities[character]);
}

/** Version of JSON documents: increased when a key is removed or changes its meaning, not when one is added. */
export const jsonSchema = 2;

/** Returns the first keys of every JSON document. */
export function documentHead({pid, mainClass, jvmVersion, vm}: TargetInfo, version: string) {
	return {tool: 'tprof-top', version, schema: jsonSchema, target: {pid, mainClass, jvmVersion, vm}};
}

type ReportOptions = Pick<ExportOptions, 'version' | 'top' | 'width' | 'notes'>;

/** A format's writer for an agent's reports: of traced methods, or of tasks. */
export type ReportFormat<Report> = {
	readonly description: string;
	write(target: TargetInfo, report: Report, options: ReportOptions): string | Uint8Array;
};

type SnapshotPart = {
	readonly description: string;
	/** What the format is the default for: printed reports, saved sessions, or explanations. */
	readonly usualFor?: 'report' | 'save' | 'explain';
	/** Whether several documents may follow each other in one file: readers can tell them apart. */
	readonly streaming: boolean;
	/** Whether the format can write the rows of any view. */
	readonly ofViews?: true;
	/** Whether it can count events, if the query's unit is of some. */
	readonly countsEvents?: true;
	/** Whether the format shows what differs from the query's baseline, without a view for that. */
	readonly comparesWithBaseline?: true;
	/** Shape in which the format prints a list of JVMs; undefined: it cannot. */
	readonly listing?: 'table' | 'document';
	/** Default of --depth; undefined: all frames. */
	readonly depth?: number;
	/** Writes what was counted up to the snapshot, since the baseline if given. Depends only on its arguments. */
	write(snapshot: Snapshot, baseline: Snapshot | undefined, options: ExportOptions): Written;
};

/** Returns the query as a format counts it: with CPU time, if it cannot count the events of the query's unit. */
export function queryFor({countsEvents}: SnapshotPart, query: Query): Query {
	return countsEvents ? query : ofCpu(query);
}

/** A format of `--format`, which writes snapshots, traces, tasks, or several of these. No code depends on its id. */
export type Format = Partial<SnapshotPart> & {
	/** Value of `--format`. */
	readonly id: string;
	readonly title: string;
	readonly extension: string;
	/** Whether it is not for a terminal: it needs a file or a pipe. */
	readonly binary?: true;
	readonly traces?: ReportFormat<TraceReport>;
	readonly tasks?: ReportFormat<TaskReport>;
};

export type ExportFormat = Format & SnapshotPart;
