import {safe, type Printable} from '../util/printable.js';
import type {Arrays} from './column-types.js';
import type {
	ContentionColumns, CounterColumns, EventColumns, frameColumns, nodeColumns, RowArrays, sessionFigures,
	ThreadNumbers,
} from './schema.js';
import type {PoolReading} from './pool-reading.js';
import type {TaskReport} from './task-report.js';
import type {TraceReport} from './trace-report.js';

/**
A snapshot is everything counted up to one moment; it is immutable. A window is the difference of two snapshots of a
session.
*/

/**
Interned names, frames and stacks, append-only in a session. Ids index the arrays; entry 0 is "none" (empty string, no
frame, empty stack). Only the first `...Count` entries are valid.
*/
export type Dictionary = {
	/** The same array object in every snapshot of a session, appended to: caches use it as their key. */
	readonly strings: readonly Printable[];
	readonly frameCount: number;
	readonly nodeCount: number;
} & Readonly<Arrays<typeof frameColumns>> & Readonly<Arrays<typeof nodeColumns>>;

/** Every thread of the session, ended ones included. Counters refer to its indexes. */
export type ThreadTable = RowArrays<ThreadNumbers> & {readonly name: readonly Printable[]};

export type Counters = RowArrays<CounterColumns>;

export type Contention = RowArrays<ContentionColumns>;

export type Events = RowArrays<EventColumns>;

/** The target at the session's start. */
export type TargetInfo = {
	readonly pid: number;
	readonly mainClass: Printable;
	/** Main class or jar with its arguments, as shown in lists. */
	readonly command: Printable;
	readonly jvmVersion: Printable;
	/** Name of the VM, such as "OpenJDK 64-Bit Server VM". */
	readonly vm: Printable;
	readonly user: Printable;
	/** Epoch milliseconds; 0 if unknown. */
	readonly startedAtMs: number;
};

/** The engine, how it reads running threads (`timer`: see `engineName`), and `sessionFigures`. */
export type SessionStats =
	& {readonly engine: Printable; readonly timer: Printable}
	& {readonly [Name in keyof typeof sessionFigures]: number};

export type Snapshot = {
	readonly target: TargetInfo;
	readonly session: SessionStats;
	readonly dictionary: Dictionary;
	readonly threads: ThreadTable;
	readonly counters: Counters;
	readonly contention: Contention;
	readonly events: Events;
	readonly traces?: TraceReport;
	readonly tasks?: TaskReport;
	/** Pools as last read; undefined if the engine reads none. */
	readonly pools?: readonly PoolReading[];
};

