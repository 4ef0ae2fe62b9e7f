import type {Printable} from '../util/printable.js';
import type {EngineOptions, TimerId} from '../engines/common/engine.js';
import type {EventKind} from '../model/schema.js';
import type {EngineFigures} from '../model/snapshot.js';
import type {SourceStatus} from '../model/source.js';
import type {PoolReading} from '../model/pool-reading.js';
import type {Target} from '../jvm/target.js';

export type SamplingLimits = {
	/** Undefined: the engine's default. */
	readonly intervalMs?: number;
	/** The time that the target may be stopped, percent. */
	readonly maxOverheadPercent: number;
	/** CPU time that our own process may use, percent of a core; undefined for no limit. */
	readonly maxCpuPercent?: number;
};

/** What the worker starts with. `engine`: an engine's id, or `auto`. */
export type WorkerInput =
	& SamplingLimits
	& Pick<EngineOptions, 'depth' | 'extraIdle' | 'timer' | 'maxVirtualThreads' | 'events'>
	& {
		readonly table: SharedArrayBuffer;
		readonly target: Target;
		readonly engine: string;
		/** Whether to read what threads wait for in system calls. */
		readonly waits?: boolean;
		/** Globs for the names of the threads that count (see `globListMatcher`); undefined for all. */
		readonly threads?: string;
	};

/** From the main thread to the worker. */
export type Command =
	| {readonly kind: 'pause'; readonly paused: boolean}
	/** Release the target, take no samples until `resume`: we are about to be suspended. `held` answers it. */
	| {readonly kind: 'hold'; readonly number: number}
	| {readonly kind: 'resume'}
	/** See `EngineSession.askForHolders`. */
	| {readonly kind: 'holders'}
	/** See `EngineSession.setEvents`. */
	| {readonly kind: 'events'; readonly kinds: readonly EventKind[]}
	| {readonly kind: 'stop'};

/** The parts of the session's status that the worker reports; absent if unchanged. */
export type StatusChange = Pick<
	Partial<SourceStatus>, 'note' | 'lineNote' | 'tracer' | 'hasCpu' | 'canAskForHolders' | 'eventsNote' | 'eventsRefusal'
>;

/** From the worker to the main thread. All texts are printable lines. */
export type Report =
	| {readonly kind: 'opened'; readonly engine: Printable; readonly timer?: TimerId}
	/** The first sample is in the table. */
	| {readonly kind: 'sampling'}
	| {readonly kind: 'status'; readonly status: StatusChange}
	/** Pools, read again about once a second. */
	| {readonly kind: 'pools'; readonly pools: readonly PoolReading[]}
	/** Figures of the target that the engine has read, about once a second. */
	| {readonly kind: 'figures'; readonly figures: EngineFigures}
	/** Answers a `hold`: the target is released. */
	| {readonly kind: 'held'; readonly number: number}
	/** The session has ended, and so does the worker. */
	| {readonly kind: 'over'; readonly phase: 'ended' | 'failed'; readonly message: Printable; readonly hint: Printable};
