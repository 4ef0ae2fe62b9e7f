import {taskRows} from '../../query/tasks/stays.js';
import {exactMsOf} from '../../query/columns/format.js';
import {taskJson} from '../../views/tasks.js';
import type {TaskReport} from '../../model/task-report.js';
import {documentHead, type ReportFormat} from '../formats/export-format.js';

/** Programs read it: the keys and their meaning are those of docs/formats.md. */
export const jsonTasks: ReportFormat<TaskReport> = {
	description: 'states alone, by kind and by worker, the longest stays and the counters, for programs',
	write(target, report, {version, top}) {
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
			notes: report.notes,
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
