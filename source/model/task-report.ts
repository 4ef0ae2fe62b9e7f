import type {Printable} from '../util/printable.js';
import type {Histogram} from './histogram.js';
import type {ProbeCounter, TaskState} from './task-probe.js';
import type {AgentReport} from './trace-report.js';

/** Times that tasks of one kind spent in one state, by one worker; in an end state, from begin to end. Nanoseconds. */
export type TaskVisits = {
	/** Indexes in the report's `workers` and `kinds` and the probe's `states`. */
	readonly worker: number;
	readonly kind: number;
	readonly state: number;
	readonly count: number;
	readonly totalNs: number;
	readonly leastNs: number;
	readonly mostNs: number;
	readonly durations: Histogram;
};

/** Number of tasks in a state now, and their time in it so far: the sum and the longest. */
export type TasksNow = {
	readonly kind: number;
	readonly state: number;
	readonly count: number;
	readonly sumNs: number;
	readonly oldestNs: number;
};

/** One of the tasks that have been in their state the longest; `worker`: name of the thread that runs it, or empty. */
export type LongVisit = {
	readonly kind: number;
	readonly state: number;
	readonly ageNs: number;
	readonly worker: Printable;
};

/** Last value of a probe's counter; `of` names the thread or object that it was read from, empty for a static one. */
export type CounterReading = {readonly counter: number; readonly of: Printable; readonly value: number};

/** The agent's newest report of tasks. */
export type AgentTaskReport = AgentReport & {
	/** Indexes of the probe's points whose class has no such method, or is not loaded yet. */
	readonly missingPoints: readonly number[];
	readonly unloadedPoints: readonly number[];
	/** One in this many new tasks is followed now, and the number of tasks that have not been followed. */
	readonly oneIn: number;
	readonly skipped: number;
	/** Number of tasks that became unreachable before they reached an end state. */
	readonly dropped: number;
	/** Number of entries and exits that were not counted, because a lock was held for too long. */
	readonly missed: number;
	/** Paths of the probe that could not be followed. */
	readonly faults: readonly Printable[];
	readonly visits: readonly TaskVisits[];
	readonly now: readonly TasksNow[];
	readonly longest: readonly LongVisit[];
	readonly readings: readonly CounterReading[];
	readonly kinds: readonly Printable[];
	readonly workers: readonly Printable[];
};

/** The agent's report with the probe's description of it. */
export type TaskReport = AgentTaskReport & {
	readonly probe: Printable;
	readonly states: readonly TaskState[];
	readonly counters: readonly ProbeCounter[];
	/** Limits of what could be watched, a line each. */
	readonly notes: readonly Printable[];
	/** Tasks in each state at moments of the last minute, the oldest first. */
	readonly history: ReadonlyArray<readonly number[]>;
	/** The report at the start of a saved window, to be subtracted. */
	readonly since?: TaskReport;
};
