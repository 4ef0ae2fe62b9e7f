import {printable, type Printable} from '../../util/printable.js';
import type {Interner, unattributedReason} from '../../model/frame.js';
import type {PoolReading} from '../../model/pool-reading.js';
import type {EventKind} from '../../model/schema.js';
import type {EngineFigures} from '../../model/snapshot.js';
import type {Sample} from '../../model/sample.js';
import type {Obstacle} from '../../jvm/obstacles.js';
import type {Target} from '../../jvm/target.js';

/** How the memory engine reads running threads: events on their CPU clocks (`perf`), or ptrace stops (`stop`). */
export const timerIds = ['perf', 'stop'] as const;
export type TimerId = (typeof timerIds)[number];

/** Why CPU time of a session may be unattributed; see model/frame. */
export type UnattributedReason = keyof typeof unattributedReason;

export type EngineOptions = {
	/** Frames kept of each stack, from the top; Infinity for all. */
	readonly depth: number;
	/** Counts RUNNABLE threads with these extra "Class.method" top frames as IDLE. */
	readonly extraIdle?: readonly string[];
	/** `auto`: perf if permitted, otherwise stop. Default: `stop`. */
	readonly timer?: TimerId | 'auto';
	/**
	Only reads: no thread is recorded or stopped, and a thread that runs Java code has no stack. Only for an engine that
	`canOnlyRead`.
	*/
	readonly onlyReads?: boolean;
	/** Opens events per thread even if events per CPU are permitted; for benchmarks. */
	readonly threadEvents?: boolean;
	/** Reads unmounted virtual threads only if there are at most this many virtual threads. Default: 0, reads none. */
	readonly maxVirtualThreads?: number;
	/**
	Returns the kind of a wait for an open file, and its peer, as string ids. Never throws. Undefined: not wanted.
	*/
	readonly fileWait?: (kind: 'read' | 'write', fd: number) => {readonly kind: number; readonly peer: number};
	/** Kinds of events to record from the start, see `EngineSession.setEvents`. */
	readonly events?: readonly EventKind[];
	/** Maximum cost of sampling, percent of running threads' time (stops have their own budget, in the sampler). */
	readonly maxOverheadPercent?: number;
};

/** Number of threads that could not be stopped: another tracer holds them, or they did not stop in time. */
type SkippedThreads = {
	readonly refused: number;
	readonly late: number;
	/** The other tracer if known, such as "gdb (process 4711)"; printable. */
	readonly tracer?: Printable;
};

/** Outcome of one sample. A failed sample is counted, not thrown. */
export type SampleOutcome =
	| {
		readonly ok: true;
		/** How long the target, or the thread held longest, was stopped. */
		readonly pauseUs: number;
		/** Stopped time that counts against the budget: of the whole target, or on average of a thread. */
		readonly stoppedMs: number;
		/** Estimated time taken from running threads without stopping them. */
		readonly interruptedMs?: number;
		/** The time that the sample's events cover; undefined or 0 without events. */
		readonly eventsMs?: number;
		/** The part of the sample's time that records of running threads took; undefined if there are none. */
		readonly recordsMs?: number;
		/** When the threads were read, epoch time. */
		readonly atMs: number;
		readonly skippedThreads?: SkippedThreads;
		/** Until a thread changes, the next samples will repeat this one, apart from CPU time. */
		readonly isSteady?: boolean;
		/** The next sample must be taken within this time; undefined or Infinity for no limit. */
		readonly nextWithinMs?: number;
		/** The engine has timers of its own: the event loop must run between samples. */
		readonly hasTimers?: boolean;
		/**
		Time since the first thread began or stopped running after the previous sample; 0 or undefined if none did.
		*/
		readonly sinceChangeNs?: number;
	}
	| {readonly ok: false; readonly reason: Printable; readonly stoppedMs: number};

/** Thrown by `sample` when the session has ended; makes its message and hint printable. */
export class SessionOver extends Error {
	/** The target ended: a normal end. */
	readonly targetEnded: boolean;
	declare readonly message: Printable;
	readonly hint: Printable;
	/** As in `Obstacle`. */
	readonly otherEnginesMayWork: boolean;

	constructor(message: string, options: {targetEnded: boolean; hint?: string; otherEnginesMayWork?: boolean}) {
		super(printable(message));
		this.targetEnded = options.targetEnded;
		this.hint = printable(options.hint ?? '');
		this.otherEnginesMayWork = options.otherEnginesMayWork ?? false;
	}
}

/** One engine attached to one target. */
export type EngineSession = {
	/** How the stacks of running threads are read, if the engine has more than one way. */
	readonly timer?: TimerId;
	/** A printable line about how samples are taken, shown once. */
	readonly note?: string;
	/** A printable line about how exact the lines of the samples so far are; may change with each sample. */
	readonly lineNote?: Printable;
	/** Why CPU time of the samples so far may be unattributed. */
	readonly unattributed?: UnattributedReason;
	/** What the events cost that are recorded, one printable line; and why those that are wanted are not recorded. */
	readonly eventsNote?: Printable;
	readonly eventsRefusal?: Printable;
	/** Number of virtual threads, and the percentage of them in samples; undefined if unknown. */
	readonly virtualThreads?: {readonly count: number; readonly readPercent: number};
	/**
	Fills `into`, cleared first, with all threads. Throws only `SessionOver`. `isAfterPause`: measure all threads' CPU
	time, as the caller discards what they used until now. `repeats`: number of intervals that this sample covers.
	*/
	sample(into: Sample, isAfterPause?: boolean, repeats?: number): Promise<SampleOutcome>;
	/**
	Returns the pools that the threads of the last sample lead to, after reading them again. Never throws. Undefined if
	the engine reads none.
	*/
	readPools?(): readonly PoolReading[];
	/** Returns figures of the target that only the engine can read. Never throws. Undefined if it reads none. */
	readFigures?(): EngineFigures;
	/** Records running threads this many times more rarely than usual. Undefined if the engine records none. */
	recordEvery?(times: number): void;
	/**
	Records events of these kinds, and no others, from the next sample on. Undefined if the engine records none.
	*/
	setEvents?(kinds: readonly EventKind[]): void;
	/**
	Makes the next sample include the owners of java.util.concurrent locks, for which the JVM walks its heap at a
	safepoint. Undefined if all samples include them, or none can.
	*/
	askForHolders?(): void;
	/**
	Cancels a sample that is waiting for the target (it returns `ok: false` without ending the session), and resolves
	when no thread of the target is held. May be called during a sample; never throws.
	*/
	release(): Promise<void>;
	/** Detaches from the target; never throws. */
	close(): Promise<void>;
};

/** One way to take samples. No other code depends on its id, and its implementation is imported on first use. */
export type Engine = {
	/** As given to `--engine` and shown in the header and in reports. */
	readonly id: string;
	readonly defaultIntervalMs: number;
	readonly needsAttachSocket: boolean;
	/** Whether it has the option `onlyReads`: then it never disturbs the target. */
	readonly canOnlyRead?: boolean;
	/** Returns why this engine cannot sample this target, undefined if it can; does not disturb the target. */
	check(target: Target, options?: Pick<EngineOptions, 'timer'>): Promise<Obstacle | undefined>;
	open(target: Target, options: EngineOptions, interner: Interner): Promise<EngineSession>;
};
