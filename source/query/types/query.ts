import type {Snapshot, TargetVitals} from '../../model/snapshot.js';
import type {ThreadState} from '../../model/thread-state.js';

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

export type LockInfo = {
	readonly kind: string;
	readonly className: string;
	readonly ownerName?: string;
	readonly ownerLocation?: Location;
	/** Where the owner stands now. */
	readonly ownerNow?: Location;
};

export const groupings = ['line', 'method', 'class'] as const;
export type GroupBy = (typeof groupings)[number];

/** What shares are of: CPU time, or ticks of the counted states; `cpu-ms` shows milliseconds instead. */
export type Unit = 'cpu' | 'ticks' | 'cpu-ms';

/** What shares are of: the unit in force, and where that is ticks, of which states, see `measureOf`. */
export type Measure = Unit | 'blocked' | 'waiting';

/** Which states count for ticks: `active` is RUNNABLE and BLOCKED, `waiting` WAITING and TIMED_WAITING. */
export type StateSet = 'active' | 'all' | 'blocked' | 'waiting';

export type SortOrder = {readonly column: string; readonly reverse: boolean};

/** What is asked of all views; each view adds its own options in its folder. */
export interface Query {
	readonly by: GroupBy;
	readonly unit: Unit;
	/** States counted in ticks; from `StateSet` or --state. */
	readonly states: readonly ThreadState[];
	readonly filter: string;
	readonly sort: SortOrder;
	/** Thread keys looked at; undefined for all. */
	readonly threadKeys?: ReadonlySet<number>;
	/** Threads that only idle are shown in the Threads view. */
	readonly showIdle: boolean;
	readonly fullNames: boolean;
	/** A sample counts for the first line of the program's own code instead of the JDK's; off when left out. */
	readonly ownFirst?: boolean;
	/** Threads of the JVM and its compilers are left out; off when left out. */
	readonly javaOnly?: boolean;
	/** CPU time in native code counts there, not at the Java code that called it; off when left out. */
	readonly native?: boolean;
	/** What the program's own code is, see `ownCode`. */
	readonly app?: readonly string[];
	/** The Lines view shows what a person looks at, see `querySummaryLines`; off when left out. */
	readonly summary?: SummaryOptions;
	/** What the Changes view compares with; undefined: nothing yet. */
	readonly baseline?: Baseline;
	/** How the Tree view stands; top-down and as it opens by itself when left out. */
	readonly tree?: TreeQuery;
}

/** What the Lines view does for people, and for no program that reads its rows. */
export type SummaryOptions = {
	/** Where next to no CPU is used, its rows are where threads wait: nobody asked for certain states. */
	readonly showsWaits: boolean;
	/** What is known of the target beside the snapshot, where there is something to ask. */
	readonly vitals?: TargetVitals;
	/** The JVM can be asked who holds locks that samples say nothing of. */
	readonly canAskForHolders?: boolean;
};

/** A window that was marked on the screen, or all of a saved file. */
export type Baseline = {
	readonly snapshot: Snapshot;
	/** Undefined: its session's start. */
	readonly since: Snapshot | undefined;
	readonly title: string;
};

/** Whether a row of the tree is open: alone, with all below it, or not. */
export type Opening = 'open' | 'all' | 'closed';

export type TreeQuery = {
	/** From hot lines to their callers, instead of from the threads' roots to what they call. */
	readonly isBottomUp?: boolean;
	/** By a row's key, for those that do not stand as they do by themselves. */
	readonly opened?: ReadonlyMap<string, Opening>;
	/** All rows are open, also those that were closed one by one. */
	readonly isAllOpen?: boolean;
};

/** How a view starts: lines by their share of CPU time, highest first, RUNNABLE and BLOCKED counted. */
export const defaultQuery: Query = Object.freeze({
	by: 'line', unit: 'cpu', states: ['RUNNABLE', 'BLOCKED'], filter: '', sort: {column: 'self', reverse: false}, showIdle: false, fullNames: false,
} satisfies Query);

/** Something about the program that matters more than any row, in a sentence. */
export type Finding = {
	/** What kind of thing it is: `deadlock`, `server`, `gc`... docs/formats.md has them all. */
	readonly id: string;
	readonly text: string;
	/** The figures that it rests on; none of them is sampled. */
	readonly figures: Readonly<Record<string, number | string>>;
	/** It does not pass by itself. */
	readonly isAlarm?: true;
};
