import {cut} from '../../util/cell-width.js';
import type {TraceReport} from '../../model/trace-report.js';
import {formatCount, formatNs, plural} from '../../query/columns/format.js';
import {traceColumns} from '../../views/traces/trace-rows.js';
import {
	longestFirst,
	nameOf,
	titleOf,
	traceMethods,
	traceTree,
	type CallFigures,
	type TraceTreeRow,
	threadTrees,
} from '../../views/traces/traced-methods.js';
import {defaultTop, defaultWidth, minWidth, moreLine, reportHead, textTable} from '../common/text-table.js';
import type {ReportFormat} from '../common/export-format.js';

/** For people: the methods, the tree, and the slowest traces, a line each. */
export const textTraces: ReportFormat<TraceReport> = {
	description: `the methods, the tree and the slowest traces; the top ${defaultTop} unless --top is given`,
	write(target, report, {width = defaultWidth, top = defaultTop, notes = []}) {
		const room = Math.max(width, minWidth);
		const all = traceMethods(report, undefined);
		const rows = all.filter(({calls}) => calls > 0).sort(longestFirst);
		const notCalled = all.length - rows.length;
		const tree = treeLines(traceTree(report, undefined));
		const threads = threadTrees(report, undefined).flatMap(thread => [treeLine(thread, thread.name), ...treeLines(thread.rows, '  ')]);
		const body = [
			...reportHead('trace', target, report, {followed: countsOf(report), notes, width: room}),
			'',
			...textTable(traceColumns, rows.slice(0, top), {width: room, unit: 'cpu', overMs: 0, by: 'method'}),
			...(rows.length === 0 ? ['(no call ended in this time)'] : []),
			...moreLine(rows.length, top),
			...(notCalled > 0
				? [`${notCalled} traced ${notCalled === 1 ? 'method was' : 'methods were'} not called`]
				: []),
			...(tree.length > 0
				? ['', 'TREE: calls, cumulative and own time', ...tree.slice(0, top), ...moreLine(tree.length, top)]
				: []),
			...(threads.length > 0
				? ['', 'THE SAME BY THREAD', ...threads.slice(0, top), ...moreLine(threads.length, top)]
				: []),
			...(report.slowest.length > 0 ? ['', 'SLOWEST TRACES'] : []),
			...report.slowest.slice(0, top).map(trace => {
				const head = trace.actions[0] ? nameOf(report.methods[trace.actions[0].method]) : '';
				return `${formatNs(trace.durationNs).padStart(7)}  ${trace.key}  ${head}  in ${trace.thread}`;
			}),
			...(report.active.length > 0 ? ['', `OPEN AT THE END: ${report.activeCount}`] : []),
			...report.active.slice(0, top).map(({thread, method, ageNs, depth}) =>
				`${formatNs(ageNs).padStart(7)}  ${nameOf(report.methods[method])}  in ${thread}, ${depth} deep`),
		];
		return body.map(line => `${cut(line, room)}\n`).join('');
	},
};

function countsOf({wovenMethods, wovenClasses, methods, traces, lostCalls, threads}: TraceReport): string {
	const woven = `${plural(wovenMethods, 'method')} of ${plural(wovenClasses, 'class', 'classes')}`;
	const areReleased = wovenMethods === 0 && methods.length > 0;
	return [
		areReleased ? 'no method is traced any more' : `${woven} traced in ${plural(threads, 'thread')}`,
		plural(traces, 'trace'),
		...(lostCalls > 0 ? [`${plural(lostCalls, 'call')} not counted: no room`] : []),
	].join(', ');
}

function treeLines(rows: readonly TraceTreeRow[], indent = ''): string[] {
	return rows.flatMap(row => [treeLine(row, indent + titleOf(row)), ...treeLines(row.children, `${indent}  `)]);
}

function treeLine({calls, cumulativeNs, ownNs}: CallFigures, title: string): string {
	return `${formatCount(calls).padStart(6)} ${formatNs(cumulativeNs).padStart(7)} ${formatNs(ownNs).padStart(7)}  ${title}`;
}
