import type {TraceReport, WholeTrace} from '../../model/trace-report.js';
import {nameOf} from '../../views/traces/methods.js';
import type {ReportFormat} from '../common/export-format.js';

/** Event types of the format: B begins a call, E ends it, M is metadata. */
const eventType = {START: 'B', END: 'E', EXCEPTION: 'E'} as const;

/** The slowest traces as Chrome trace events: a thread for each thread's name, times in microseconds since the epoch. */
export const chromeTraces: ReportFormat<TraceReport> = {
	description: 'the slowest traces as trace events, for ui.perfetto.dev or chrome://tracing',
	write({pid, mainClass}, report, {top}) {
		const traces = report.slowest.slice(0, top);
		const threads = [...new Set(traces.map(({thread}) => thread))];
		const events = [
			{name: 'process_name', ph: 'M', pid, tid: 0, args: {name: mainClass}},
			...threads.map((name, index) => ({name: 'thread_name', ph: 'M', pid, tid: index + 1, args: {name}})),
			...traces.flatMap(trace => eventsOf(trace, report, {pid, tid: threads.indexOf(trace.thread) + 1})),
		];
		return `{"displayTimeUnit":"ns","traceEvents":[\n${events.map(event => JSON.stringify(event)).join(',\n')}\n]}\n`;
	},
};

function eventsOf({key, startedAtMs, actions, durationNs}: WholeTrace, {methods}: TraceReport, thread: {readonly pid: number; readonly tid: number}) {
	const openCalls: number[] = [];
	const events = actions.map(({kind, method, atNs}) => {
		const event = {name: nameOf(methods[method]), cat: 'method', ph: eventType[kind], ...thread, ts: microseconds(startedAtMs, atNs)};
		if (kind === 'START') {
			const isOutermost = openCalls.push(method) === 1;
			return isOutermost ? {...event, args: {trace: key}} : event;
		}

		openCalls.pop();
		return kind === 'EXCEPTION' ? {...event, args: {ended: 'with an exception'}} : event;
	});
	// If later actions were dropped, the open calls end with the trace.
	return [...events, ...openCalls.toReversed().map(method => ({
		name: nameOf(methods[method]), cat: 'method', ph: 'E', ...thread, ts: microseconds(startedAtMs, durationNs),
	}))];
}

function microseconds(startedAtMs: number, atNs: number): number {
	return (startedAtMs * 1000) + (atNs / 1000);
}
