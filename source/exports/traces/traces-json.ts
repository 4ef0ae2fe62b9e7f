import type {TraceReport, WholeTrace} from '../../model/trace-report.js';
import {exactMsOf} from '../../query/columns/format.js';
import {
	longestFirst,
	tracedMethodName,
	traceMethods,
	traceTree,
	type TraceTreeRow,
	threadTrees,
} from '../../views/traces/traced-methods.js';
import {callFiguresAsJson, traceJson} from '../../views/traces/traces-view.js';
import {documentHead, type ReportFormat} from '../common/export-format.js';

export const jsonTraces: ReportFormat<TraceReport> = {
	description: 'methods, tree and the slowest traces, for programs',
	write(target, report, {version, top, notes = []}) {
		const methods = traceMethods(report, undefined).sort(longestFirst);
		return `${
			JSON.stringify(
				{
					...documentHead(target, version),
					startedAt: new Date(report.startedAtMs).toISOString(),
					durationMs: exactMsOf(report.elapsedNs),
					wovenClasses: report.wovenClasses,
					wovenMethods: report.wovenMethods,
					traces: report.traces,
					activeTraces: report.activeCount,
					lostCalls: report.lostCalls,
					refused: report.refused,
					notes,
					methods: methods.slice(0, top).map(row => traceJson(row)),
					tree: traceTree(report, undefined).slice(0, top).map(row => treeOf(row)),
					threads: threadTrees(report, undefined).slice(0, top).map(({name, rows, ...figures}) => ({
						thread: name,
						...callFiguresAsJson(figures),
						tree: rows.map(row => treeOf(row)),
					})),
					slowest: report.slowest.slice(0, top).map(trace => traceOf(trace, report)),
				},
				undefined,
				'\t',
			)
		}\n`;
	},
};

function treeOf(row: TraceTreeRow): Record<string, unknown> {
	return {
		method: tracedMethodName(row),
		parameters: row.parameters,
		...callFiguresAsJson(row),
		children: row.children.map(child => treeOf(child)),
	};
}

function traceOf({key, thread, startedAtMs, durationNs, droppedActions, actions}: WholeTrace, {methods}: TraceReport) {
	return {
		key,
		thread,
		startedAt: new Date(startedAtMs).toISOString(),
		durationMs: exactMsOf(durationNs),
		actionsLeftOut: droppedActions,
		actions: actions.map(({kind, method, atNs}) => ({
			atMs: exactMsOf(atNs),
			action: kind,
			method: tracedMethodName(methods[method]),
		})),
	};
}
