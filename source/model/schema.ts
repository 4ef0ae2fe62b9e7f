import {numbersOf, type Arrays, type Column, type Columns, type Select, type Unit} from './column-types.js';

/*
The columns of a thread, a counter, a contention record and a session. The table, samples, snapshots, windows and saved
files are derived from them (docs/architecture.md).
*/

/** A column's value in a window: the difference of its two snapshots, or the newest value. */
type Window = 'difference' | 'newest';

/**
How a thread's record is updated from a sample: with the `newest` value, the `sum`, the record of the thread in that `row`,
or `by hand` in table/thread-writer. The table itself computes columns without it.
*/
type Sampled = 'newest' | 'sum' | 'row' | 'by hand';

type ThreadColumn = {readonly unit: Unit; readonly sampled?: Sampled; readonly window: Window};

/** Columns of a thread's record: its state in the newest sample that had it, and its sums over all samples. */
export const threadColumns = {
	/**
	Identity of a thread for the target's life: its Java id (java.lang.Thread.getId), or minus the native id for
	threads of the JVM itself and those whose Java id was unknown when they were first seen.
	*/
	key: {unit: 'key', sampled: 'by hand', window: 'newest'},
	/** Linux thread id in our PID namespace, as in /proc/PID/task; 0 if unknown. */
	nativeId: {unit: 'nativeId', sampled: 'newest', window: 'newest'},
	name: {unit: 'text', sampled: 'newest', window: 'newest'},
	/** Bits of `threadFlag`. */
	flags: {unit: 'flags', sampled: 'by hand', window: 'newest'},
	/** 1 if the thread was in the newest sample. */
	alive: {unit: 'yesNo', window: 'newest'},
	/** State code, see `stateCode`. */
	state: {unit: 'state', sampled: 'by hand', window: 'newest'},
	/** Its current stack. */
	node: {unit: 'stack', window: 'newest'},
	/** Epoch ms since which it has been at this node in this state without using CPU, or blocked by the same monitor. */
	sinceMs: {unit: 'moment', window: 'newest'},
	/** CPU nanoseconds: in a record, of all samples; in a sample, since the thread's previous one. */
	cpuNs: {unit: 'ns', sampled: 'sum', window: 'difference'},
	/** As `cpuNs`, the time that it was runnable without a CPU; a wait counts when it ends. */
	runDelayNs: {unit: 'ns', sampled: 'sum', window: 'difference'},
	/** Kind of lock that the thread waits for: code of `lockKinds`. */
	lockKind: {unit: 'lockKind', sampled: 'newest', window: 'newest'},
	/** String id of the class of the object that it waits for; 0 if none. */
	lockClass: {unit: 'string', sampled: 'newest', window: 'newest'},
	/** The thread that holds the lock (in a sample: its row); -1 if none or unknown. */
	lockOwner: {unit: 'threadOrNone', sampled: 'row', window: 'newest'},
	/** Frame id of the owner's frame that took the lock; 0 if unknown. */
	lockOwnerFrame: {unit: 'frame', sampled: 'newest', window: 'newest'},
	/** The carrier thread of a mounted virtual thread (in a sample: its row); -1 for other threads. */
	carrier: {unit: 'threadOrNone', sampled: 'row', window: 'newest'},
	/** Number of read holds on the lock that it waits for, whose first reader is the owner; 0 if none or unknown. */
	lockReaders: {unit: 'count', sampled: 'newest', window: 'newest'},
	/** Epoch ms of the first sample with this owner; samples without a known owner do not reset it; 0 before the first. */
	lockOwnerSinceMs: {unit: 'moment', window: 'newest'},
	/** Number of virtual threads with the same stack in the newest sample, if the record is theirs; 0 for one thread. */
	members: {unit: 'count', sampled: 'newest', window: 'newest'},
	/** String id of its kind of system call, such as `read` or `accept`; 0 if it is in none or was not examined. */
	waitKind: {unit: 'string', sampled: 'newest', window: 'newest'},
	/** String id of the peer or file that it waits for, or of why it is unknown; 0 if the call has none. */
	waitPeer: {unit: 'string', sampled: 'newest', window: 'newest'},
	/**
	The connection's ephemeral end: IPv4 address times 65,536 plus port, or the port alone for IPv6; the process id of a
	child process; else 0.
	*/
	waitEnd: {unit: 'count', sampled: 'newest', window: 'newest'},
	/** Serial number of the record's thread, 0 if the record is free: tells threads in a reused slot apart. */
	serial: {unit: 'count', window: 'newest'},
} as const satisfies Readonly<Record<string, ThreadColumn>>;

