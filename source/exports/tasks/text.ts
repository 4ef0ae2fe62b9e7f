import {cellWidth, cut} from '../../model/cell-width.js';
import type {TargetFacts} from '../../model/snapshot.js';
import {formatNs} from '../../query/columns/trace-columns.js';
import {shortKind, taskColumns} from '../../query/columns/task-columns.js';
import {taskRows, type TasksBy} from '../../query/tasks/stays.js';
import {textTable, wrapAt} from '../formats/text-table.js';
import type {TaskFormat} from './task-format.js';

const defaultWidth = 120;
const minWidth = 40;
/** Rows of each list unless --top is given. */
const defaultTop = 40;

/** For people: the states, by kind and by worker; who waits longest, and the counters. */
export const textTasks: TaskFormat = {
	id: 'text',
	description: `states alone, by kind and by worker, and the longest stays; the top ${defaultTop} unless --top is given`,
	write(target, report, {width = defaultWidth, top = defaultTop}) {
		const room = Math.max(width, minWidth);
		const table = (by: TasksBy) => textTable(taskColumns, taskRows(report, undefined, by).filter(row => by === 'state' || row.count > 0 || row.now).slice(0, top), {width: room, unit: 'cpu', by: 'method'});
		const {states, kinds, counters} = report;
		const body = [
			headLine(target),
			`${new Date(report.startedAtMs).toISOString().replace(/\.\d+/, '')} for ${(report.elapsedNs / 1e9).toFixed(1)} s | probe ${report.probe}, ${report.wovenMethods} methods of ${report.wovenClasses} ${report.wovenClasses === 1 ? 'class' : 'classes'} watched`,
			...report.notes.flatMap(note => wrapAt(' ', `note: ${note}`, room, '      ')),
			...(report.dropped > 0 ? [`${report.dropped} tasks were forgotten before they ended`] : []),
			'',
			...table('state'),
			'',
			'BY KIND OF TASK',
			...table('kind'),
			'',
			'BY WORKER: who ran them, or took them up',
			...table('worker'),
			...(report.longest.length > 0 ? ['', 'LONGEST IN THEIR STATE AT THE END'] : []),
			...report.longest.slice(0, top).map(({kind, state, ageNs, worker}) => {
				const before = `${formatNs(ageNs).padStart(7)}  ${states[state].title}${worker === '' ? '' : ` in ${worker}`}: `;
				return before + shortKind(kinds[kind], room - cellWidth(before), true);
			}),
			...(report.readings.length > 0 ? ['', 'COUNTERS AT THE END'] : []),
			...report.readings.slice(0, top).map(({counter, of, value}) => `${String(value).padStart(7)}  ${counters[counter].name}${of === '' ? '' : `: ${of}`}`),
		];
		return body.map(line => `${cut(line, room)}\n`).join('');
	},
};

function headLine({pid, mainClass, command, jvmVersion, vm}: TargetFacts): string {
	return ['tprof-top tasks', String(pid), mainClass || command, jvmVersion && ` JDK ${jvmVersion}`, vm && `(${vm})`].filter(Boolean).join(' ');
}
