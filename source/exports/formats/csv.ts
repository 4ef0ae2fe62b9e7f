import {threadStates} from '../../model/thread-state.js';
import {queryLines} from '../../query/lines.js';
import type {LineRow} from '../../query/types.js';
import type {ExportFormat} from './export-format.js';

type Column = {readonly id: string; readonly description: string; cell(row: LineRow, takenAt: string): string | number};

/** The columns in their order; docs/formats.md lists them. */
export const csvColumns: readonly Column[] = [
	{id: 'taken_at', description: 'when the counters were read, ISO 8601', cell: (_, takenAt) => takenAt},
	{id: 'class', description: 'fully qualified class', cell: row => row.className},
	{id: 'method', description: 'method; empty with --by class', cell: row => row.method},
	{id: 'file', description: 'source file, empty if not known', cell: row => row.file},
	{id: 'line', description: 'source line; -1 unknown, -2 native method', cell: row => row.line},
	{id: 'self_percent', description: 'share of CPU time (of ticks where the counted states use none)', cell: row => decimals(row.selfPercent, 2)},
	{id: 'error_percent', description: 'half the width of its 95 % confidence interval, percentage points', cell: row => decimals(row.errorPercent, 2)},
	{id: 'total_percent', description: 'like self_percent, including callees', cell: row => decimals(row.totalPercent, 2)},
	{id: 'self_ticks', description: 'thread samples in the counted states', cell: row => row.selfTicks},
	{id: 'total_ticks', description: 'the same, including callees', cell: row => row.totalTicks},
	{id: 'self_cpu_ms', description: 'CPU time, milliseconds', cell: row => decimals(row.selfCpuNs / 1e6, 3)},
	{id: 'total_cpu_ms', description: 'the same, including callees', cell: row => decimals(row.totalCpuNs / 1e6, 3)},
	{id: 'threads', description: 'threads seen there', cell: row => row.threadCount},
	{id: 'blocked_now', description: 'threads that were blocked there at the end', cell: row => row.blockedNow},
	{id: 'stuck_ms', description: 'how long the longest of them had been blocked there, milliseconds', cell: row => Math.round(row.stuckMs)},
	...threadStates.map((state, code): Column => ({id: state.toLowerCase(), description: `thread samples in the state ${state}`, cell: row => row.states[code]})),
	{id: 'top_threads', description: 'up to three threads with the most CPU time there, separated by "; "', cell: row => row.topThreads.join('; ')},
];

/** RFC 4180: CR LF after each record, quotes where a cell needs them. */
export const csv: ExportFormat = {
	id: 'csv',
	title: 'CSV',
	extension: '.csv',
	description: 'the lines with all their figures, for spreadsheets; all rows unless --top is given',
	streaming: true,
	write(snapshot, baseline, {query, top, iteration = 0}) {
		const takenAt = new Date(snapshot.session.takenAtMs).toISOString();
		const rows = queryLines(snapshot, baseline, query).rows.slice(0, top).map(row => csvColumns.map(column => column.cell(row, takenAt)));
		const records = iteration === 0 ? [csvColumns.map(({id}) => id), ...rows] : rows;
		return records.map(record => `${record.map(cell => csvCell(cell)).join(',')}\r\n`).join('');
	},
};

/**
A number as it is; a text quoted where RFC 4180 asks for it, and with an apostrophe before what a spreadsheet would take
for a formula (OWASP, "CSV Injection").
*/
export function csvCell(cell: string | number): string {
	if (typeof cell === 'number') {
		return String(cell);
	}

	const text = /^\s*[=+\-@＝＋－＠]/.test(cell) ? `'${cell}` : cell;
	return /[",\r\n;]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function decimals(value: number, count: number): number {
	return Number(value.toFixed(count));
}
