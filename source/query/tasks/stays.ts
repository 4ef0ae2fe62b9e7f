import {bucketCount} from '../../model/traces/report.js';
import type {TaskState} from '../../model/tasks/probe.js';
import type {TaskReport, TaskStays} from '../../model/tasks/report.js';
import {longestNs} from '../../model/traces/window.js';
import {percentileNs} from '../traces/durations.js';

/** What a row stands for within a state. */
export const taskGroupings = ['kind', 'worker', 'worker-and-kind', 'state'] as const;
export type TasksBy = (typeof taskGroupings)[number];

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
	readonly lately: readonly number[];
};

/** A task that is in its state for long; `worker` is the thread that runs it, empty while none does. */
export type LongTask = {readonly kind: string; readonly ageNs: number; readonly worker: string};

type Sums = {count: number; totalNs: number; leastNs: number; mostNs: number; readonly buckets: Float64Array};

/** States, by the groups of them that had tasks; each state once where they are not grouped. In the probe's order. */
export function taskRows(report: TaskReport, baseline: TaskReport | undefined, by: TasksBy): TaskRow[] {
	const before = sameSession(report, baseline);
	const seconds = Math.max(0, report.elapsedNs - (before?.elapsedNs ?? 0)) / 1e9;
	const sums = new Map<string, Sums>();
	for (const stays of report.stays) {
		add(sumsOf(sums, keyOf(report, stays, by)), stays, 1);
	}

	// Counters only grow, but what a thread counted is another's when it has ended: only whole groups are subtracted.
	for (const stays of before?.stays ?? []) {
		const known = sums.get(keyOf(before!, stays, by));
		if (known) {
			add(known, stays, -1);
		}
	}

	const now = nowOf(report, by);
	const groups = by === 'state' ? report.states.map((_, index) => key(index, '', '')) : [];
	return [...new Set([...groups, ...sums.keys(), ...now.keys()])].map((rowKey): TaskRow => {
		const [stateIndex, worker, kind] = partsOf(rowKey);
		const state = report.states[stateIndex];
		const here = now.get(rowKey);
		const knowsNow = state.kind !== 'end' && !isByWorker(by);
		return {
			...figuresOf(sums.get(rowKey), seconds), key: rowKey, state, stateIndex, worker, kind,
			now: knowsNow ? here?.count ?? 0 : undefined,
			oldestNs: knowsNow ? here?.oldestNs ?? 0 : undefined,
			longest: report.longest
				.filter(task => task.state === stateIndex && (!isByKind(by) || kind === report.kinds[task.kind]) && (!isByWorker(by) || worker === task.worker))
				.map(({kind, ageNs, worker}) => ({kind: report.kinds[kind], ageNs, worker})),
			lately: by === 'state' && state.kind !== 'end' ? report.history.map(counts => counts[stateIndex]) : [],
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

/** State, worker, kind of a key; nothing but a worker's name can have the separator in it. */
function partsOf(of: string): [state: number, worker: string, kind: string] {
	const parts = of.split('\0');
	return [Number(parts[0]), parts.slice(1, -1).join('\0'), parts.at(-1)!];
}

function keyOf(report: TaskReport, {state, kind, worker}: TaskStays, by: TasksBy): string {
	return key(state, isByWorker(by) ? report.workers[worker] : '', isByKind(by) ? report.kinds[kind] : '');
}

function nowOf({now, kinds}: TaskReport, by: TasksBy): Map<string, {count: number; oldestNs: number}> {
	const found = new Map<string, {count: number; oldestNs: number}>();
	for (const {kind, state, count, oldestNs} of isByWorker(by) ? [] : now) {
		const rowKey = key(state, '', isByKind(by) ? kinds[kind] : '');
		const known = found.get(rowKey);
		found.set(rowKey, {count: count + (known?.count ?? 0), oldestNs: Math.max(oldestNs, known?.oldestNs ?? 0)});
	}

	return found;
}

/** Tasks that were followed anew have nothing to do with what was counted before. */
function sameSession(report: TaskReport, baseline: TaskReport | undefined): TaskReport | undefined {
	return baseline?.startedAtMs === report.startedAtMs ? baseline : undefined;
}

function sumsOf(sums: Map<string, Sums>, key: string): Sums {
	const known = sums.get(key) ?? {
		count: 0, totalNs: 0, leastNs: Infinity, mostNs: 0, buckets: new Float64Array(bucketCount),
	};
	sums.set(key, known);
	return known;
}

function add(sums: Sums, stays: TaskStays, sign: 1 | -1): void {
	sums.count = Math.max(0, sums.count + (sign * stays.count));
	sums.totalNs = Math.max(0, sums.totalNs + (sign * stays.totalNs));
	for (const [bucket, count] of stays.buckets.entries()) {
		sums.buckets[bucket] = Math.max(0, sums.buckets[bucket] + (sign * count));
	}

	if (sign > 0) {
		sums.leastNs = Math.min(sums.leastNs, stays.leastNs);
		sums.mostNs = Math.max(sums.mostNs, stays.mostNs);
	}
}

function figuresOf(sums: Sums | undefined, seconds: number): StayFigures {
	const {count, totalNs, leastNs, mostNs, buckets} = sums ?? {
		count: 0, totalNs: 0, leastNs: 0, mostNs: 0, buckets: new Float64Array(bucketCount),
	};
	// The longest stay may have ended before the window; then its buckets say how long the longest in it may have been.
	const most = longestNs(buckets, mostNs);
	const durations = {buckets, leastNs: count > 0 ? leastNs : 0, mostNs: Math.min(most, mostNs)};
	return {
		count, totalNs,
		perS: seconds > 0 ? count / seconds : 0,
		meanNs: count > 0 ? totalNs / count : 0,
		p50Ns: percentileNs(durations, 0.5),
		p99Ns: percentileNs(durations, 0.99),
		mostNs: count > 0 ? durations.mostNs : 0,
	};
}
