import {histogramSince, HistogramSum, type Histogram} from './histogram.js';
import {reportSince} from './records-in-window.js';
import type {ProbeCounter, TaskState} from './task-probe.js';
import type {AgentReport} from './trace-report.js';

/** Stays of tasks of one kind in one state, by one worker; for the state of an end: whole tasks. Times in nanoseconds. */
export type TaskStays = {
	/** Indexes of the report's lists. */
	readonly worker: number;
	readonly kind: number;
	readonly state: number;
	readonly count: number;
	readonly totalNs: number;
	readonly leastNs: number;
	readonly mostNs: number;
	readonly durations: Histogram;
};

/** Tasks that are in a state now, and for how long so far: all together, and the longest. */
export type TasksNow = {readonly kind: number; readonly state: number; readonly count: number; readonly sumNs: number; readonly oldestNs: number};

/** A task that has been in its state for long; `worker` is the thread that runs it, empty while none does. */
export type LongStay = {readonly kind: number; readonly state: number; readonly ageNs: number; readonly worker: string};

/** What a counter of the probe said last; `of`: whose it is, empty for one of all. */
export type CounterReading = {readonly counter: number; readonly of: string; readonly value: number};

/** The agent's newest report of tasks. */
export type AgentTaskReport = AgentReport & {
	/** Indexes of the probe's points of which the class has no such method, or is not loaded yet. */
	readonly missingPoints: readonly number[];
	readonly unloadedPoints: readonly number[];
	/** One new task in this number is followed now. */
	readonly oneIn: number;
	/** New tasks that were not followed. */
	readonly skipped: number;
	/** Tasks that nobody referred to any more before they came to an end. */
	readonly dropped: number;
	/** Events that could not be counted. */
	readonly missed: number;
	/** Paths of the probe that lead nowhere. */
	readonly faults: readonly string[];
	readonly stays: readonly TaskStays[];
	readonly now: readonly TasksNow[];
	/** The longest first. */
	readonly longest: readonly LongStay[];
	readonly readings: readonly CounterReading[];
	readonly kinds: readonly string[];
	readonly workers: readonly string[];
};

/** The same, with what the probe says of it. */
export type TaskReport = AgentTaskReport & {
	readonly probe: string;
	readonly states: readonly TaskState[];
	readonly counters: readonly ProbeCounter[];
	/** What could not be watched, a line each. */
	readonly notes: readonly string[];
	/** Tasks in each state at moments of the last minute, the oldest first. */
	readonly history: ReadonlyArray<readonly number[]>;
};

/** As the agent has it (TaskWorkers.java). */
const ended = '(ended threads)';

/**
The report of what came after `baseline`; all of it where that is of other tasks, or of none. What a worker had counted
before is part of what ended threads counted when it has ended.
*/
export function tasksInWindow(report: TaskReport, since: TaskReport | undefined): TaskReport {
	return reportSince(report, since, ['skipped', 'dropped', 'missed'], before => ({stays: staysSince(report, before)}));
}

type Then = Pick<TaskStays, 'count' | 'totalNs' | 'durations'>;

function staysSince(report: TaskReport, since: TaskReport): TaskStays[] {
	const live = new Set(report.workers);
	const before = new Map<string, Then>();
	for (const {worker, kind, state, count, totalNs, durations} of since.stays) {
		const name = since.workers[worker];
		const key = keyOf(live.has(name) ? name : ended, since.kinds[kind], state);
		const known = before.get(key);
		before.set(key, {count: count + (known?.count ?? 0), totalNs: totalNs + (known?.totalNs ?? 0), durations: known ? new HistogramSum().add(known.durations).add(durations).taken() : durations});
	}

	return report.stays.map(stays => lessThose(stays, before, keyOf(report.workers[stays.worker], report.kinds[stays.kind], stays.state))).filter(({count}) => count > 0);
}

function keyOf(worker: string, kind: string, state: number): string {
	return [state, worker, kind].join('\0');
}

/** Several workers may have one name: what the first of them has not counted is taken from the next. */
function lessThose(stays: TaskStays, before: Map<string, Then>, key: string): TaskStays {
	const then = before.get(key);
	if (!then) {
		return stays;
	}

	const less = (from: Then, than: Then): Then => ({count: Math.max(0, from.count - than.count), totalNs: Math.max(0, from.totalNs - than.totalNs), durations: histogramSince(from.durations, than.durations)});
	before.set(key, less(then, stays));
	return {...stays, ...less(stays, then)};
}
