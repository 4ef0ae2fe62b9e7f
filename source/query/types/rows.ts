import type {ThreadState} from '../../model/thread-state.js';
import type {Measure} from './query.js';

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

/** A row of the Lines view: a place, and what was counted there in the window. */
export type LineRow = Location & {
	/** Stable identity of the row in a session and grouping. */
	readonly key: string;
	/** Ticks of counted states. */
	readonly selfTicks: number;
	readonly totalTicks: number;
	/** CPU nanoseconds, all states. */
	readonly selfCpuNs: number;
	readonly totalCpuNs: number;
	/** Shares in percent (0..100) of the unit's whole (for `cpu-ms` too: share of CPU time). */
	readonly selfPercent: number;
	readonly totalPercent: number;
	/** The 95 % interval of selfPercent, and half its width in percentage points. */
	readonly selfInterval: Interval;
	readonly errorPercent: number;
	/** Ticks at this place as the attributed frame, every state counted. */
	readonly states: StateTicks;
	/** Threads seen with this place as the attributed frame. */
	readonly threadCount: number;
	/** Names of the threads with the most CPU, then ticks, here; at most three. */
	readonly topThreads: readonly string[];
	/**
	Threads that stand BLOCKED here in the newest sample, and how long the longest of them has, in ms (0 when none is
	blocked); at least so long where it was blocked before the first sample.
	*/
	readonly blockedNow: number;
	readonly stuckMs: number;
	readonly stuckAtLeast: boolean;
	/**
	Threads that stand here in the newest sample and are held up by another, BLOCKED or parked for a lock; who holds most
	of them up, undefined where that is not known; and how many others do.
	*/
	readonly contendingNow: number;
	readonly holder?: string;
	readonly otherHolders: number;
	/**
	With own code first: the method beyond the program's own code that had most of the row's samples, if those were not
	the line's own. Made when asked for.
	*/
	readonly via?: Location;
	/**
	Without: the line of the program's own code by which most of the row's samples came, if it is not the row's. Made
	when asked for.
	*/
	readonly own?: Location;
};

export type LineTable = {
	/** Filtered and sorted. */
	readonly rows: readonly LineRow[];
	/** Number of rows before the filter. */
	readonly allRows: number;
	/**
	Whole that shares refer to: CPU nanoseconds and counted ticks of the samples with Java frames that the query looks
	at.
	*/
	readonly wholeCpuNs: number;
	readonly wholeTicks: number;
	/** What shares are of, where that is not what the query's unit and states say. */
	readonly measure?: Measure;
	/** What the rows are, or what most of them come from, in a sentence. */
	readonly finding?: string;
	/** Independent samples that shares of the CPU time rest on, and ticks that are one observation. */
	readonly cpuSamples: number;
	readonly ticksPerObservation: number;
};