/** The columns of numbers: all but the name. */
export const threadNumbers = numbersOf(threadColumns);

/** Columns that a sample's rows have besides those of threads' records. */
export const rowColumns = {
	/** 1 if the thread was observed running at its stack, see `Sample.isObservation`. */
	isObserved: {unit: 'yesNo'},
	/** Epoch ms since which the row's threads have been at this stack, if the engine knows; 0: the table determines it. */
	atNodeSinceMs: {unit: 'moment'},
	/** Index of its first frame in `frames`, and the number of frames. */
	stackStart: {unit: 'index'},
	stackLength: {unit: 'index'},
	/**
	1 if the row is the same as in the previous sample: same thread, stack, state and lock, and no CPU time of its own.
	CPU time may be attributed to it, and the lock's holder may differ.
	*/
	isSame: {unit: 'yesNo'},
} as const satisfies Columns;

/** CPU time of a row's thread and the stack that used it, which may differ from its current one. */
export const attributedCpuColumns = {
	row: {unit: 'index'},
	cpuNs: {unit: 'ns'},
	/** Number of recorded samples of equal weight in it; 0 for time known without records. */
	records: {unit: 'count'},
	/** Index of its first frame in `frames`, and the number of frames. */
	stackStart: {unit: 'index'},
	stackLength: {unit: 'index'},
} as const satisfies Columns;

/** `key`: part of the key of a record; `sum`: grows (if `isSigned` may fall too) and is subtracted in a window. */
type KeyedColumn = Column & {readonly role: 'key' | 'sum'; readonly isSigned?: boolean};
export type KeyedColumns = Readonly<Record<string, KeyedColumn>>;

/**
Counters keyed by (thread, stack, state). A tick is one interval as requested at the session's start; a sample counts for
the ticks since the previous sample.
*/
export const counterColumns = {
	thread: {unit: 'thread', role: 'key'},
	node: {unit: 'stack', role: 'key'},
	state: {unit: 'state', role: 'key'},
	ticks: {unit: 'ticks', role: 'sum'},
	/** Unattributed CPU time may fall, and be negative. */
	cpuNs: {unit: 'ns', role: 'sum', isSigned: true},
	/**
	Sums of the squares of the observations that make up `ticks` and `cpuNs` (in microseconds): the ticks of a sample, a
	recorded sample, or estimated CPU time. With the sums they give the number of observations (`observationsOf`).
	*/
	squaredTicks: {unit: 'count', role: 'sum'},
	squaredUs: {unit: 'count', role: 'sum'},
} as const satisfies KeyedColumns;

/**
Returns `counterColumns.squaredUs` of CPU nanoseconds from `observations` of equal length; 0 without any. A whole number,
as recordings have it, so that their sums are the same.
*/
export function squaredUsOf(cpuNs: number, observations: number): number {
	return observations > 0 ? Math.ceil(cpuNs * cpuNs / 1e6 / observations) : 0;
}

/** Returns how many observations of equal size have this sum and this sum of squares; 0 if there are none. */
export function observationsOf(sum: number, squares: number): number {
	return sum > 0 && squares > 0 ? Math.max(1, Math.round(sum * sum / squares)) : 0;
}

/** Counters of which thread blocked which. */
export const contentionColumns = {
	thread: {unit: 'thread', role: 'key'},
	node: {unit: 'stack', role: 'key'},
	lockKind: {unit: 'lockKind', role: 'key'},
	lockClass: {unit: 'string', role: 'key'},
	/** -1 if unknown. */
	owner: {unit: 'threadOrNone', role: 'key'},
	ownerNode: {unit: 'stack', role: 'key'},
	ownerFrame: {unit: 'frame', role: 'key'},
	ticks: {unit: 'ticks', role: 'sum'},
} as const satisfies KeyedColumns;

/** Names and lines of frames. */
export const frameColumns = {
	frameClass: {unit: 'string'},
	frameMethod: {unit: 'string'},
	frameFile: {unit: 'string'},
	frameLine: {unit: 'line'},
} as const satisfies Columns;

/** A stack is a node of a trie: its innermost frame, and its caller's node, whose id is always smaller. */
export const nodeColumns = {nodeParent: {unit: 'stack'}, nodeFrame: {unit: 'frame'}} as const satisfies Columns;

/** Where a figure comes from: the sampling loop, the table that counts, or the reader that takes a snapshot. */
type Source = 'sampler' | 'table' | 'reader';

type Figure = Column & {readonly by: Source; readonly window: Window};

