import type {Interner} from '../model/frame.js';
import type {Sample} from '../model/sample.js';
import type {Target} from '../jvm/target.js';

/** Why an engine cannot sample a target, and what to do about it; each one printable line. */
export type Refusal = {
	readonly reason: string;
	/** Empty where there is nothing to do but to take another engine, or nothing at all. */
	readonly hint: string;
	/** Another engine may do; which ones there are, whoever chooses among them adds to the hint. */
	readonly othersMayDo?: boolean;
};

/** What `probe` found: ready, or why not. */
export type Probe =
	| {
		readonly ready: true;
		readonly note?: string;
		/** What it cannot see here that every engine should: `auto` takes it only where no other engine is ready. */
		readonly lacks?: string;
	}
	| ({readonly ready: false} & Refusal);

/**
How the memory engine gets at the stacks of threads that run: by events on their CPU clocks (`perf`), or by stopping
them (`stop`).
*/
export const timerIds = ['perf', 'stop'] as const;
export type TimerId = (typeof timerIds)[number];

/** What a session takes of each sample. */
export type EngineOptions = {
	/** Frames kept of each stack, from the top; Infinity for all. */
	readonly depth: number;
	/** Counts RUNNABLE threads with these extra "Class.method" top frames as IDLE. */
	readonly extraIdle?: readonly string[];
	/** `auto`: by events where they are allowed. Left out: `stop`. */
	readonly timer?: TimerId | 'auto';
	/** Events on threads even where events on CPUs are allowed; for measuring the one against the other. */
	readonly threadEvents?: boolean;
	/** Share of their time that sampling may take of threads that run (a budget for stops is the sampler's). */
	readonly maxOverheadPercent?: number;
};

/**
Threads whose stack could not be taken, as they could not be stopped: another tracer (a debugger) holds them, or they
did not stop in time.
*/
export type SkippedThreads = {
	readonly refused: number;
	readonly late: number;
	/** The other tracer, where one was seen, such as "gdb (process 4711)"; printable. */
	readonly tracer?: string;
};

/** One sample's outcome: a bad one is a counted status, not an exception. */
export type SampleOutcome =
	| {
		readonly ok: true;
		/**
		How long the target (or the longest-held of its threads) was stopped for this sample, microseconds, and the sum
		over what counts against the budget.
		*/
		readonly pauseUs: number;
		readonly stoppedMs: number;
		/**
		What sampling took of the time of threads that run without stopping them, milliseconds as in `stoppedMs`; an
		estimate.
		*/
		readonly interruptedMs?: number;
		/** How long taking the sample took, milliseconds. */
		readonly tookMs: number;
		/** Epoch milliseconds at which the threads were looked at. */
		readonly atMs: number;
		/** None when left out. */
		readonly skipped?: SkippedThreads;
		/** Left out where anything may change at any time. */
		readonly calm?: Calm;
		/** By when the next look must come at the latest, milliseconds; Infinity, or left out, where it does not matter. */
		readonly withinMs?: number;
		/**
		For how long a thread has been doing what it is found doing, nanoseconds, if the sample before found it doing
		something else: the longest such time. None when left out.
		*/
		readonly changedNs?: number;
	}
	| {readonly ok: false; readonly reason: string; readonly tookMs: number; readonly stoppedMs: number};

/**
Why the next samples will be this one again, but for CPU time, until something changes. `rest`: nobody has run since the
sample before but threads of the JVM's own that stand at no line. `steady`: nobody but these, and threads that were
found at work at each look for a while.
*/
export type Calm = 'rest' | 'steady';

/** Thrown by `sample` when the session is over. */
export class SessionOver extends Error {
	/** True when the target ended, which is a normal end. */
	readonly targetEnded: boolean;
	readonly hint: string;
	/** As in a refusal. */
	readonly othersMayDo: boolean;

	constructor(message: string, options: {targetEnded: boolean; hint?: string; othersMayDo?: boolean}) {
		super(message);
		this.targetEnded = options.targetEnded;
		this.hint = options.hint ?? '';
		this.othersMayDo = options.othersMayDo ?? false;
	}
}

/** One engine's hold on one target. */
export type EngineSession = {
	/** How it gets at the stacks of threads that run, where there is more than one way. */
	readonly timer?: TimerId;
	/** Something to say once about how samples are got; one printable line. */
	readonly note?: string;
	/** What more the samples so far have shown of that; another printable line, which may change with a sample. */
	readonly finding?: string;
	/**
	Fills `into` (cleared first) with all threads. Throws only `SessionOver`. `isAfterGap`: what threads used since the
	sample before must come with this one, as it will count nowhere. `slots`: for how many samples this one stands,
	as so many intervals have passed since the one before.
	*/
	sample(into: Sample, isAfterGap?: boolean, slots?: number): Promise<SampleOutcome>;
	/**
	Whether the next sample would be filled as the one before was, with no CPU time, as nobody has run since; found without
	looking at any thread. Asked often at rest, so that it must cost little; never throws. Missing where that cannot be
	told.
	*/
	isStill?(): boolean;
	/**
	Has the next sample say who holds locks of java.util.concurrent, too, which others do not; the JVM walks its heap for
	it while it stands still. Left out where every sample says so, or none can.
	*/
	askForHolders?(): void;
	/**
	Gives up the sample under way where it waits for the target (it comes back soon, not ok, and ends no session) and
	resolves when no thread of the target is held, nor will be before the next sample. May be called during a sample;
	never throws.
	*/
	letGo(): Promise<void>;
	/** Lets go of the target; never throws. */
	close(): Promise<void>;
};

/**
A way to get samples, as a record: all that others need to know of it. Engines know nothing of the table, the screen or
each other, and nothing decides by an engine's id. What does the work is loaded when it is called: the records are also
read where only their ids are wanted.
*/
export type Engine = {
	/** As `--engine` takes it, and as header and reports have it. */
	readonly id: string;
	/** Time between samples where none is asked for. */
	readonly defaultIntervalMs: number;
	/** It has nothing to do with a JVM whose attach socket cannot be had. */
	readonly needsAttachSocket: boolean;
	/** Whether this engine can sample this target, found without disturbing it. */
	probe(target: Target, options?: Pick<EngineOptions, 'timer'>): Promise<Probe>;
	open(target: Target, options: EngineOptions, interner: Interner): Promise<EngineSession>;
};
