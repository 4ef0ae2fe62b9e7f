import {joined, safe, type Printable} from '../../util/printable.js';
import {getOrCreate} from '../../util/get-or-create.js';
import type {Snapshot} from '../../model/snapshot.js';
import type {TaskReport, TaskVisits} from '../../model/task-report.js';
import {DurationSum, type DurationFigures} from '../../model/histogram.js';
import {sortRows} from '../../query/columns/sort.js';
import {filtered, filterOf} from '../../query/filter/filter.js';
import type {Query} from '../../query/types/query.js';
import type {TaskState} from '../../model/task-probe.js';
import {cellWidth, elideStart} from '../../util/cell-width.js';
import {figureColumn, textColumn, type Column} from '../../query/columns/column.js';
import {formatNs, formats, sparkline} from '../../query/columns/format.js';
import {shortName} from '../../query/columns/names.js';
import type {ViewResult} from '../common/view.js';

/** A row of the Tasks view: visits to one state that ended in the window; for an end state, whole tasks. */
export type TaskRow = DurationFigures & {
	readonly key: string;
	readonly state: TaskState;
	/** Index into the report's states. */
	readonly stateIndex: number;
	/** Names of a kind of task and of a worker; each empty for all. */
	readonly kind: Printable;
	readonly worker: Printable;
	/** Number of tasks in the state now, and the longest visit so far; undefined if unknown for the group. */
	readonly now: number | undefined;
	readonly oldestNs: number | undefined;
	/** The tasks that have been in the state longest, the longest first. */
	readonly longest: readonly LongTask[];
	/** Numbers of tasks in the state at moments of the last minute; empty for rows of a group. */
	readonly recent: readonly number[];
};

/** A task that has been in its state for long; `worker`: the thread that runs it, empty if none does. */
type LongTask = {readonly kind: Printable; readonly ageNs: number; readonly worker: Printable};

const isBlank = (row: TaskRow) => row.count === 0;

export const taskColumns: ReadonlyArray<Column<TaskRow>> = [
	figureColumn('time', row => row.totalNs, formats.ns, {
		heading: 'TIME',
		title: 'time in the state',
		width: 7,
		fromColumns: 46,
		sortKeys: ['total', 'self'],
		isBlank,
		description:
			'time that tasks spent in visits to the state that ended; for an end state, the time from their start to it',
	}),
	figureColumn('now', row => row.now ?? -1, formats.count, {
		heading: 'NOW', title: 'tasks now', width: 6, fromColumns: 54,
		description: 'tasks that are in the state now',
		isBlank: row => row.now === undefined,
		exportValue: row => row.now ?? '',
	}),
	figureColumn('longest-now', row => row.oldestNs ?? -1, formats.ns, {
		heading: 'OLDEST', title: 'longest now', width: 7, fromColumns: 100,
		description: 'longest time that a task in the state now has been in it',
		value: row => row.now ? formatNs(row.oldestNs ?? 0) : safe``,
		exportValue: row => row.oldestNs === undefined ? '' : formats.ns.file(row.oldestNs),
	}),
	figureColumn('visits', row => row.count, formats.count, {
		heading: 'COUNT', title: 'visits', width: 6, fromColumns: 110,
		description: 'how often tasks left the state; for an end state, how many tasks reached it',
	}),
	figureColumn('visits-per-s', row => row.perS, formats.perS, {
		heading: 'PER S', title: 'visits a second', width: 6, fromColumns: 60,
		description: 'the same, a second',
	}),
	figureColumn('mean', row => row.meanNs, formats.ns, {
		heading: 'MEAN',
		title: 'mean time',
		width: 7,
		fromColumns: 72,
		description: 'mean time of a visit to the state',
		isBlank,
	}),
	figureColumn('p50', row => row.p50Ns, formats.ns, {
		heading: 'P50',
		title: 'median time',
		width: 7,
		fromColumns: 130,
		description: 'half of the visits took no longer; exact to 5 %',
		isBlank,
	}),
	figureColumn('p99', row => row.p99Ns, formats.ns, {
		heading: 'P99',
		title: '99th percentile',
		width: 7,
		fromColumns: 90,
		description: '99 of 100 visits took no longer; exact to 5 %',
		isBlank,
	}),
	figureColumn('most', row => row.mostNs, formats.ns, {
		heading: 'MAX',
		title: 'longest time',
		width: 7,
		fromColumns: 120,
		description: 'the longest visit that ended',
		isBlank,
	}),
	textColumn('state', row => row.state.title, {
		heading: 'STATE', title: 'state', width: 24, fromColumns: 0,
		description: 'what tasks do, as the probe calls it',
		sortBy: [row => row.stateIndex],
		exportValue: row => row.state.id,
		role: row => row.state.kind === 'running' ? 'hot' : undefined,
	}),
	textColumn('group', row => groupOf(row), {
		heading: 'KIND OR WORKER',
		title: 'kind or worker',
		width: 0,
		fromColumns: 0,
		sortKeys: ['name'],
		description:
			'kind of task, by the class of what it runs, or the thread that ran it or took it up; l changes which',
		sortBy: [row => row.worker, row => row.kind],
		value(row, {room, fullNames}) {
			const {worker, kind} = row;
			if (worker === '') {
				return kind === '' ? bars(row.recent, room) : shortKind(kind, room, fullNames);
			}

			const ofKind = kind === ''
				? safe``
				: safe`: ${shortKind(kind, Math.max(minKindCells, room - cellWidth(worker) - 2), fullNames)}`;
			return safe`${elideStart(worker, Math.max(1, room - cellWidth(ofKind)))}${ofKind}`;
		},
	}),
];

