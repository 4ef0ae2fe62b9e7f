import type {Arrays} from './column-types.js';
import type {
	ContentionColumns, CounterColumns, frameColumns, nodeColumns, RecordArrays, sessionFigures, ThreadNumbers,
} from './schema.js';
import type {TaskReport} from './task-report.js';
import type {TraceReport} from './trace-report.js';

/**
A snapshot is everything counted up to one moment, immutable. A window is the difference of two snapshots of a session,
whose dictionary is append-only: arrays may be longer than their counts.
*/

/**
Interned names, frames and stacks. Ids index the arrays; entry 0 is "none" (empty string, no frame, empty stack). Only
the first `...Count` entries are valid.
*/
export type Dictionary = {
	/** The same array object in every snapshot of a session, appended to: caches are kept by it. */
	readonly strings: readonly string[];
	readonly frameCount: number;
	readonly nodeCount: number;
} & Readonly<Arrays<typeof frameColumns>> & Readonly<Arrays<typeof nodeColumns>>;

/** Every thread seen in the session, dead ones included; index = thread id of the counters. */
export type ThreadTable = RecordArrays<ThreadNumbers> & {readonly name: readonly string[]};

/** See `counterColumns`. */
export type Counters = RecordArrays<CounterColumns>;

/** See `contentionColumns`. */
export type Contention = RecordArrays<ContentionColumns>;

/** What is known of the target when the session starts. All strings are printable. */
export type TargetInfo = {
	readonly pid: number;
	readonly mainClass: string;
	/** Main class or jar with its arguments, as shown in lists. */
	readonly command: string;
	readonly jvmVersion: string;
	/** Name of the VM, such as "OpenJDK 64-Bit Server VM". */
	readonly vm: string;
	readonly user: string;
	/** Epoch milliseconds; 0 if not known. */
	readonly startedAtMs: number;
};

/** How the sampling itself went, see `sessionFigures`; the engine, and its way of reading running threads. */
export type SessionStats = {readonly engine: string; readonly timer: string} & {readonly [Name in keyof typeof sessionFigures]: number};

export type Snapshot = {
	readonly target: TargetInfo;
	readonly session: SessionStats;
	readonly dictionary: Dictionary;
	readonly threads: ThreadTable;
	readonly counters: Counters;
	readonly contention: Contention;
	/** What an agent in the target counted, where one is there. */
	readonly traces?: TraceReport;
	/** The same of tasks that are followed. */
	readonly tasks?: TaskReport;
};

/** What is read of the target beside the samples, for the header; undefined where it is closed to us. */
export type TargetVitals = {
	/** 100 = one core, over the time since the previous reading. */
	readonly cpuPercent?: number;
	readonly heapUsedBytes?: number;
	readonly heapCapacityBytes?: number;
	/** What the capacity may grow to. */
	readonly heapMaxBytes?: number;
	/** Share of the time since the previous reading spent in stop-the-world collections. */
	readonly gcPercent?: number;
	/** Of the last ten seconds; absent where no allocation is seen. */
	readonly allocBytesPerS?: number;
	readonly uptimeMs?: number;
	/** CPUs of the host, and threads that ran or wanted to, over the last minute. */
	readonly hostCpus?: number;
	readonly hostLoad?: number;
	/** Share of periods, percent, in which the CPU limit of a control group was used up since the previous reading; absent without one. */
	readonly throttledPercent?: number;
	/** Share of the last ten seconds, percent, in which something on this host waited for a CPU. */
	readonly cpuPressurePercent?: number;
	/** The whole process is stopped (SIGSTOP, Ctrl-Z). */
	readonly isStopped?: boolean;
};

/** The engine as it is shown: with how it gets at threads that run, where there is more than one way. */
export function engineName({engine, timer}: {readonly engine: string; readonly timer: string}): string {
	return timer === '' ? engine : `${engine} (${timer})`;
}
