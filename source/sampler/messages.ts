import process from 'node:process';
import type {TimerId} from '../engines/engine.js';
import type {Target} from '../jvm/target.js';

/** What the worker is started with. */
export type WorkerInput = {
	readonly table: SharedArrayBuffer;
	readonly target: Target;
	/** An engine's id, or `auto`. */
	readonly engine: string;
	/** How the memory engine gets at threads that run; see `EngineOptions`. */
	readonly timer?: TimerId | 'auto';
	/** Undefined: the engine's own. */
	readonly intervalMs?: number;
	/** Frames kept of each stack, from the top; Infinity for all. */
	readonly depth: number;
	/** Globs for the names of threads that count, see `globListMatcher`; undefined for all. */
	readonly threads?: string;
	/** Share of time that the target may be stopped for sampling. */
	readonly maxOverheadPercent: number;
	/** CPU time that our own process may use, percent of a core; undefined for any. */
	readonly maxCpuPercent?: number;
	/** "Class.method" of further top frames that count as IDLE. */
	readonly extraIdle?: readonly string[];
};

/** From the main thread to the worker. */
export type Command =
	| {readonly kind: 'pause'; readonly paused: boolean}
	| {readonly kind: 'interval'; readonly intervalMs: number}
	/**
	Let go of everything of the target and hold still until `resume`: this process is about to be stopped. Answered by
	`held` with the same number.
	*/
	| {readonly kind: 'hold'; readonly number: number}
	| {readonly kind: 'resume'}
	/** See `EngineSession.askForHolders`. */
	| {readonly kind: 'holders'}
	| {readonly kind: 'stop'};

/** From the worker to the main thread. All texts are printable lines. */
export type Report =
	/** The engine holds the target. */
	| {readonly kind: 'opened'; readonly engine: string; readonly timer?: TimerId; readonly note: string; readonly canAskForHolders: boolean}
	/** What the samples have shown of how they are got, beside that note; empty for nothing (any more). */
	| {readonly kind: 'finding'; readonly finding: string}
	/** The first sample is in the table. */
	| {readonly kind: 'sampling'}
	/** A sample is in the table by which CPU time counts at a stack: the first that gives shares. */
	| {readonly kind: 'cpu'}
	/** In the newest sample a deadlock has come or is over. */
	| {readonly kind: 'deadlocks'}
	/** Nothing of the target is held, and nothing will be before `resume`. */
	| {readonly kind: 'held'; readonly number: number}
	/** Samples fail, and why; empty once they no longer do. */
	| {readonly kind: 'trouble'; readonly reason: string}
	/** Another tracer was seen at the target's threads, such as "gdb (process 4711)". */
	| {readonly kind: 'tracer'; readonly who: string}
	/** The session is over; the worker ends. */
	| {readonly kind: 'over'; readonly phase: 'ended' | 'failed'; readonly message: string; readonly hint: string};

export const shortestIntervalMs = 1;
export const longestIntervalMs = 60_000;

/** An interval within what the sampler takes. */
export function clampInterval(intervalMs: number): number {
	return intervalMs <= longestIntervalMs ? Math.max(shortestIntervalMs, intervalMs) : longestIntervalMs;
}

/**
Milliseconds of a clock that all threads of this process share (those of `performance.now()` each begin with their
thread).
*/
export function monotoneMs(): number {
	return Number(process.hrtime.bigint()) / 1e6;
}
