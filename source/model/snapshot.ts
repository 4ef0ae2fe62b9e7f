/**
A snapshot: everything counted up to one moment, immutable. Counters only grow, so a window, a reset or a comparison is the difference of two snapshots of one session.
The dictionary is append-only: ids mean the same in every snapshot of a session, and a later snapshot's arrays may be longer than its counts say.
*/

/** Interned names, frames and stacks. Ids index the arrays; entry 0 is "none" (empty string, no frame, empty stack). Only the first `...Count` entries are valid. */
export type Dictionary = {
	/** The same array object in every snapshot of a session, appended to: queries keep what they derive from the dictionary by it. */
	readonly strings: readonly string[];
	readonly frameCount: number;
	/** String ids. */
	readonly frameClass: Int32Array;
	readonly frameMethod: Int32Array;
	readonly frameFile: Int32Array;
	/** Line >= 0, -1 unknown, -2 native. */
	readonly frameLine: Int32Array;
	/** A stack is a node of a trie: its innermost frame, and the node of its caller. A parent's id is always smaller than its child's. */
	readonly nodeCount: number;
	readonly nodeParent: Int32Array;
	readonly nodeFrame: Int32Array;
};

/** Every thread seen in the session, dead ones included; index = thread id of the facts. */
export type ThreadTable = {
	readonly count: number;
	/** Java thread id, or minus the native id for threads of the JVM itself. */
	readonly key: Float64Array;
	readonly nativeId: Int32Array;
	/** String id. */
	readonly name: Int32Array;
	/** Bits of `threadFlag`, of the last sample. */
	readonly flags: Uint8Array;
	/** 1 while the thread was in the newest sample. */
	readonly alive: Uint8Array;
	/** State code and stack node in the last sample it was in. */
	readonly state: Uint8Array;
	readonly node: Int32Array;
	/** Since when (epoch ms) it stands at this node in this state without having used CPU, or waits for the same monitor. */
	readonly sinceMs: Float64Array;
	/** CPU nanoseconds in all its samples. */
	readonly cpuNs: Float64Array;
	/** What it waits for now: kind code, class string id, owner's thread index or -1, owner's frame that took it or 0. */
	readonly lockKind: Uint8Array;
	readonly lockClass: Int32Array;
	readonly lockOwner: Int32Array;
	readonly lockOwnerFrame: Int32Array;
	/** Thread index of the carrier of a mounted virtual thread, or -1. */
	readonly carrier: Int32Array;
};

/** Counters keyed by (thread, stack node, state). The sum of `ticks` is the number of thread samples taken. */
export type Facts = {
	readonly count: number;
	readonly thread: Int32Array;
	readonly node: Int32Array;
	readonly state: Uint8Array;
	readonly ticks: Int32Array;
	readonly cpuNs: Float64Array;
};

/** Counters of who was held up by whom, keyed by (waiting thread, its stack, lock class, owner thread, owner's stack, owner's locking frame). */
export type Contention = {
	readonly count: number;
	readonly thread: Int32Array;
	readonly node: Int32Array;
	readonly lockKind: Uint8Array;
	readonly lockClass: Int32Array;
	/** Owner's thread index or -1. */
	readonly owner: Int32Array;
	readonly ownerNode: Int32Array;
	readonly ownerFrame: Int32Array;
	readonly ticks: Int32Array;
};

/** What is known of the target when the session starts. All strings are printable. */
export type TargetFacts = {
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

/** How the sampling itself went, up to this snapshot. Cumulative unless said otherwise. */
export type SessionStats = {
	readonly engine: string;
	/** The interval asked for, and the one in force now (longer when the cost budget lowers the rate). */
	readonly requestedIntervalMs: number;
	readonly intervalMs: number;
	/** Epoch milliseconds of the session's start and of this snapshot. */
	readonly startedAtMs: number;
	readonly takenAtMs: number;
	/** Time spent sampling (pauses left out); the part of it up to the newest sample, which is what CPU time is a share of; and when that was taken (epoch ms, 0 before the first). */
	readonly durationMs: number;
	readonly sampledMs: number;
	readonly lastSampleAtMs: number;
	readonly samples: number;
	readonly late: number;
	readonly failed: number;
	readonly threadSamples: number;
	readonly incompleteStacks: number;
	/** Thread samples without a stack, as the thread could not be stopped: another tracer holds it, or it did not stop in time. */
	readonly refusedThreads: number;
	readonly lateThreads: number;
	/** Thread samples counted under "(other)" because the table was full. */
	readonly otherTicks: number;
	readonly targetStoppedMs: number;
	/** Length of the target's pauses, microseconds, over recent samples. */
	readonly pauseP50Us: number;
	readonly pauseP99Us: number;
	/** The longest since the start. */
	readonly pauseWorstUs: number;
	/** CPU time of our own process in the session. */
	readonly selfCpuMs: number;
};

export type Snapshot = {
	readonly target: TargetFacts;
	readonly session: SessionStats;
	readonly dictionary: Dictionary;
	readonly threads: ThreadTable;
	readonly facts: Facts;
	readonly contention: Contention;
};

/** What is read of the target beside the samples, for the header; undefined where it is closed to us. */
export type TargetVitals = {
	/** 100 = one core, over the time since the previous reading. */
	readonly cpuPercent?: number;
	readonly heapUsedBytes?: number;
	readonly heapCapacityBytes?: number;
	/** Share of the time since the previous reading spent in stop-the-world collections. */
	readonly gcPercent?: number;
	readonly uptimeMs?: number;
	/** The whole process is stopped (SIGSTOP, Ctrl-Z). */
	readonly isStopped?: boolean;
};
