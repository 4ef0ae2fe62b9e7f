import type {TaskState} from '../../model/task-probe.js';
import {cellWidth, cutStart} from '../../model/cell-width.js';
import type {Column} from '../columns/column.js';
import {formatCount} from '../columns/format.js';
import {shortName} from '../columns/names.js';
import {byNumber, byText} from '../columns/sort.js';
import {formatNs, formatRate} from '../traces/columns.js';

/** Stays in a state that ended in a window; of an end: whole tasks. Times in nanoseconds. */
export type StayFigures = {
	readonly count: number;
	readonly perS: number;
	readonly totalNs: number;
	readonly meanNs: number;
	readonly p50Ns: number;
	readonly p99Ns: number;
	readonly mostNs: number;
};

/** A row of the Tasks view. */
export type TaskRow = StayFigures & {
	readonly key: string;
	readonly state: TaskState;
	/** Index of the report's states. */
	readonly stateIndex: number;
	/** A kind of task and a worker; each empty for all. */
	readonly kind: string;
	readonly worker: string;
	/** Tasks in the state now, and the longest stay so far; undefined where that is not known of the group. */
	readonly now: number | undefined;
	readonly oldestNs: number | undefined;
	/** Those that have been in it longest, the longest first. */
	readonly longest: readonly LongTask[];
	/** Tasks in the state at moments of the last minute, of all groups; empty for rows of a group. */
	readonly recent: readonly number[];
};

/** A task that is in its state for long; `worker` is the thread that runs it, empty while none does. */
type LongTask = {readonly kind: string; readonly ageNs: number; readonly worker: string};

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
	time('p50', 'P50', 'median time', 'half of the stays took no longer; exact to 5 %', 130, row => row.p50Ns),
	time('p99', 'P99', '99th percentile', '99 of 100 stays took no longer; exact to 5 %', 90, row => row.p99Ns),
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
				return kind === '' ? bars(row.recent, room) : shortKind(kind, room, fullNames);
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
