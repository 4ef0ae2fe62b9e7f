import {safe} from '../../source/util/printable.js';
import type {TaskReport} from '../../source/model/task-report.js';
import {parseTaskReport, parseReport} from '../../source/model/report-bytes.js';
import type {TraceReport} from '../../source/model/trace-report.js';
import {VarintWriter} from '../../source/util/varints.js';

/** A part of a report: a number, a text, or bytes that are written already. */
export type ReportPart = number | string | Uint8Array;

/** A report as the agent writes it: numbers, and texts with their length. */
export function reportBytes(parts: readonly ReportPart[]): Uint8Array {
	const to = new VarintWriter();
	for (const part of parts) {
		if (typeof part === 'number') {
			to.number(part);
		} else if (typeof part === 'string') {
			to.byteString(part);
		} else {
			to.bytes(part);
		}
	}

	return Buffer.from(to.take());
}

/** Two methods: `outer` calls `in<&>ner` and itself, so often by each way. Two seconds of it. */
export function traceReport(calls = [4, 10, 1], elapsedNs = 2e9): TraceReport {
	return parseReport(reportBytes([
		[4, 2, 1, 1000, elapsedNs],
		// What was looked up, and woven.
		[1, 2, 0, 0, 0, 1, 2, 0, 0, 4, 1],
		[2, 'a.B', 'outer', '()V', 0, 1, 'a.B', 'in<&>ner', '(I[Ljava/lang/String;)V', 0, 1],
		// Nodes, in buckets of 2^19, 2^16 and 2^18 nanoseconds.
		[3, 0, 0, calls[0], 1, 4e6, 2.5e6, 9e5, 1.1e6, 400, calls[0], 0],
		[1, 1, calls[1], 0, 1e6, 1e6, 7e4, 3e5, 332, calls[1], 0],
		[1, 0, calls[2], 0, 5e5, 5e5, 5e5, 5e5, 381, calls[2], 0],
		[1, 1, 't "1"', 0, 5e6, 1],
		// The slowest trace.
		[1, 1000, 1, 't "1"', 2e6, 0, 4, 0, 0, 4, 5e5, 5, 2e5, 2, 1.3e6],
		[5, 't "1"', 1, calls[0], 1, 4e6, 2.5e6, 1.1e6, 3, calls[2], 0, 5e5, 5e5, 5e5, 0],
		[1, '(ended threads)', 2, calls[1], 0, 1e6, 1e6, 3e5, 0, 0],
	].flat()));
}

export const report = traceReport();

/** Jobs of one kind: how many wait, and how many are done. */
export function taskReportOf(
	counts = [2, 2],
	elapsedNs = 2e9,
	{longest = [0], readings = [0], about = {}}: {
		readonly longest?: readonly number[];
		readonly readings?: ReadonlyArray<number | string>;
		readonly about?: Partial<TaskReport>;
	} = {},
): TaskReport {
	const given = {
		probe: safe`jobs`,
		counters: [],
		notes: [],
		history: [],
		states: [{id: 'queued', title: safe`in the queue`, kind: 'waiting'}, {id: 'done', title: safe`done`, kind: 'end'}],
		...about,
	} as const;
	return {
		...parseTaskReport(
			reportBytes([
				[103, 2, 1, 1000, elapsedNs, 1, 2, 0, 0, 0, 1, 0, 0, 0, 0],
				counts.flatMap((
					count,
					state,
				) => [1, 0, state, count, count * (state === 0 ? 1.5e6 : 2.5e6), 1e6, 2e6, 401, count, 0]),
				[0, 1, 0, 1, 4e6, 4e6, 0],
				longest,
				readings,
				[1, 'a.Job', 1, 'pool-1-thread-1'],
			].flat()),
			{...given, points: []},
		),
		...given,
	};
}

export const taskReport = taskReportOf();