/** Figures of the target for the header, read apart from samples; absent if they cannot be read. */
export type TargetVitals = {
	/** 100 = one core, over the time since the previous reading. */
	readonly cpuPercent?: number;
	readonly heapUsedBytes?: number;
	readonly heapCapacityBytes?: number;
	readonly heapMaxBytes?: number;
	/** The same of its generations; absent for a collector that has only one. */
	readonly youngUsedBytes?: number;
	readonly youngCapacityBytes?: number;
	readonly oldUsedBytes?: number;
	readonly oldCapacityBytes?: number;
	/** Collections since the previous reading. */
	readonly collections?: number;
	/**
	Share of the time since the previous reading for which collections stopped the program, without the time until all
	threads had stopped and without concurrent cycles.
	*/
	readonly gcPercent?: number;
	/**
	HotSpot's name of the cause of the current or last collection: `G1 Evacuation Pause`; absent before the first.
	*/
	readonly gcCause?: Printable;
	/** `cpuPercent` and `gcPercent` over at least the last five seconds, and the cause of most pauses in that time. */
	readonly recentCpuPercent?: number;
	/** CPU use of all other processes of the host in that time, 100 = one core; with what its hypervisor took. */
	readonly othersCpuPercent?: number;
	readonly recentGcPercent?: number;
	readonly recentGcCause?: Printable;
	/** The same over the last minute, or since the first reading; absent until ten seconds are known. */
	readonly minuteCpuPercent?: number;
	readonly minuteGcPercent?: number;
	/** Absent unless that cause was seen in several readings. */
	readonly minuteGcCause?: Printable;
	/**
	Java heap in use after the last collection, and by how much that figure grows, see `Growth`. All steady growths are
	over several minutes; this one is that of what collections of the old generation leave.
	*/
	readonly heapAfterGcBytes?: number;
	readonly heapGrowthBytesPerMin?: number;
	readonly heapSteadyGrowthBytesPerMin?: number;
	/** Share of the time since the previous reading in which safepoints stopped the program, collections included. */
	readonly safepointPercent?: number;
	readonly compilationsPerS?: number;
	/** Bytes that the program allocated a second, mean of the last ten seconds; absent if none were observed. */
	readonly allocBytesPerS?: number;
	readonly uptimeMs?: number;
	/** CPUs of the host, those that the process may run on, and the load average of the host over the last minute. */
	readonly hostCpus?: number;
	readonly allowedCpus?: number;
	readonly hostLoad?: number;
	/**
	Percentage of recent periods in which a CPU limit throttled a cgroup, see `CpuLimits`; absent without a limit.
	*/
	readonly throttledPercent?: number;
	/** CPU time that the cgroup's limit allows, 100 = one core; absent without a limit. */
	readonly cpuLimitPercent?: number;
	/** Percentage of the last ten seconds in which some task on this host waited for a CPU (/proc/pressure/cpu). */
	readonly cpuPressurePercent?: number;
	/** The whole process is stopped (SIGSTOP, Ctrl-Z). */
	readonly isStopped?: boolean;
	/** The control group of the process is frozen. */
	readonly isFrozen?: boolean;
	/** Threads of the process, native ones included, and by how many their number grows, see `Growth`. */
	readonly threadCount?: number;
	readonly threadGrowthPerMin?: number;
	readonly threadSteadyGrowthPerMin?: number;
	/** The most threads that there were between ten minutes and one minute ago. */
	readonly threadsBefore?: number;
	/** Metaspace in use and committed at the last collection, classes' own space included, and MaxMetaspaceSize. */
	readonly metaspaceUsedBytes?: number;
	readonly metaspaceCommittedBytes?: number;
	readonly metaspaceMaxBytes?: number;
	readonly metaspaceGrowthBytesPerMin?: number;
	readonly metaspaceSteadyGrowthBytesPerMin?: number;
	/** The part of metaspace for classes alone (compressed class space), and its size. */
	readonly classSpaceCommittedBytes?: number;
	readonly classSpaceMaxBytes?: number;
	readonly classSpaceGrowthBytesPerMin?: number;
	readonly classSpaceSteadyGrowthBytesPerMin?: number;
	/** Classes that are loaded, and how many are loaded a second since the previous reading. */
	readonly loadedClasses?: number;
	readonly classLoadsPerS?: number;
	/** Open files of the process, and the most that it may have; of these, by kind, as far as they could be read. */
	readonly openFiles?: number;
	readonly openFilesMax?: number;
	readonly openFilesGrowthPerMin?: number;
	readonly openFilesSteadyGrowthPerMin?: number;
	readonly openSockets?: number;
	readonly openPipes?: number;
	readonly openPaths?: number;
	/** What most of the open files are, `sockets to 10.0.0.5:5432` or `files in /tmp`, and how many. */
	readonly openMostly?: Printable;
	readonly openMostlyCount?: number;
	/** Threads of all processes of the cgroup, and the most that it may have; absent without a limit. */
	readonly tasks?: number;
	readonly tasksMax?: number;
	readonly tasksGrowthPerMin?: number;
	/** Memory of the cgroup that the kernel cannot reclaim, and its limit; absent without a limit. */
	readonly memoryBytes?: number;
	readonly memoryMaxBytes?: number;
	/** Memory of direct buffers, their number, and the most that they may have, once one was made. */
	readonly directBytes?: number;
	readonly directBuffers?: number;
	readonly directMaxBytes?: number;
	readonly directGrowthBytesPerMin?: number;
	readonly directSteadyGrowthBytesPerMin?: number;
	/** Direct memory may be in use, but cannot be read: a moving collector has moved what counts it. */
	readonly isDirectUnknown?: boolean;
	/** Memory of files that the program maps into buffers, and their number. */
	readonly mappedBytes?: number;
	readonly mappedBuffers?: number;
	/** Committed and reserved memory for compiled code. */
	readonly codeCacheBytes?: number;
	readonly codeCacheMaxBytes?: number;
	/** Class loaders but the boot loader, at most a minute or so ago. */
	readonly classLoaders?: number;
	/** Objects that wait for their finalizer. */
	readonly pendingFinalizers?: number;
	/** Resident memory of the process, its anonymous part, and the shared part without a file, such as ZGC's heap. */
	readonly rssBytes?: number;
	readonly rssAnonBytes?: number;
	readonly rssSharedBytes?: number;
};

/** Figures of `TargetVitals` that only an engine can read. */
export type EngineFigures = Pick<
	TargetVitals,
	| 'classLoaders'
	| 'codeCacheBytes'
	| 'codeCacheMaxBytes'
	| 'directBuffers'
	| 'directBytes'
	| 'directGrowthBytesPerMin'
	| 'directMaxBytes'
	| 'directSteadyGrowthBytesPerMin'
	| 'isDirectUnknown'
	| 'mappedBuffers'
	| 'mappedBytes'
	| 'pendingFinalizers'
>;

/** Returns the engine's label: its name and, if it has several ways to read running threads, the one in use. */
export function engineName({engine, timer}: {readonly engine: Printable; readonly timer: Printable}): Printable {
	return timer === '' ? engine : safe`${engine} (${timer})`;
}

/** Returns the feature release of a Java version: 8 for "1.8.0_504", 17 for "17.0.15"; 0 if it is not a version. */
export function featureRelease(version: string): number {
	return Number(/^(?:1\.)?(\d{1,3})(?!\d)/.exec(version)?.[1] ?? 0);
}

/** First release with virtual threads (JEP 444). */
export const firstWithVirtualThreads = 21;
