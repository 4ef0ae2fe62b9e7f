import {views} from '../../views/registry.js';
import type {ExportFormat} from './export-format.js';

/** RFC 4180: CR LF after each record, quotes where a cell needs them. */
export const csv: ExportFormat = {
	id: 'csv',
	title: 'CSV',
	extension: '.csv',
	description: 'the lines, or the rows of --view, with all their figures, for spreadsheets; all rows unless --top is given',
	streaming: true,
	ofViews: true,
	write(snapshot, baseline, {query: asked, view = views[0], top, iteration = 0}) {
		// All rows, whatever a screen shows of them.
		const query = {...asked, atAGlance: undefined};
		const takenAt = new Date(snapshot.session.takenAtMs).toISOString();
		const {csv: columns, csvRows} = view.files;
		const all = csvRows ? csvRows(snapshot, baseline, query) : view.query(snapshot, baseline, query).rows;
		const rows = all.slice(0, top).map(row => [takenAt, ...columns.map(column => column.cell(row))]);
		const records = iteration === 0 ? [['taken_at', ...columns.map(({id}) => id)], ...rows] : rows;
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
