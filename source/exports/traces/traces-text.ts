import {joined, safe, type Printable} from '../../util/printable.js';
import {elideEnd} from '../../util/cell-width.js';
import type {TraceReport} from '../../model/trace-report.js';
import {formatCount, formatNs, plural} from '../../query/columns/format.js';
import {traceColumns} from '../../views/traces/trace-rows.js';
import {
	longestFirst,
	tracedMethodName,
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
		const threads = threadTrees(
			report,
			undefined,
		).flatMap(thread => [treeLine(thread, thread.name), ...treeLines(thread.rows, safe`  `)]);
		const body: readonly Printable[] = [
			...reportHead(safe`trace`, target, report, {followed: countsOf(report), notes, width: room}),
			safe``,
			...textTable(traceColumns, rows.slice(0, top), {width: room, measure: 'cpu', overMs: 0, by: 'method'}),
			...(rows.length === 0 ? [safe`(no call ended in this time)`] : []),
			...moreLine(rows.length, top),
			...(notCalled > 0
				? [safe`${notCalled} traced ${notCalled === 1 ? 'method was' : 'methods were'} not called`]
				: []),
			...(tree.length > 0
				? [safe``, safe`TREE: calls, cumulative and own time`, ...tree.slice(0, top), ...moreLine(tree.length, top)]
				: []),
			...(threads.length > 0
				? [safe``, safe`THE SAME BY THREAD`, ...threads.slice(0, top), ...moreLine(threads.length, top)]
				: []),
			...(report.slowest.length > 0 ? [safe``, safe`SLOWEST TRACES`] : []),
			...report.slowest.slice(0, top).map(trace => {
				const head = trace.actions[0] ? tracedMethodName(report.methods[trace.actions[0].method]) : '';
				return safe`${formatNs(trace.durationNs).padStart(7)}  ${trace.key}  ${head}  in ${trace.thread}`;
			}),
			...(report.active.length > 0 ? [safe``, safe`OPEN AT THE END: ${report.activeCount}`] : []),
			...report.active.slice(0, top).map(({thread, method, ageNs, depth}) =>
				safe`${formatNs(ageNs).padStart(7)}  ${
					tracedMethodName(report.methods[method])
				}  in ${thread}, ${depth} deep`),
		];
		return body.map(line => `${elideEnd(line, room)}\n`).join('');
	},
};

function countsOf({wovenMethods, wovenClasses, methods, traces, lostCalls, threads}: TraceReport): Printable {
	const woven = safe`${plural(wovenMethods, safe`method`)} of ${plural(wovenClasses, safe`class`, safe`classes`)}`;
	const areReleased = wovenMethods === 0 && methods.length > 0;
	return joined([
		areReleased ? safe`no method is traced any more` : safe`${woven} traced in ${plural(threads, safe`thread`)}`,
		plural(traces, safe`trace`),
		...(lostCalls > 0 ? [safe`${plural(lostCalls, safe`call`)} not counted: no room`] : []),
	], safe`, `);
}

function treeLines(rows: readonly TraceTreeRow[], indent = safe``): Printable[] {
	return rows.flatMap(row => [
		treeLine(row, safe`${indent}${titleOf(row)}`),
		...treeLines(row.children, safe`${indent}  `),
	]);
}

function treeLine({calls, cumulativeNs, ownNs}: CallFigures, title: Printable): Printable {
	return safe`${formatCount(calls).padStart(6)} ${formatNs(cumulativeNs).padStart(7)} ${
		formatNs(ownNs).padStart(7)
	}  ${title}`;
}