/** Returns the worker, the kind of task, or both; empty for all. */
export function groupOf({worker, kind}: TaskRow): Printable {
	return joined([worker, kind].filter(Boolean), safe`: `);
}

const minKindCells = 12;

/** Returns the name of a kind in `room` cells; truncates packages first. */
export function shortKind(kind: Printable, room: number, full: boolean): Printable {
	return shortName({className: kind, method: safe``, file: safe``, line: -1}, room, full);
}

/** Returns recent counts as bars, a cell each, the newest last. */
function bars(counts: readonly number[], room: number): Printable {
	const shown = counts.slice(-room);
	const highest = Math.max(...shown, 1);
	return sparkline(shown.map(count => count / highest));
}

export const taskGroupings = ['kind', 'worker', 'worker-and-kind', 'state'] as const;
export type TasksBy = (typeof taskGroupings)[number];

declare module '../../query/types/query.js' {
	interface Query {
		/** How the tasks of a state are grouped into rows; by kind of task by default. */
		readonly tasksBy?: TasksBy;
	}
}

type TaskGroup = Pick<TaskRow, 'key' | 'stateIndex' | 'kind' | 'worker'> & {
	readonly visits: DurationSum;
	count: number;
	oldestNs: number;
};

/** Returns a row for each state and group that had tasks; if not grouped, one for each state. In the probe's order. */
export function taskRows(report: TaskReport, since: TaskReport | undefined, by: TasksBy): TaskRow[] {
	const before = earlierReport(report, since);
	const seconds = Math.max(0, report.elapsedNs - (before?.elapsedNs ?? 0)) / 1e9;
	const isByKind = by === 'kind' || by === 'worker-and-kind';
	const isByWorker = by === 'worker' || by === 'worker-and-kind';
	const groups = new Map<string, TaskGroup>();
	const groupAt = (stateIndex: number, kind = safe``, worker = safe``) => {
		const key = [stateIndex, worker, kind].join('\0');
		return getOrCreate(groups, key, (): TaskGroup => ({
			key, stateIndex, kind, worker, visits: new DurationSum(), count: 0, oldestNs: 0,
		}));
	};

	const groupOfVisits = ({kinds, workers}: TaskReport, {state, kind, worker}: TaskVisits) =>
		groupAt(state, isByKind ? kinds[kind] : safe``, isByWorker ? workers[worker] : safe``);
	for (const index of by === 'state' ? report.states.keys() : []) {
		groupAt(index);
	}

	for (const visits of report.visits) {
		const sum = groupOfVisits(report, visits).visits;
		sum.add(visits.count, visits.totalNs, visits.durations);
		// The longest visit may have ended before the window.
		sum.extendRange(visits.leastNs, visits.mostNs, {isMostExact: false});
	}

	for (const {kind, state, count, oldestNs} of isByWorker ? [] : report.now) {
		const group = groupAt(state, isByKind ? report.kinds[kind] : safe``);
		group.count += count;
		group.oldestNs = Math.max(group.oldestNs, oldestNs);
	}

	const rows = [...groups.values()];
	// Counters only grow, but those of an ended thread move to another worker: subtract only from sums of whole groups.
	for (const visits of before?.visits ?? []) {
		groupOfVisits(before!, visits).visits.add(visits.count, visits.totalNs, visits.durations, -1);
	}

	const longest = report.longest.map(({kind, ...task}) => ({...task, kind: report.kinds[kind]}));
	return rows.map(({visits, key, stateIndex, kind, worker, count, oldestNs}): TaskRow => {
		const state = report.states[stateIndex];
		const knowsNow = state.kind !== 'end' && !isByWorker;
		return {
			...visits.figures(seconds),
			key,
			state,
			stateIndex,
			worker,
			kind,
			now: knowsNow ? count : undefined,
			oldestNs: knowsNow ? oldestNs : undefined,
			longest: longest
				.filter(task =>
					task.state === stateIndex && (!isByKind || kind === task.kind)
					&& (!isByWorker || worker === task.worker))
				.map(({kind, ageNs, worker}) => ({kind, ageNs, worker})),
			recent: by === 'state' && state.kind !== 'end' ? report.history.map(counts => counts[stateIndex]) : [],
		};
	}).sort((a, b) => a.stateIndex - b.stateIndex);
}

