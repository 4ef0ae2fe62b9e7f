import type {ThreadState} from '../../model/thread-state.js';

export * from './query.js';

/** Between which percentages a share is. */
export type Interval = {readonly low: number; readonly high: number};

/** Ticks by state code, see `threadStates`. */
export type StateTicks = readonly number[];

/** A place in the code, as a group of frames. */
export type Location = {
	readonly className: string;
	/** Empty when grouped by class. */
	readonly method: string;
	readonly file: string;
	/** -1 unknown, -2 native; -1 when grouped by method or class. */
	readonly line: number;
};

/** A row of the Threads view: a thread, or a pool folded into one, with what was counted in the window. */
export type ThreadRow = {
	readonly key: string;
	/** Thread name, or the pool's name with `*` for the digits when several are folded. */
	readonly name: string;
	/** Index in the snapshot's thread table; of the busiest thread for a folded pool (0 as its native id). */
	readonly thread: number;
	readonly threadKeys: readonly number[];
	readonly nativeId: number;
	readonly alive: boolean;
	readonly daemon: boolean;
	/** A virtual thread and its carrier; or a thread that carries one now. Of a pool: all are. */
	readonly isVirtual: boolean;
	readonly carrierName?: string;
	readonly isCarrier: boolean;
	readonly vmInternal: boolean;
	/** It is there for the JVM and not for the program: a collector, a compiler, the Reference Handler. */
	readonly isOfJvm: boolean;
	/** It did nothing in the window, as it waits for work or has ended. */
	readonly isWithoutWork: boolean;
	/** State in the newest sample; undefined for a dead thread or a folded pool in several states. */
	readonly state?: ThreadState;
	readonly cpuNs: number;
	/** 100 = one core over the window. */
	readonly cpuPercent: number;
	/** Ticks by state, every state counted; and those of counted states. */
	readonly states: StateTicks;
	readonly ticks: number;
	/** Where it is now; for a pool where most of its threads are, and how many if not all. */
	readonly now?: Location;
	readonly nowThreads?: number;
	/** With own code first the method that its own line called; otherwise the own line that it came by. */
	readonly via?: Location;
	readonly own?: Location;
	/** The line with the most CPU time, then counted ticks, in the window; undefined without Java frames. */
	readonly top?: Location;
	/** For how long it has been there without using CPU, or waited for the same monitor; the longest of a pool. */
	readonly stuckMs: number;
	readonly stuckAtLeast: boolean;
	/** Who holds the lock that it waits for; of a folded pool only when all its threads wait for the same. */
	readonly waitsFor?: LockInfo;
};

export type LockInfo = {
	readonly kind: string;
	readonly className: string;
	readonly ownerName?: string;
	readonly ownerLocation?: Location;
	/** Where the owner stands now. */
	readonly ownerNow?: Location;
};

/** `allRows` counts those that the filter and `showIdle` hide too, `idleRows` those that `showIdle` alone hides. */
export type ThreadTableRows = {readonly rows: readonly ThreadRow[]; readonly allRows: number; readonly idleRows: number};

/**
Who held up threads with which lock, in how many of their samples (percent: of those in which anybody did), where it
took the lock and was meanwhile. `ownerKey` is its thread's key.
*/
export type Holder = Pick<LockInfo, 'kind' | 'className' | 'ownerName'> & {readonly ownerKey?: number; readonly ticks: number; readonly percent: number; readonly took: readonly HolderLocation[]; readonly now: readonly HolderLocation[]};

/** A place, and in how many of the samples it was. */
export type HolderLocation = {readonly location: Location; readonly ticks: number};

/** A thread of a deadlock; `ownerTookAt` is where the next of the circle took the lock. Empty: not known. */
export type DeadlockedThread = {
	/** Index in the snapshot's thread table. */
	readonly thread: number;
	readonly name: string;
	readonly lockClass: string;
	readonly at?: Location;
	readonly ownerTookAt?: Location;
};

/** Threads of which each waits for the next, and the last for the first. */
export type Deadlock = readonly DeadlockedThread[];

/** A thread that waits for a lock now, or did in the window. */
export type Waiter = {
	readonly key: number;
	readonly name: string;
	readonly nativeId: number;
	/** It waits in the newest sample: for how long, at least so long where it did before the first sample. */
	readonly isNow: boolean;
	readonly stuckMs: number;
	readonly stuckAtLeast: boolean;
	/** The program's line that asks for the lock; and for how long it waited in the window, by samples. */
	readonly at?: Location;
	readonly waitedMs: number;
};

/** A row of the Blockers view: the locks of a class that a thread holds, and whom that holds up. */
export type BlockerRow = {
	readonly key: string;
	readonly kind: string;
	readonly lockClass: string;
	/** Index of the holder in the snapshot's thread table, -1 where it is not known, and its name then empty. */
	readonly holder: number;
	readonly holderName: string;
	/** How often it is held for reading now, the holder the first of those that do; 0 if it is not, or that is not known. */
	readonly readers: number;
	readonly holderState?: ThreadState;
	/** Where the holder took it, and where it is now (the program's line): not known, or no longer alive. */
	readonly tookAt?: Location;
	readonly nowAt?: Location;
	/** Who waits now, the longest first, then who did in the window. */
	readonly waiters: readonly Waiter[];
	readonly waitingNow: number;
	/** The longest of those that wait now has so far. */
	readonly longestMs: number;
	readonly longestAtLeast: boolean;
	/** Waiting time of all threads in the window, by samples. */
	readonly waitedMs: number;
	/** 0; more for a lock whose holder waits for the one of the row above that has one less. */
	readonly depth: number;
	readonly isDeadlocked: boolean;
};

export type Summary = {
	/** Threads that wait for each other for good, in the newest sample. */
	readonly deadlocks: readonly Deadlock[];
	/** Java threads alive in the newest sample, without those of the JVM, and how many are in each state. */
	readonly threads: number;
	readonly statesNow: StateTicks;
	/** Of them those that wait for a lock that another thread holds. */
	readonly contendingNow: number;
	/** Threads of the JVM and its compilers, alive in the newest sample. */
	readonly vmThreads: number;
	/** CPU percent (100 = one core) in the window: Java code, JIT compilers, the JVM's other threads. */
	readonly javaCpuPercent: number;
	readonly jitCpuPercent: number;
	readonly vmCpuPercent: number;
	/** Share of the CPU time of Java threads that counts at no line, percent, and why. */
	readonly unattributed: {readonly percent: number; readonly reason: string};
	/** Milliseconds of sampling in the window (pauses left out), samples in it. */
	readonly windowMs: number;
	readonly samples: number;
};
