import {safe, type Printable} from '../../util/printable.js';
import {noDetail} from '../../query/detail.js';
import {exactMsOf, formatNs, formatRate, plural} from '../../query/columns/format.js';
import {csvOf, rowsAsJson} from '../common/file-fields.js';
import {cyclingKey} from '../common/opening-keys.js';
import type {View} from '../common/view.js';
import {groupOf, taskColumns, type TaskRow, queryTasks, titleOfTasks, taskGroupings, taskRows} from './task-rows.js';

const maxTasks = 20;
const groupTitles = {
	kind: 'by kind of task', worker: 'by worker', 'worker-and-kind': 'by worker and kind', state: 'by state alone',
} as const;

export const tasksView: View<TaskRow> = {
	id: 'tasks',
	title: 'Tasks',
	columns: taskColumns,
	sort: {column: safe`time`, reverse: false},
	keys: [
		cyclingKey('tasks by kind, by worker, by both, or by state alone', taskGroupings, ({tasksBy = 'kind'}) =>
			tasksBy, tasksBy => ({change: {tasksBy}, message: groupTitles[tasksBy]})),
	],
	about:
		'Tasks of thread pools, fork/join and other runtimes: how many are in each state, and how long they stay there. Nothing is sampled: an agent in the JVM follows each task. tprof-top tasks PID starts it.',
	hints: () => [
		{key: 'enter', title: 'who is in it longest', short: 'longest'},
		{key: 'l', title: 'by worker or state', short: 'group'},
		{key: 'f6', title: 'sort', short: 'sort'},
	],
	query: queryTasks,
	isDim: row => row.count === 0 && !row.now,
	remark: ({tasksBy = 'kind'}) => safe`${groupTitles[tasksBy]}`,
	emptyText: ({allRows}) =>
		allRows === 0 ? safe`no tasks are followed, or none has come yet; tprof-top tasks PID follows them` : undefined,
	detail: () => noDetail,
	titleLines: row => [
		{text: titleOfTasks(row), role: 'title'},
		{
			text: safe`${cameOrLeft(row)}, ${formatRate(row.perS)} a second${
				row.now === undefined ? '' : safe`; ${plural(row.now, safe`task`)} now`
			}`,
		},
		{
			text: safe`all together ${formatNs(row.totalNs)}: mean ${formatNs(row.meanNs)}, median ${
				formatNs(row.p50Ns)
			}, 99 % within ${formatNs(row.p99Ns)}, longest ${formatNs(row.mostNs)}`,
		},
		...(row.longest.length > 0 ? [{text: safe``}, {text: safe`LONGEST IN IT NOW`, role: 'title'} as const] : []),
		...row.longest.slice(0, maxTasks).map(({kind, ageNs, worker}) => ({
			text: safe`${formatNs(ageNs).padStart(7)}  ${kind}${worker === '' ? '' : safe`  in ${worker}`}`,
		})),
	],
	locationOf: () => undefined,
	files: {
		csv: csvOf(taskColumns, {
			state: 'state', group: 'group', now: 'now', oldest_ms: 'longest-now', count: 'visits',
			per_s: 'visits-per-s', total_ms: 'time', mean_ms: 'mean', p50_ms: 'p50', p99_ms: 'p99', max_ms: 'most',
		}),
		json: ({tasks}, since, {tasksBy = 'kind'}, top) =>
			rowsAsJson(tasks ? taskRows(tasks, since?.tasks, tasksBy).slice(0, top) : [], taskJson),
	},
};

function cameOrLeft({state, count}: TaskRow): Printable {
	return state.kind === 'end'
		? safe`${plural(count, safe`task`)} reached it`
		: safe`${plural(count, safe`visit`)} that ended`;
}

export function taskJson(row: TaskRow) {
	const group = groupOf(row);
	return {
		state: row.state.id,
		...(row.worker && row.kind ? {worker: row.worker, kind: row.kind} : (group === '' ? {} : {group})),
		...(row.now === undefined ? {} : {now: row.now, oldestMs: exactMsOf(row.oldestNs ?? 0)}),
		count: row.count,
		totalMs: exactMsOf(row.totalNs),
		meanMs: exactMsOf(row.meanNs),
		p50Ms: exactMsOf(row.p50Ns),
		p99Ms: exactMsOf(row.p99Ns),
		maxMs: exactMsOf(row.mostNs),
	};
}
