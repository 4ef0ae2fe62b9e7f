import {gzipSync} from 'node:zlib';
import {
	Profile, StringTable, type FunctionInput, type LocationInput, type SampleInput,
} from 'pprof-format';
import {titleOf, traceTree, type TraceTreeRow} from '../../query/traces/methods.js';
import type {TraceReport} from '../../model/trace-report.js';
import type {ReportFormat} from '../formats/export-format.js';

/** Wall time by ways of calls, for pprof tools: own time and calls at each node of the tree. */
export const pprofTraces: ReportFormat<TraceReport> = {
	description: 'wall time and calls by call path, for go tool pprof and speedscope',
	write(_, report) {
		const strings = new StringTable();
		const text = (value: string) => strings.dedup(value);
		const functions: FunctionInput[] = [];
		const locations: LocationInput[] = [];
		const ids = new Map<string, number>();
		const locationOf = (row: TraceTreeRow) => {
			const name = titleOf(row);
			let id = ids.get(name);
			if (id === undefined) {
				id = ids.size + 1;
				ids.set(name, id);
				functions.push({id, name: text(name), systemName: text(name)});
				locations.push({id, line: [{functionId: id, line: 0}]});
			}

			return id;
		};

		const sample: SampleInput[] = [];
		// Recursion is 257 deep at most, as the agent's trees are.
		const add = (row: TraceTreeRow, above: readonly number[]) => {
			const path = [locationOf(row), ...above];
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
			location: locations,
			function: functions,
			timeNanos: BigInt(Math.round(report.startedAtMs)) * 1_000_000n,
			durationNanos: Math.round(report.elapsedNs),
			defaultSampleType: text('wall'),
			stringTable: strings,
		}).encode());
	},
};