/**
A row of the Threads view: a thread, or the threads of a pool folded into one, with what was counted of them in the
window.
*/
export type ThreadRow = {
	readonly key: string;
	/** Thread name, or the pool's name with `*` for the digits when several are folded. */
	readonly name: string;
	/** Index in the snapshot's thread table; of the busiest thread for a folded pool (0 as its native id). */
	readonly thread: number;
	/** Thread keys in the row. */
	readonly threadKeys: readonly number[];
	readonly nativeId: number;
	readonly alive: boolean;
	readonly daemon: boolean;
	/**
	A virtual thread, and the thread that carries it while it runs; or one that carries a virtual thread now. Of a pool:
	all are.
	*/
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
	/**
	Where it stands now (attributed frame), undefined without Java frames; for a folded pool where most of its threads
	stand, and how many do when not all.
	*/
	readonly now?: Location;
	readonly nowThreads?: number;
	/**
	With own code first: the method beyond the program's own code that it stands in, if it does. Without: the line of
	the program's own that it came by, if it is not the same (of a pool its busiest thread's).
	*/
	readonly via?: Location;
	readonly own?: Location;
	/** The line with the most CPU time, then counted ticks, in the window; undefined without Java frames. */
	readonly top?: Location;
	/**
	How long it has stood there without using CPU or waited for the same monitor; of the longest for a folded pool. At
	least so long where it stood there before the first sample.
	*/
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

/**
Filtered and sorted; `allRows` counts also those that the filter and `showIdle` hide, `idleRows` those that `showIdle`
alone does.
*/
export type ThreadTableRows = {readonly rows: readonly ThreadRow[]; readonly allRows: number; readonly idleRows: number};

/** Identical stacks in the same counted state, put together over all threads. */
export type StackRow = {
	readonly key: string;
	readonly ticks: number;
	readonly cpuNs: number;
	readonly state: ThreadState;
	/** Share of the unit's whole, 0..100. */
	readonly percent: number;
	readonly threadCount: number;
	/** Innermost first. Made when asked for (a getter), so that rows off the screen cost nothing. */
	readonly frames: readonly Location[];
};

/** A row of the Stacks view: identical stacks of all threads and states put together. */
export type StackHistogramRow = {
	readonly key: string;
	/** Ticks of counted states, and CPU nanoseconds of all. */
	readonly ticks: number;
	readonly cpuNs: number;
	/** Share of the unit's whole, 0..100, and half the width of its 95 % interval, percentage points. */
	readonly percent: number;
	readonly errorPercent: number;
	readonly states: StateTicks;
	readonly threadCount: number;
	/** Names of the threads with the most CPU time, then ticks, there; at most three. */
	readonly topThreads: readonly string[];
	/** The innermost frame; with own code first that of the program's own. */
	readonly top: Location;
	/** As in a `LineRow`: with own code first what that called, without it the line that it came by. */
	readonly via?: Location;
	readonly own?: Location;
	/** The frames compared, innermost first, and all of them (of the first such stack). Made when asked for. */
	readonly frames: readonly Location[];
	readonly wholeFrames: readonly Location[];
	/** MD5 of the compared frames as `frameText` prints them. Made when asked for. */
	readonly fingerprint: string;
	/** Whether a stack, by its node, is one of those that the row counts. */
	isOf(node: number): boolean;
};

/** A row of the Tree view: a place as it was reached by one path. */
export type TreeRow = Location & {
	readonly key: string;
	/** That of the row that it hangs from; undefined for a root. */
	readonly parentKey?: string;
	/** How far in it stands, by the forks on the path to it: the only callee of an only callee is not further in. */
	readonly indent: number;
	/** Rows above it on its path. */
	readonly level: number;
	readonly isOpen: boolean;
	readonly hasChildren: boolean;
	/**
	Ticks of counted states and CPU nanoseconds of samples that stand there by this path (bottom-up: only a root has
	any), and of all that came by it.
	*/
	readonly selfTicks: number;
	readonly selfCpuNs: number;
	readonly totalTicks: number;
	readonly totalCpuNs: number;
	/** Shares of the unit's whole, 0..100; the filter has no say in the whole. */
	readonly selfPercent: number;
	readonly totalPercent: number;
	/** With own code first: the method of others' code in which most of what stands there was. Made when asked for. */
	readonly via?: Location;
};

/**
A row of the Focus view: the method looked into, or a place as it was reached by one path from it. `total` and `self`
are of threads in every state (in the part `callers` nothing stands at a row), and shares are of the method's own.
*/
export type FocusRow = TreeRow & {
	/** The method and what it calls, or the method and its callers. */
	readonly part: 'calls' | 'callers';
	/** It is the method itself. */
	readonly isMethod: boolean;
	/** Threads' time by samples, milliseconds. */
	readonly wallMs: number;
	/** Half the width of the 95 % interval of `totalPercent`, percentage points. */
	readonly wallError: number;
	/** Share of the method's CPU time, and the same of that. */
	readonly cpuPercent: number;
	readonly cpuError: number;
	/** Ticks of all that came by this path. */
	readonly states: StateTicks;
};

/** `above`: what is to be read above the rows. */
export type FocusTable = {readonly rows: readonly FocusRow[]; readonly allRows: number; readonly above?: string};

/** A thread of a detail: what it did at the place looked at. Ticks are those of counted states, `states` has all. */
export type DetailThread = {readonly key: number; readonly name: string; readonly cpuNs: number; readonly ticks: number; readonly states: StateTicks};

/** A place next to the one looked at, with the samples in which it was its caller or callee. */
export type Neighbour = Location & {readonly ticks: number; readonly cpuNs: number};

/**
Who (`ownerKey` is its thread's key) held up threads with which lock, in how many of their samples (every state counted), what share (percent) of those
in which anybody did, and where it took the lock and stood meanwhile.
*/
export type Holder = Pick<LockInfo, 'kind' | 'className' | 'ownerName'> & {readonly ownerKey?: number; readonly ticks: number; readonly percent: number; readonly took: readonly HolderLocation[]; readonly now: readonly HolderLocation[]};

/** A place, and in how many of the samples it was. */
export type HolderLocation = {readonly location: Location; readonly ticks: number};

/** What Enter on a line shows. All lists: most CPU time, then ticks, first; holders by ticks; cut to a bound. */
export type LineDetail = {
	readonly threads: readonly DetailThread[];
	/** Stacks that count for the place, or, when none does, those it is in. */
	readonly stacks: readonly StackRow[];
	/**
	Who called the place (its outermost call, when it recurses), and whom it called (from its innermost). Each stack
	counts once.
	*/
	readonly callers: readonly Neighbour[];
	readonly callees: readonly Neighbour[];
	readonly holders: readonly Holder[];
};

/**
What Enter on a thread or pool shows: its hot lines, its stacks, who held it up; `callers` and `callees` are empty.
*/
export type ThreadDetail = LineDetail & {readonly lines: readonly LineRow[]};

/**
A thread of a deadlock: the class of the lock that it waits for, where it does, and where its owner, the next of the
circle, took it; what is not known is empty or undefined.
*/
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
	/** The holder is in a deadlock, and cannot let go. */
	readonly isDeadlocked: boolean;
};

/** Figures for the header. */
export type Summary = {
	/** Threads that wait for each other for good, in the newest sample. */
	readonly deadlocks: readonly Deadlock[];
	/**
	Java threads alive in the newest sample (without those of the JVM and its compilers), and how many stand in each
	state.
	*/
	readonly threads: number;
	readonly statesNow: StateTicks;
	/** Of them those that wait for a lock that another thread holds. */
	readonly contendingNow: number;
	/** Threads of the JVM and its compilers, alive in the newest sample. */
	readonly vmThreads: number;
	/**
	CPU percent (100 = one core) in the window by kind of thread: Java code, JIT compilers, the JVM's own threads.
	*/
	readonly javaCpuPercent: number;
	readonly jitCpuPercent: number;
	readonly vmCpuPercent: number;
	/** Share of the CPU time of Java threads that counts at no line, percent, and why. */
	readonly unattributed: {readonly percent: number; readonly reason: string};
	/** Milliseconds of sampling in the window (pauses left out), samples in it. */
	readonly windowMs: number;
	readonly samples: number;
};
