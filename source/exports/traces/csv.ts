import {titleOf, traceMethods, type TraceRow} from '../../query/traces/methods.js';
import {rounded} from '../../views/record.js';
import {csvCell} from '../formats/csv.js';
import type {TraceFormat} from './trace-format.js';

const columns: ReadonlyArray<readonly [string, (row: TraceRow) => string | number]> = [
	['method', row => titleOf(row)],
	['calls', row => row.calls],
	['exceptions', row => row.exceptions],
	['calls_per_s', row => rounded(row.callsPerS)],
	['exceptions_per_s', row => rounded(row.exceptionsPerS)],
	['mean_ms', row => row.meanNs / 1e6],
	['p50_ms', row => row.p50Ns / 1e6],
	['p99_ms', row => row.p99Ns / 1e6],
	['max_ms', row => row.mostNs / 1e6],
	['cumulative_ms', row => row.cumulativeNs / 1e6],
	['own_ms', row => row.ownNs / 1e6],
];

/** The methods, as RFC 4180 has it. */
export const csvTraces: TraceFormat = {
	id: 'csv',
	description: 'the methods with all their figures, for spreadsheets',
	write(_, report, {top}) {
		const rows = traceMethods(report, undefined).sort((a, b) => b.cumulativeNs - a.cumulativeNs || a.id - b.id).slice(0, top);
		const records = [columns.map(([id]) => id), ...rows.map(row => columns.map(([, cell]) => cell(row)))];
		return records.map(record => `${record.map(cell => csvCell(typeof cell === 'number' ? Number(cell.toFixed(6)) : cell)).join(',')}\r\n`).join('');
	},
};