/** Returns the earlier report, by default the start of a saved window; undefined if another agent session made it. */
function earlierReport(report: TaskReport, since = report.since): TaskReport | undefined {
	return since?.startedAtMs === report.startedAtMs ? since : undefined;
}

/** Returns the rows of the Tasks view. In filters `ticks` are the visits. */
export function queryTasks(snapshot: Snapshot, since: Snapshot | undefined, query: Query): ViewResult<TaskRow> {
	const {tasks} = snapshot;
	if (!tasks) {
		return {rows: [], allRows: 0};
	}

	const all = taskRows(tasks, since?.tasks, query.tasksBy ?? 'kind');
	const rows = filtered(all, filterOf(query.filter), {text: titleOfTasks, ticks: row => row.count});
	return {
		rows: sortRows(rows, taskColumns, query.sort),
		allRows: all.length,
		caption: captionOf(tasks, since?.tasks),
	};
}

/** Returns the title of a row's state and of its group, if any. */
export function titleOfTasks(row: TaskRow): Printable {
	const group = groupOf(row);
	return group === '' ? row.state.title : safe`${row.state.title}: ${group}`;
}

/** Returns how many tasks ended and are in each state, the probe's counters and its notes. */
function captionOf(report: TaskReport, since: TaskReport | undefined): Printable {
	const rows = taskRows(report, since, 'state');
	const ends = rows.filter(({state, count}) => state.kind === 'end' && count > 0).map(({state, count}) =>
		safe`${count} ${state.title}`);
	const now = rows.filter(row => (row.now ?? 0) > 0).map(row => safe`${row.now ?? 0} ${row.state.title}`);
	const counters = report.counters.flatMap(({name}, index) => {
		const values = report.readings.filter(({counter}) => counter === index).map(({value}) => value);
		return values.length > 0 ? [safe`${name} ${joined(values.map(value => safe`${value}`), safe` + `)}`] : [];
	});
	return joined([
		safe`Tasks (${report.probe}): ${joined([...ends, ...now], safe`, `) || 'none seen yet'}.`,
		...(counters.length > 0 ? [safe`${joined(counters, safe`; `)}.`] : []),
		...report.notes.map(note => safe`${note}.`),
	], safe` `);
}
