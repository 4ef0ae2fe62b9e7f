import type {Snapshot} from '../../model/snapshot.js';
import type {TaskReport} from '../../model/tasks/report.js';
import {taskColumns} from '../columns/task-columns.js';
import {sortRows} from '../columns/sort.js';
import {filterOf} from '../filter/filter.js';
import type {Query} from '../types.js';
import {taskRows, type TaskRow} from './stays.js';

/**
Tasks between `baseline` (undefined: since they are followed) and `snapshot` by state, and by kind or worker within it,
filtered and sorted; none while no tasks are followed. Of a filter's figures `ticks` are the stays.
*/
export function queryTasks(snapshot: Snapshot, baseline: Snapshot | undefined, query: Query): {readonly rows: readonly TaskRow[]; readonly allRows: number; readonly above?: string} {
	const {tasks} = snapshot;
	if (!tasks) {
		return {rows: [], allRows: 0};
	}

	const all = taskRows(tasks, baseline?.tasks, query.tasksBy ?? 'kind');
	const {row: isWanted} = filterOf(query.filter);
	const rows = isWanted
		? all.filter(row => isWanted({
			text: titleOfTasks(row), percent: 0, totalPercent: 0, cpuMs: 0, ticks: row.count, totalTicks: row.count, threads: 0, blocked: 0, stuckS: 0,
		}))
		: all;
	return {rows: sortRows(rows, taskColumns, query.sort), allRows: all.length, above: aboveOf(tasks, baseline?.tasks)};
}

/** The state, and of whom. */
export function titleOfTasks(row: TaskRow): string {
	const group = groupOf(row);
	return group === '' ? row.state.title : `${row.state.title}: ${group}`;
}

/** The worker, the kind of task, or both; empty for all. */
export function groupOf({worker, kind}: TaskRow): string {
	return [worker, kind].filter(Boolean).join(': ');
}

/** How many came to an end, and what there is to say of all. */
function aboveOf(report: TaskReport, baseline: TaskReport | undefined): string {
	const rows = taskRows(report, baseline, 'state');
	const ends = rows.filter(({state, count}) => state.kind === 'end' && count > 0).map(({state, count}) => `${count} ${state.title}`);
	const now = rows.filter(row => (row.now ?? 0) > 0).map(row => `${row.now} ${row.state.title}`);
	const counters = report.counters.flatMap(({name}, index) => {
		const values = report.readings.filter(({counter}) => counter === index).map(({value}) => value);
		return values.length > 0 ? [`${name} ${values.join(' + ')}`] : [];
	});
	return [
		`Tasks (${report.probe}): ${[...ends, ...now].join(', ') || 'none seen yet'}.`,
		...(counters.length > 0 ? [`${counters.join('; ')}.`] : []),
		...report.notes.map(note => `${note}.`),
	].join(' ');
}