/** Figures of the sampling itself. Those with `difference` are cumulative. */
export const sessionFigures = {
	/** The interval requested, and the current one (longer while the cost budget lowers the rate). */
	requestedIntervalMs: {unit: 'ms', by: 'sampler', window: 'newest'},
	intervalMs: {unit: 'ms', by: 'sampler', window: 'newest'},
	/** Epoch milliseconds of the session's start (of a window's, in a window) and of this snapshot. */
	startedAtMs: {unit: 'moment', by: 'sampler', window: 'newest'},
	takenAtMs: {unit: 'moment', by: 'reader', window: 'newest'},
	/**
	Time spent sampling, without pauses; the part of it up to the newest sample, which CPU percentages relate to; and when
	that sample was taken (epoch ms, 0 before the first).
	*/
	durationMs: {unit: 'ms', by: 'sampler', window: 'difference'},
	sampledMs: {unit: 'ms', by: 'sampler', window: 'difference'},
	lastSampleAtMs: {unit: 'moment', by: 'table', window: 'newest'},
	samples: {unit: 'count', by: 'table', window: 'difference'},
	/** Sum of the ticks that each sample counted for. */
	sampleTicks: {unit: 'count', by: 'table', window: 'difference'},
	/**
	How often a thread was at another frame than in its previous sample; and the same count, but n threads that make the
	same move in the same sample count as n squared: equal to `moves` if threads are independent.
	*/
	moves: {unit: 'count', by: 'table', window: 'difference'},
	movesTogether: {unit: 'count', by: 'table', window: 'difference'},
	late: {unit: 'count', by: 'sampler', window: 'difference'},
	failed: {unit: 'count', by: 'sampler', window: 'difference'},
	threadSamples: {unit: 'count', by: 'table', window: 'difference'},
	incompleteStacks: {unit: 'count', by: 'table', window: 'difference'},
	/** Thread samples without a stack: another process traces the thread, or it did not stop in time. */
	refusedThreads: {unit: 'count', by: 'sampler', window: 'difference'},
	lateThreads: {unit: 'count', by: 'sampler', window: 'difference'},
	/** Thread samples counted under "(other)" because the table was full. */
	otherTicks: {unit: 'count', by: 'table', window: 'difference'},
	targetStoppedMs: {unit: 'ms', by: 'sampler', window: 'difference'},
	/** Time that sampling took from the target's threads without stopping them; an estimate. */
	targetInterruptedMs: {unit: 'ms', by: 'sampler', window: 'difference'},
	/** Why CPU time may be unattributed: index in `unattributedReasons`. */
	unattributedReason: {unit: 'count', by: 'sampler', window: 'newest'},
	/**
	Number of virtual threads that the JDK tracks, and the percentage of them whose stacks were read or are those of their
	carriers; 0 if unmounted ones cannot be read.
	*/
	virtualThreads: {unit: 'count', by: 'sampler', window: 'newest'},
	virtualSeenPercent: {unit: 'count', by: 'sampler', window: 'newest'},
	/** Length of the target's pauses that recent samples caused. */
	pauseP50Us: {unit: 'us', by: 'sampler', window: 'newest'},
	pauseP99Us: {unit: 'us', by: 'sampler', window: 'newest'},
	/** The longest since the start. */
	pauseWorstUs: {unit: 'us', by: 'sampler', window: 'newest'},
	/** CPU time of our own process in the session. */
	selfCpuMs: {unit: 'ms', by: 'reader', window: 'difference'},
	/** The interval that the limit on our own CPU time allows; the requested one if that is not the limit. */
	cpuIntervalMs: {unit: 'ms', by: 'sampler', window: 'newest'},
} as const satisfies Readonly<Record<string, Figure>>;

/** Times on our process's clock, from the sampler to the reader. */
export const clockFigures = {
	/** When `durationMs` was read; 0 while it does not grow. */
	countedAtMs: {unit: 'ms', by: 'sampler'},
	/** When the next sample is due; 0 if none is. */
	nextAtMs: {unit: 'ms', by: 'sampler'},
} as const satisfies Readonly<Record<string, Column & {readonly by: Source}>>;

export type ThreadColumns = typeof threadColumns;
export type ThreadNumbers = typeof threadNumbers;
export type CounterColumns = typeof counterColumns;
export type ContentionColumns = typeof contentionColumns;

export type SampledNumber = Select<ThreadNumbers, {sampled: Sampled}>;

/** Records of a kind as arrays. Only the first `count` of each are valid. */
export type RecordArrays<C extends Columns> = {readonly count: number} & Readonly<Pick<Arrays<C>, keyof C & string>>;
