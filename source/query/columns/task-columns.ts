import {cellWidth, cutStart} from '../../model/cell-width.js';
import type {TaskRow} from '../tasks/stays.js';
import type {Column} from './column.js';
import {formatCount} from './format.js';
import {shortName} from './names.js';
import {byNumber, byText} from './sort.js';
import {formatNs, formatRate} from './trace-columns.js';

function time(id: string, heading: string, title: string, description: string, fromColumns: number, of: (row: TaskRow) => number): Column<TaskRow> {
	return {
		id, heading, title, description, fromColumns, width: 7, align: 'right',
		value: row => row.count > 0 ? formatNs(of(row)) : '',
		compare: (a, b) => byNumber(of(a), of(b)),
	};
}

/** The columns of the Tasks view in their order. */
export const taskColumns: ReadonlyArray<Column<TaskRow>> = [
	{...time('time', 'TIME', 'time in the state', 'time that tasks spent in the state, of stays that ended; of an end: the whole time of the tasks', 46, row => row.totalNs), sortFigures: ['total', 'self', 'cpu']},
	{
		id: 'now', heading: 'NOW', title: 'tasks now', width: 6, align: 'right', fromColumns: 54,
		description: 'tasks that are in the state now',
		value: row => row.now === undefined ? '' : formatCount(row.now),
		compare: (a, b) => byNumber(a.now ?? -1, b.now ?? -1),
	},
	{
		id: 'longest-now', heading: 'OLDEST', title: 'longest now', width: 7, align: 'right', fromColumns: 100,
		description: 'for how long the task that has been in the state longest has been there',
		value: row => row.now ? formatNs(row.oldestNs ?? 0) : '',
		compare: (a, b) => byNumber(a.oldestNs ?? -1, b.oldestNs ?? -1),
	},
	{
		id: 'stays', heading: 'COUNT', title: 'stays', width: 6, align: 'right', fromColumns: 110,
		description: 'how often tasks left the state; of an end: how many came to it',
		sortFigures: ['ticks'],
		value: row => formatCount(row.count),
		compare: (a, b) => byNumber(a.count, b.count),
	},
	{
		id: 'stays-per-s', heading: 'PER S', title: 'stays a second', width: 6, align: 'right', fromColumns: 60,
		description: 'the same, a second',
		sortFigures: ['total-ticks'],
		value: row => formatRate(row.perS),
		compare: (a, b) => byNumber(a.perS, b.perS),
	},
	time('mean', 'MEAN', 'mean time', 'mean time of a stay in the state', 72, row => row.meanNs),
	time('p50', 'P50', 'median time', 'half of the stays took no longer; exact to a factor of two', 130, row => row.p50Ns),
	time('p99', 'P99', '99th percentile', '99 of 100 stays took no longer; exact to a factor of two', 90, row => row.p99Ns),
	time('most', 'MAX', 'longest time', 'the longest stay that ended', 120, row => row.mostNs),
	{
		id: 'state', heading: 'STATE', title: 'state', width: 24, align: 'left', fromColumns: 0, ascending: true,
		description: 'what tasks do, as the probe calls it',
		value: row => row.state.title,
		role: row => row.state.kind === 'running' ? 'hot' : undefined,
		compare: (a, b) => byNumber(a.stateIndex, b.stateIndex),
	},
	{
		id: 'group', heading: 'KIND OR WORKER', title: 'kind or worker', width: 0, align: 'left', fromColumns: 0, ascending: true,
		description: 'kind of task, by the class of what it runs, or the thread that ran it or took it up; l changes which',
		sortFigures: ['name'],
		value(row, {room, fullNames}) {
			const {worker, kind} = row;
			if (worker === '') {
				return kind === '' ? bars(row.lately, room) : shortKind(kind, room, fullNames);
			}

			const ofKind = kind === '' ? '' : `: ${shortKind(kind, Math.max(leastKind, room - cellWidth(worker) - 2), fullNames)}`;
			return cutStart(worker, Math.max(1, room - cellWidth(ofKind))) + ofKind;
		},
		compare: (a, b) => byText(a.worker, b.worker) || byText(a.kind, b.kind),
	},
];

/** Cells of a kind beside its worker; names differ at their ends. */
const leastKind = 12;

/** Its packages go before its class does. */
export function shortKind(kind: string, room: number, full: boolean): string {
	return shortName({className: kind, method: '', file: '', line: -1}, room, full);
}

const levels = ' ▁▂▃▄▅▆▇█';

/** How many there were lately, a cell a moment, the newest last. */
function bars(counts: readonly number[], room: number): string {
	const shown = counts.slice(-room);
	const most = Math.max(...shown, 1);
	return shown.map(count => levels[Math.ceil(count / most * (levels.length - 1))]).join('');
}
