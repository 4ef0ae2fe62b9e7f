import {taskGroupings, taskRows} from '../../query/tasks/stays.js';
import {tasksView} from '../../views/tasks.js';
import {csvCell} from '../formats/csv.js';
import type {TaskFormat} from './task-format.js';

/** States, by kind, by worker and alone, as RFC 4180 has it. */
export const csvTasks: TaskFormat = {
	id: 'csv',
	description: 'states by kind, by worker and alone with all their figures, for spreadsheets',
	write(_, report, {top}) {
		const {csv} = tasksView.files;
		const records = [
			['by', ...csv.map(({id}) => id)],
			...taskGroupings.flatMap(by => taskRows(report, undefined, by).slice(0, top).map(row => [by, ...csv.map(({cell}) => cell(row))])),
		];
		return records.map(record => `${record.map(cell => csvCell(typeof cell === 'number' ? Number(cell.toFixed(6)) : cell)).join(',')}\r\n`).join('');
	},
};
