import type {Histogram} from './histogram.js';
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
	/** The report at the start of a window that was saved: what it counted is subtracted. */
	readonly since?: TaskReport;
};
