import type {TargetFacts} from '../../model/snapshot.js';
import type {TaskReport} from '../../model/tasks/report.js';

/** How a report of tasks is written. */
export type TaskExportOptions = {
	/** Of tprof-top. */
	readonly version: string;
	/** Rows of each list at most; undefined: the format's own default. */
	readonly top?: number;
	/** Terminal columns that text may use; default 120. */
	readonly width?: number;
};

/** A format of tasks, as a record. */
export type TaskFormat = {
	/** As `--format` takes it. */
	readonly id: string;
	readonly description: string;
	write(target: TargetFacts, report: TaskReport, options: TaskExportOptions): string;
};
