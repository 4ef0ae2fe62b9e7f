import type {TaskReport} from '../../model/task-report.js';
import type {TraceReport} from '../../model/trace-report.js';
import {taskGroupings, taskRows} from '../../views/tasks/task-rows.js';
import {longestFirst, traceMethods} from '../../views/traces/traced-methods.js';
import {views} from '../../views/view-registry.js';
import {tasksView} from '../../views/tasks/tasks-view.js';
import {tracesView} from '../../views/traces/traces-view.js';
import type {ExportFormat, ReportFormat} from '../common/export-format.js';

const traces: ReportFormat<TraceReport> = {
	description: 'the methods with all their figures, for spreadsheets',
	write(_, report, {top}) {
		const {csv: columns} = tracesView.files;
		const rows = traceMethods(report, undefined).sort(longestFirst).slice(0, top);
		return csvText([columns.map(({id}) => id), ...rows.map(row => columns.map(({field}) => field(row)))]);
	},
};

const tasks: ReportFormat<TaskReport> = {
	description: 'states by kind, by worker and alone with all their figures, for spreadsheets',
	write(_, report, {top}) {
		const {csv: columns} = tasksView.files;
		return csvText([
			['by', ...columns.map(({id}) => id)],
			...taskGroupings.flatMap(by => {
				const rows = taskRows(report, undefined, by).slice(0, top);
				return rows.map(row => [by, ...columns.map(({field}) => field(row))]);
			}),
		]);
	},
};

/** RFC 4180: CR LF after each row, quotes around fields that need them. */
export const csv: ExportFormat = {
	id: 'csv',
	title: 'CSV',
	extension: '.csv',
	description:
		'the lines, or the rows of --view, with all their figures, for spreadsheets; all rows unless --top is given',
	streaming: true,
	ofViews: true,
	traces,
	tasks,
	write(snapshot, baseline, {query: requested, view = views[0], top, iteration = 0}) {
		// A summary has other rows.
		const query = {...requested, summary: undefined};
		const takenAt = new Date(snapshot.session.takenAtMs).toISOString();
		const {csv: columns, csvRows} = view.files;
		const all = csvRows ? csvRows(snapshot, baseline, query) : view.query(snapshot, baseline, query).rows;
		const body = all.slice(0, top).map(row => [takenAt, ...columns.map(column => column.field(row))]);
		const rows = iteration === 0 ? [['taken_at', ...columns.map(({id}) => id)], ...body] : body;
		return csvText(rows);
	},
};

/**
Returns a number, nothing for an unknown one, or a text quoted as in RFC 4180, with an apostrophe if spreadsheets would
take it for a formula.
*/
function csvField(field: string | number): string {
	if (typeof field === 'number') {
		return Number.isNaN(field) ? '' : String(field);
	}

	const text = /^\s*[=+\-@＝＋－＠]/.test(field) ? `'${field}` : field;
	return /[",\r\n;]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csvText(rows: ReadonlyArray<ReadonlyArray<string | number>>): string {
	return rows.map(row => `${row.map(field => csvField(field)).join(',')}\r\n`).join('');
}
