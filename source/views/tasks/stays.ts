import {getOrCreate} from '../../model/get-or-create.js';
import type {Snapshot} from '../../model/snapshot.js';
import type {TaskReport, TaskStays} from '../../model/task-report.js';
import {DurationSum} from '../../model/histogram.js';
import {sortRows} from '../../query/columns/sort.js';
import {filtered, filterOf} from '../../query/filter/filter.js';
import type {Query} from '../../query/types/query.js';
import {groupOf, taskColumns, type TaskRow} from './columns.js';

export const taskGroupings = ['kind', 'worker', 'worker-and-kind', 'state'] as const;
export type TasksBy = (typeof taskGroupings)[number];

declare module '../../query/types/query.js' {
	interface Query {
		/** How the tasks of a state are grouped into rows; by kind of task by default. */
		readonly tasksBy?: TasksBy;
	}
}

/** Returns a row for each state and group that had tasks; if not grouped, one for each state. In the probe's order. */
export function taskRows(report: TaskReport, since: TaskReport | undefined, by: TasksBy): TaskRow[] {
	const before = sameSession(report, since);
	const seconds = Math.max(0, report.elapsedNs - (before?.elapsedNs ?? 0)) / 1e9;
	const sums = new Map<string, DurationSum>();
	for (const stays of report.stays) {
		const sum = getOrCreate(sums, keyOf(report, stays, by), () => new DurationSum());
		sum.add(stays.count, stays.totalNs, stays.durations);
		sum.extendRange(stays.leastNs, stays.mostNs, false);
	}

	// Counters only grow, but those of an ended thread pass to another: only sums of whole groups may be subtracted.
	for (const stays of before?.stays ?? []) {
		sums.get(keyOf(before!, stays, by))?.add(stays.count, stays.totalNs, stays.durations, -1);
	}

	const now = nowOf(report, by);
	const groups = by === 'state' ? report.states.map((_, index) => key(index, '', '')) : [];
	return [...new Set([...groups, ...sums.keys(), ...now.keys()])].map((rowKey): TaskRow => {
		const [stateIndex, worker, kind] = partsOf(rowKey);
		const state = report.states[stateIndex];
		const here = now.get(rowKey);
		const knowsNow = state.kind !== 'end' && !isByWorker(by);
		return {
			...(sums.get(rowKey) ?? new DurationSum()).figures(seconds), key: rowKey, state, stateIndex, worker, kind,
			now: knowsNow ? here?.count ?? 0 : undefined,
			oldestNs: knowsNow ? here?.oldestNs ?? 0 : undefined,
			longest: report.longest
				.filter(task => task.state === stateIndex && (!isByKind(by) || kind === report.kinds[task.kind]) && (!isByWorker(by) || worker === task.worker))
				.map(({kind, ageNs, worker}) => ({kind: report.kinds[kind], ageNs, worker})),
			recent: by === 'state' && state.kind !== 'end' ? report.history.map(counts => counts[stateIndex]) : [],
		};
	}).sort((a, b) => a.stateIndex - b.stateIndex);
}

function isByKind(by: TasksBy): boolean {
	return by === 'kind' || by === 'worker-and-kind';
}

function isByWorker(by: TasksBy): boolean {
	return by === 'worker' || by === 'worker-and-kind';
}

function key(state: number, worker: string, kind: string): string {
	return [state, worker, kind].join('\0');
}

/** Splits a key into state, worker and kind; only a worker's name may contain the separator. */
function partsOf(rowKey: string): [state: number, worker: string, kind: string] {
	const parts = rowKey.split('\0');
	return [Number(parts[0]), parts.slice(1, -1).join('\0'), parts.at(-1)!];
}

function keyOf(report: TaskReport, {state, kind, worker}: TaskStays, by: TasksBy): string {
	return key(state, isByWorker(by) ? report.workers[worker] : '', isByKind(by) ? report.kinds[kind] : '');
}

function nowOf({now, kinds}: TaskReport, by: TasksBy): Map<string, {count: number; oldestNs: number}> {
	const sums = new Map<string, {count: number; oldestNs: number}>();
	for (const {kind, state, count, oldestNs} of isByWorker(by) ? [] : now) {
		const rowKey = key(state, '', isByKind(by) ? kinds[kind] : '');
		const sum = sums.get(rowKey);
		sums.set(rowKey, {count: count + (sum?.count ?? 0), oldestNs: Math.max(oldestNs, sum?.oldestNs ?? 0)});
	}

	return sums;
}

/** Returns the earlier report, by default the start of a saved window; undefined if another agent session made it. */
function sameSession(report: TaskReport, since = report.since): TaskReport | undefined {
	return since?.startedAtMs === report.startedAtMs ? since : undefined;
}

/** Returns the rows of the Tasks view. In filters `ticks` are the stays. */
export function queryTasks(snapshot: Snapshot, since: Snapshot | undefined, query: Query): {readonly rows: readonly TaskRow[]; readonly allRows: number; readonly above?: string} {
	const {tasks} = snapshot;
	if (!tasks) {
		return {rows: [], allRows: 0};
	}

	const all = taskRows(tasks, since?.tasks, query.tasksBy ?? 'kind');
	const rows = filtered(all, filterOf(query.filter), {text: titleOfTasks, ticks: row => row.count});
	return {rows: sortRows(rows, taskColumns, query.sort), allRows: all.length, above: aboveOf(tasks, since?.tasks)};
}

/** Returns the title of a row's state and of its group, if any. */
export function titleOfTasks(row: TaskRow): string {
	const group = groupOf(row);
	return group === '' ? row.state.title : `${row.state.title}: ${group}`;
}

/** Returns how many tasks ended and are in each state, the probe's counters and its notes. */
function aboveOf(report: TaskReport, since: TaskReport | undefined): string {
	const rows = taskRows(report, since, 'state');
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
