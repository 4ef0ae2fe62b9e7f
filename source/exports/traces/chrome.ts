import type {TraceReport, WholeTrace} from '../../model/trace-report.js';
import {tracedMethodName} from '../../views/traces/traced-methods.js';
import type {ReportFormat} from '../common/export-format.js';

/**
The slowest traces as Chrome trace events: complete calls (X) below metadata (M). Times are microseconds since the
earliest trace, as numbers since the epoch have no room for nanoseconds. The calls of a thread contain each other or
follow each other, as Perfetto and speedscope demand.
*/
export const chromeTraces: ReportFormat<TraceReport> = {
	description: 'the slowest traces as trace events, for ui.perfetto.dev, speedscope.app or chrome://tracing',
	write({pid, mainClass}, report, {top}) {
		const traces = report.slowest.slice(0, top).toSorted((a, b) => a.startedAtMs - b.startedAtMs);
		const startedAtMs = traces.at(0)?.startedAtMs ?? report.startedAtMs;
		const rows = rowsOf(traces);
		const events = [
			{name: 'process_name', ph: 'M', pid, tid: 0, args: {name: mainClass}},
			...rows.map(({thread}, index) => ({
				name: 'thread_name',
				ph: 'M',
				pid,
				tid: index + 1,
				args: {name: thread},
			})),
			...rows.flatMap(row => row.traces.flatMap(trace => callsOf(trace, report, startedAtMs)
				.map(call => ({...call, cat: 'method', ph: 'X', pid, tid: rows.indexOf(row) + 1})))),
		];
		const otherData = JSON.stringify({startedAt: new Date(startedAtMs).toISOString()});
		const text = events.map(event => JSON.stringify(event)).join(',\n');
		return `{"displayTimeUnit":"ns","otherData":${otherData},"traceEvents":[\n${text}\n]}\n`;
	},
};

type Row = {readonly thread: string; readonly traces: WholeTrace[]};

/**
Puts traces, by start, into rows in which none overlaps the next: several threads may have one name, and starts are
known to the millisecond.
*/
function rowsOf(traces: readonly WholeTrace[]): Row[] {
	const rows: Row[] = [];
	for (const trace of traces) {
		const isFree = ({traces: before}: Row) => endMsOf(before.at(-1)!) <= trace.startedAtMs;
		const row = rows.find(row => row.thread === trace.thread && isFree(row));
		if (row) {
			row.traces.push(trace);
		} else {
			rows.push({thread: trace.thread, traces: [trace]});
		}
	}

	return rows;
}

function endMsOf({startedAtMs, durationNs}: WholeTrace): number {
	return startedAtMs + (durationNs / 1e6);
}

/** Returns a trace's calls, each before those that it made. */
function callsOf({key, startedAtMs, actions, durationNs}: WholeTrace, {methods}: TraceReport, originMs: number) {
	// If later actions were dropped, the open calls end with the trace.
	const calls: Array<{readonly method: number; readonly atNs: number; endNs: number; isFailed: boolean}> = [];
	const open: typeof calls = [];
	for (const {kind, method, atNs} of actions) {
		if (kind === 'START') {
			const call = {method, atNs, endNs: durationNs, isFailed: false};
			calls.push(call);
			open.push(call);
		} else {
			Object.assign(open.pop() ?? {}, {endNs: atNs, isFailed: kind === 'EXCEPTION'});
		}
	}

	return calls.map(({method, atNs, endNs, isFailed}, index) => ({
		name: tracedMethodName(methods[method]),
		ts: microseconds(((startedAtMs - originMs) * 1e6) + atNs),
		dur: microseconds(Math.max(0, endNs - atNs)),
		args: {...(index === 0 ? {trace: key} : {}), ...(isFailed ? {ended: 'with an exception'} : {})},
	}));
}

function microseconds(ns: number): number {
	return Math.round(ns) / 1000;
}
