import type {EngineId} from '../engines/engine.js';
import type {Target} from '../target/target.js';

/** What the worker is started with. */
export type WorkerInput = {
	readonly table: SharedArrayBuffer;
	readonly target: Target;
	readonly engine: EngineId | 'auto';
	/** Undefined: the engine's own. */
	readonly intervalMs?: number;
	/** Frames kept of each stack, from the top; Infinity for all. */
	readonly depth: number;
	/** Globs of the names of the threads that count, see `globListMatcher`; undefined for all. */
	readonly threads?: string;
	/** Share of time that the target may be stopped for sampling. */
	readonly maxOverheadPercent: number;
	/** "Class.method" of further top frames that count as IDLE. */
	readonly extraIdle?: readonly string[];
};

/** From the main thread to the worker. */
export type Command =
	| {readonly kind: 'pause'; readonly paused: boolean}
	| {readonly kind: 'interval'; readonly intervalMs: number}
	| {readonly kind: 'stop'};

/** From the worker to the main thread. All texts are printable lines. */
export type Report =
	/** The engine holds the target. */
	| {readonly kind: 'opened'; readonly engine: EngineId; readonly note: string}
	/** The first sample is in the table. */
	| {readonly kind: 'sampling'}
	/** Samples fail, and why; empty when they do no longer. */
	| {readonly kind: 'trouble'; readonly reason: string}
	/** The session is over; the worker ends. */
	| {readonly kind: 'over'; readonly phase: 'ended' | 'failed'; readonly message: string; readonly hint: string};

export const shortestIntervalMs = 1;
export const longestIntervalMs = 60_000;

/** An interval within what the sampler takes. */
export function clampInterval(intervalMs: number): number {
	return intervalMs <= longestIntervalMs ? Math.max(shortestIntervalMs, intervalMs) : longestIntervalMs;
}
