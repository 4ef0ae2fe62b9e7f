import {safe, type Printable} from '../../util/printable.js';
import type {EventKind} from '../../model/schema.js';
import type {Snapshot, TargetVitals} from '../../model/snapshot.js';
import type {ThreadState} from '../../model/thread-state.js';

/** A confidence interval of a share, percent. */
export type Interval = {readonly low: number; readonly high: number};

/** Ticks by state code, see `threadStates`. */
export type StateTicks = readonly number[];

/** A percentage, half the width of its 95 % interval, and what it is a part of. */
export type PartFigure = {
	readonly percent: number;
	readonly error: number;
	readonly of: 'a core' | 'the CPU time' | 'the ticks' | EventWhole;
};

/** A line, method or class: a group of frames. */
export type Location = {
	readonly className: Printable;
	/** Empty when grouped by class. */
	readonly method: Printable;
	readonly file: Printable;
	/**
	-1 if the code has no line numbers or is grouped by method or class, -2 for a native method, -3 for native code.
	*/
	readonly line: number;
};

/** Thread samples in the counted states, and CPU time. */
export type Weight = {readonly ticks: number; readonly cpuNs: number};

export type LockInfo = {
	readonly kind: Printable;
	readonly className: Printable;
	readonly ownerName?: Printable;
	readonly ownerTookAt?: Location;
	readonly ownerIsAt?: Location;
};

export const groupings = ['line', 'method', 'class'] as const;
export type GroupBy = (typeof groupings)[number];

/** What all events of a kind count for together. */
export const eventWholes = {
	alloc: 'the bytes allocated', exceptions: 'the exceptions', starts: 'the threads started',
} as const satisfies Readonly<Record<EventKind, string>>;
type EventWhole = (typeof eventWholes)[EventKind];

/**
What figures of CPU time are in: percent of a core (`core`), shares of the CPU time (`cpu`), or milliseconds. `ticks`:
shares of the ticks of the counted states instead. A kind of events: shares of what these count for. Views that cannot
count events then have CPU time in percent of a core.
*/
export type Unit = 'core' | 'cpu' | 'ticks' | 'cpu-ms' | EventKind;

/** The effective unit or, if that is ticks of one kind of states, that kind; see `measureOf`. */
export type Measure = Unit | 'blocked' | 'waiting';

/** Whether figures in a unit are of events, not of CPU time or ticks. */
export function isOfEvents(unit: Measure): unit is EventKind {
	return unit in eventWholes;
}

/** The states that count for ticks: `active` is RUNNABLE and BLOCKED, `waiting` WAITING and TIMED_WAITING. */
export type StateSet = 'active' | 'all' | 'blocked' | 'waiting';

export type SortOrder = {readonly column: string; readonly reverse: boolean};

/** The query common to all views; each view adds its own options in its folder. */
export interface Query {
	readonly by: GroupBy;
	readonly unit: Unit;
	/** States counted in ticks; from `StateSet` or --state. */
	readonly states: readonly ThreadState[];
	readonly filter: string;
	readonly sort: SortOrder;
	/** Keys of the threads that count; undefined for all. */
	readonly threadKeys?: ReadonlySet<number>;
	readonly showsWaitsForWork: boolean;
	/** Samples of threads that wait for work do not count. */
	readonly withoutWaitsForWork?: boolean;
	readonly fullNames: boolean;
	/** Samples count at the innermost line of the program's own code, not at the JDK's. */
	readonly ownFirst?: boolean;
	/** Samples never count at a Java method without line numbers, but at its first caller that has one. */
	readonly firstLine?: boolean;
	/** Threads of the JVM and its compilers do not count. */
	readonly javaOnly?: boolean;
	/** CPU time in native code counts there, not at the Java code that called it. */
	readonly native?: boolean;
	/** The rule for the program's own code, see `ownCode`. */
	readonly app?: readonly string[];
	/** The Lines view shows its summary, see `querySummaryLines`; undefined: plain rows. */
	readonly summary?: SummaryOptions;
	readonly baseline?: Baseline;
	/** The target's own figures at the end of the window, and in steps of the minute before, for the view of them. */
	readonly vitals?: {readonly now: TargetVitals; readonly recent: ReadonlyArray<readonly TargetVitals[]>};
	readonly tree?: TreeQuery;
}

/** Options of the Lines view for people (screen and text reports); programs that read its rows get none. */
export type SummaryOptions = {
	/** If the target uses almost no CPU, the rows are the lines where threads wait, unless the user chose states. */
	readonly showsWaits: boolean;
	/** It used almost no CPU until now: it still does with a little more, so that rows do not change to and fro. */
	readonly wasQuiet?: boolean;
	readonly vitals?: TargetVitals;
	/** Parts of the JVM's work have rows of their own, also without a filter. */
	readonly isOfEachPart?: true;
	/** Sentences name options, not keys. */
	readonly isReport?: true;
	/** The JVM can be asked for holders of locks that samples do not have. */
	readonly canAskForHolders?: boolean;
};

/** A window marked on the screen, or all of a saved file. */
export type Baseline = {
	readonly snapshot: Snapshot;
	/** Undefined: the session's start. */
	readonly since: Snapshot | undefined;
	readonly title: Printable;
};

/** Whether a row of the tree is open, open with all rows below it, or closed. */
export type Opening = 'open' | 'all' | 'closed';

export type TreeQuery = {
	readonly isBottomUp?: boolean;
	/** The key of the row that fills the Flame view's width; undefined for all of them. */
	readonly zoom?: string;
	/** By row key: rows that the user opened or closed. */
	readonly opened?: ReadonlyMap<string, Opening>;
	readonly isAllOpen?: boolean;
};

export const defaultQuery: Query = Object.freeze({
	by: 'line', unit: 'core', states: ['RUNNABLE', 'BLOCKED'], filter: safe``, sort: {column: safe`self`, reverse: false},
	showsWaitsForWork: false, fullNames: false,
} satisfies Query);

/** An observation about the program, a sentence, that matters more than any row. */
export type Finding = {
	/** The kind of finding: `deadlock`, `server`, `gc`... docs/formats.md lists them. */
	readonly id: string;
	readonly text: Printable;
	readonly figures: Readonly<Record<string, number | string>>;
	/** The line that has its threads' time in Lines, if that is not the one in `figures`. */
	readonly line?: Location;
	/** Half the width of the 95 % interval of the sampled figure, if one is sampled. */
	readonly error?: number;
	/** Whether the problem does not resolve by itself. */
	readonly isAlarm?: true;
	/** Whether something that the program needs is used up: the heap, or the CPU time that it may use. */
	readonly isAtLimit?: true;
	/** Whether the cause is outside the program, so that causes inside it come first. */
	readonly isOutside?: true;
};

/** Returns the query with CPU time instead of events. */
export function ofCpu(query: Query): Query {
	return isOfEvents(query.unit) ? {...query, unit: defaultQuery.unit} : query;
}
