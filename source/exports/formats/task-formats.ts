import {safe, type Printable} from '../../util/printable.js';
import {cellWidth, elideEnd} from '../../util/cell-width.js';
import type {TaskReport} from '../../model/task-report.js';
import {exactMsOf, formatNs, plural} from '../../query/columns/format.js';
import {shortKind, taskColumns, taskRows, type TasksBy} from '../../views/tasks/task-rows.js';
import {taskJson} from '../../views/tasks/tasks-view.js';
import {documentHead, type ReportFormat} from '../common/export-format.js';
import {defaultTop, defaultWidth, minWidth, reportHead, textTable} from '../common/text-table.js';

/** For people: the states, by kind and by worker, the longest visits, and the counters. */
export const textTasks: ReportFormat<TaskReport> = {
	description:
		`states alone, by kind and by worker, and the longest visits; the top ${defaultTop} unless --top is given`,
	write(target, report, {width = defaultWidth, top = defaultTop, notes = []}) {
		const room = Math.max(width, minWidth);
		const table = (by: TasksBy) => {
			const rows = taskRows(report, undefined, by).filter(row => by === 'state' || row.count > 0 || row.now);
			return textTable(taskColumns, rows.slice(0, top), {width: room, measure: 'cpu', overMs: 0, by: 'method'});
		};

		const {states, kinds, counters, probe, wovenMethods, wovenClasses} = report;
		const watched = safe`${plural(wovenMethods, safe`method`)} of ${plural(wovenClasses, safe`class`, safe`classes`)}`;
		const body: readonly Printable[] = [
			...reportHead(safe`tasks`, target, report, {followed: safe`probe ${probe}, ${watched} watched`, notes, width: room}),
			...(report.dropped > 0 ? [safe`${report.dropped} tasks were forgotten before they ended`] : []),
			safe``,
			...table('state'),
			safe``,
			safe`BY KIND OF TASK`,
			...table('kind'),
			safe``,
			safe`BY WORKER: who ran them, or took them up`,
			...table('worker'),
			...(report.longest.length > 0 ? [safe``, safe`LONGEST IN THEIR STATE AT THE END`] : []),
			...report.longest.slice(0, top).map(({kind, state, ageNs, worker}) => {
				const before = safe`${formatNs(ageNs).padStart(7)}  ${states[state].title}${
					worker === '' ? '' : safe` in ${worker}`
				}: `;
				return safe`${before}${shortKind(kinds[kind], room - cellWidth(before), true)}`;
			}),
			...(report.readings.length > 0 ? [safe``, safe`COUNTERS AT THE END`] : []),
			...report.readings.slice(0, top).map(({counter, of, value}) =>
				safe`${safe`${value}`.padStart(7)}  ${counters[counter].name}${of === '' ? '' : safe`: ${of}`}`),
		];
		return body.map(line => `${elideEnd(line, room)}\n`).join('');
	},
};

export const jsonTasks: ReportFormat<TaskReport> = {
	description: 'states alone, by kind and by worker, the longest visits and the counters, for programs',
	write(target, report, {version, top, notes = []}) {
		const {states, kinds, counters} = report;
		return `${JSON.stringify({
			...documentHead(target, version),
			probe: report.probe,
			startedAt: new Date(report.startedAtMs).toISOString(),
			durationMs: exactMsOf(report.elapsedNs),
			wovenClasses: report.wovenClasses,
			wovenMethods: report.wovenMethods,
			oneIn: report.oneIn,
			notFollowed: report.skipped,
			dropped: report.dropped,
			missedEvents: report.missed,
			notes,
			states: states.map(({id, title, kind}) => ({id, title, is: kind})),
			tasks: taskRows(report, undefined, 'state').map(row => taskJson(row)),
			byKind: taskRows(report, undefined, 'kind').slice(0, top).map(row => taskJson(row)),
			byWorker: taskRows(report, undefined, 'worker').slice(0, top).map(row => taskJson(row)),
			byWorkerAndKind: taskRows(report, undefined, 'worker-and-kind').slice(0, top).map(row => taskJson(row)),
			longest: report.longest.slice(0, top).map(({kind, state, ageNs, worker}) => ({
				state: states[state].id, kind: kinds[kind], ageMs: exactMsOf(ageNs), ...(worker === '' ? {} : {worker}),
			})),
			counters: report.readings.map(({counter, of, value}) => ({name: counters[counter].name, of, value})),
		}, undefined, '\t')}\n`;
	},
};
