import {gzipSync} from 'node:zlib';
import {Profile, type SampleInput} from 'pprof-format';
import {titleOf, traceTree, type TraceTreeRow} from '../../views/traces/methods.js';
import type {TraceReport} from '../../model/trace-report.js';
import type {ReportFormat} from '../common/export-format.js';
import {Names} from './names.js';

/** Wall time by call path: own time and calls at each node of the tree. */
export const pprofTraces: ReportFormat<TraceReport> = {
	description: 'wall time and calls by call path, for go tool pprof and speedscope',
	write(_, report) {
		const names = new Names();
		const text = (value: string) => names.text(value);
		const sample: SampleInput[] = [];
		// At most 257 deep, as are the agent's trees.
		const add = (row: TraceTreeRow, above: readonly number[]) => {
			const path = [names.location(titleOf(row)), ...above];
			sample.push({locationId: path, value: [row.calls, Math.round(row.ownNs)]});
			for (const child of row.children) {
				add(child, path);
			}
		};

		for (const row of traceTree(report, undefined)) {
			add(row, []);
		}

		return gzipSync(new Profile({
			sampleType: [{type: text('calls'), unit: text('count')}, {type: text('wall'), unit: text('nanoseconds')}],
			sample,
			location: names.locations,
			function: names.functions,
			timeNanos: BigInt(Math.round(report.startedAtMs)) * 1_000_000n,
			durationNanos: Math.round(report.elapsedNs),
			defaultSampleType: text('wall'),
			stringTable: names.strings,
		}).encode());
	},
};
