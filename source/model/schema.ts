import {numbersOf, type Arrays, type Column, type Columns, type Select, type Unit} from './column-types.js';

/*
The columns of the table's rows of threads, counters and contention, and of a session. The table, samples, snapshots,
windows and saved files are derived from them (docs/internals/table.md).
*/

/** A column's value in a window: the difference of its two snapshots, or the newest value. */
type Window = 'difference' | 'newest';

/**
How a thread's row in the table is updated from a sample: with the `newest` value, the `sum`, the thread in that
`row`, or `by hand` in table/thread-writer. Columns without `sampled` are computed by the table.
*/
type Sampled = 'newest' | 'sum' | 'row' | 'by hand';

type ThreadColumn = {readonly unit: Unit; readonly sampled?: Sampled; readonly window: Window};

/** Columns of a thread in the table: its state in the newest sample that had it, and its sums over all samples. */
export const threadColumns = {
	/**
	Identifies a thread for the target's life: its Java id (java.lang.Thread.getId), or minus the native id for threads
	of the JVM itself and those whose Java id was unknown in their first sample.
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
	node: {unit: 'stack', window: 'newest'},
	/**
	Epoch ms since which it has been at this node in this state without using CPU, or blocked by the same monitor.
	*/
	sinceMs: {unit: 'moment', window: 'newest'},
	/** CPU nanoseconds: in the table, of all samples; in a sample, since the thread's previous one. */
	cpuNs: {unit: 'ns', sampled: 'sum', window: 'difference'},
	/** Nanoseconds that the thread was runnable without a CPU, counted as `cpuNs` is; a wait counts when it ends. */
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
	/** Epoch ms of the first sample with this owner, 0 before it; samples without a known owner do not reset it. */
	lockOwnerSinceMs: {unit: 'moment', window: 'newest'},
	/** If the row is of virtual threads with the same stack: their number in the newest sample; 0 for one thread. */
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
	/** Serial number of the row's thread, 0 if the row is free; a later thread in the same slot has another. */
	serial: {unit: 'count', window: 'newest'},
} as const satisfies Readonly<Record<string, ThreadColumn>>;

export const threadNumbers = numbersOf(threadColumns);

/** Columns that only a sample's rows have, not those of the table. */
export const rowColumns = {
	/** 1 if the thread was observed running at its stack, see `Sample.isObservation`. */
	isObserved: {unit: 'yesNo'},
	/** Epoch ms since which the threads have been at this stack, if the engine knows; 0: the table determines it. */
	atNodeSinceMs: {unit: 'moment'},
	/** Index of its first frame in `frames`, and the number of frames. */
	stackStart: {unit: 'index'},
	stackLength: {unit: 'index'},
	/**
	1 if thread, stack, state and lock are those of this row in the previous sample, and `cpuNs` is 0. Even so CPU time
	may be attributed to the row, and the lock may have another holder.
	*/
	isSame: {unit: 'yesNo'},
} as const satisfies Columns;

/** CPU time of the thread in a row, and the stack that used it, which may differ from its current one. */
export const attributedCpuColumns = {
	row: {unit: 'index'},
	cpuNs: {unit: 'ns'},
	/** Number of recorded samples of equal weight in it; 0 for time known without records. */
	records: {unit: 'count'},
	/** Index of its first frame in `frames`, and the number of frames. */
	stackStart: {unit: 'index'},
	stackLength: {unit: 'index'},
} as const satisfies Columns;

/** An event of the thread in a row, or the sum of some: see `eventColumns`. */
export const sampledEventColumns = {
	row: {unit: 'index'},
	kind: {unit: 'eventKind'},
	amount: {unit: 'count'},
	squares: {unit: 'count'},
	/** Index of its first frame in `frames`, and the number of frames. */
	stackStart: {unit: 'index'},
	stackLength: {unit: 'index'},
} as const satisfies Columns;

/** `key`: part of the row's key; `sum`: grows (if `isSigned`, it may fall too), and a window has the difference. */
type KeyedColumn = Column & {readonly role: 'key' | 'sum'; readonly isSigned?: boolean};
export type KeyedColumns = Readonly<Record<string, KeyedColumn>>;

/**
Ticks and CPU time by thread, stack and state. A tick is one interval as requested at the session's start; a sample
counts for the ticks since the previous sample.
*/
export const counterColumns = {
	thread: {unit: 'thread', role: 'key'},
	node: {unit: 'stack', role: 'key'},
	state: {unit: 'state', role: 'key'},
	ticks: {unit: 'ticks', role: 'sum'},
	/** The CPU time of an unattributed stack may fall, and be negative. */
	cpuNs: {unit: 'ns', role: 'sum', isSigned: true},
	/**
	Sums of squares, for `observationsOf`: of the ticks of each sample, and of the microseconds of each recorded sample
	or estimated piece of CPU time.
	*/
	squaredTicks: {unit: 'count', role: 'sum'},
	squaredUs: {unit: 'count', role: 'sum'},
} as const satisfies KeyedColumns;

/**
Returns `counterColumns.squaredUs` of CPU nanoseconds from `observations` of equal length; 0 without any. A whole
number, because recordings hold whole numbers, and their sums must equal those of the session.
*/
export function squaredUsOf(cpuNs: number, observations: number): number {
	return observations > 0 ? Math.ceil(cpuNs * cpuNs / 1e6 / observations) : 0;
}

/** Returns how many observations of equal size have this sum and this sum of squares; 0 if there are none. */
export function observationsOf(sum: number, squares: number): number {
	return sum > 0 && squares > 0 ? Math.max(1, Math.round(sum * sum / squares)) : 0;
}

/** Ticks for which a thread waited for a lock, by where it waited and by who held the lock. */
export const contentionColumns = {
	thread: {unit: 'thread', role: 'key'},
	node: {unit: 'stack', role: 'key'},
	lockKind: {unit: 'lockKind', role: 'key'},
	lockClass: {unit: 'string', role: 'key'},
	/** The thread that held the lock, its stack, and its frame that took the lock; -1 or 0 if unknown. */
	owner: {unit: 'threadOrNone', role: 'key'},
	ownerNode: {unit: 'stack', role: 'key'},
	ownerFrame: {unit: 'frame', role: 'key'},
	ticks: {unit: 'ticks', role: 'sum'},
} as const satisfies KeyedColumns;

/** Kinds of events, which are recorded on request; the index is the code in `eventColumns.kind`. */
export const eventKinds = ['alloc', 'exceptions', 'starts'] as const;
export type EventKind = (typeof eventKinds)[number];

/**
What events count for, by thread and stack. `alloc`: bytes that the thread allocated at the stack; at the stack
(unattributed) those of which no event is known, which may fall. `exceptions`: how many got a stack trace. The innermost
frame of their stack is a constructor of their class; its caller made the exception. `starts`: how many threads the
thread started, without virtual ones.
*/
export const eventColumns = {
	thread: {unit: 'thread', role: 'key'},
	node: {unit: 'stack', role: 'key'},
	kind: {unit: 'eventKind', role: 'key'},
	amount: {unit: 'count', role: 'sum', isSigned: true},
	/** Sum of the squares of what single events count for; of bytes, in units of 1000. */
	squares: {unit: 'count', role: 'sum'},
} as const satisfies KeyedColumns;

export const frameColumns = {
	frameClass: {unit: 'string'},
	frameMethod: {unit: 'string'},
	frameFile: {unit: 'string'},
	frameLine: {unit: 'line'},
} as const satisfies Columns;

/** A stack is a node of a trie: its innermost frame, and the node of its caller, whose id is always smaller. */
export const nodeColumns = {nodeParent: {unit: 'stack'}, nodeFrame: {unit: 'frame'}} as const satisfies Columns;

/** What provides a figure: the sampling loop, the table that counts, or the reader that takes a snapshot. */
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
	/** Time spent sampling, without pauses. */
	durationMs: {unit: 'ms', by: 'sampler', window: 'difference'},
	/** The part of `durationMs` up to the newest sample; CPU percentages are of this. */
	sampledMs: {unit: 'ms', by: 'sampler', window: 'difference'},
	/** Epoch ms of the newest sample; 0 before the first. */
	lastSampleAtMs: {unit: 'moment', by: 'table', window: 'newest'},
	samples: {unit: 'count', by: 'table', window: 'difference'},
	/** Sum of the ticks that each sample counted for. */
	sampleTicks: {unit: 'count', by: 'table', window: 'difference'},
	/**
	How often a thread was at another frame than in its previous sample: a move. In `movesTogether`, n threads that make
	the same move in one sample count as n squared. On average both are equal if threads move independently.
	*/
	moves: {unit: 'count', by: 'table', window: 'difference'},
	movesTogether: {unit: 'count', by: 'table', window: 'difference'},
	/** Samples that began late or were skipped, because an earlier one took long or our process had no CPU. */
	late: {unit: 'count', by: 'sampler', window: 'difference'},
	failed: {unit: 'count', by: 'sampler', window: 'difference'},
	/** Sum of the threads of each sample times its ticks: divided by `sampleTicks`, the mean number of threads. */
	threadSamples: {unit: 'count', by: 'table', window: 'difference'},
	incompleteStacks: {unit: 'count', by: 'table', window: 'difference'},
	/** Thread samples without a stack: another process traces the thread, or it did not stop in time. */
	refusedThreads: {unit: 'count', by: 'sampler', window: 'difference'},
	lateThreads: {unit: 'count', by: 'sampler', window: 'difference'},
	/** The part of `threadSamples` that is counted under "(other)" because the table was full. */
	otherTicks: {unit: 'count', by: 'table', window: 'difference'},
	targetStoppedMs: {unit: 'ms', by: 'sampler', window: 'difference'},
	/** Time that sampling took from the target's threads without stopping them; an estimate. */
	targetInterruptedMs: {unit: 'ms', by: 'sampler', window: 'difference'},
	/** Time in which events were recorded. */
	eventsMs: {unit: 'ms', by: 'sampler', window: 'difference'},
	/** Why CPU time may be unattributed: index in `unattributedReasons`. */
	unattributedReason: {unit: 'count', by: 'sampler', window: 'newest'},
	/** Virtual threads that the JDK tracks, and percentage with known stacks; 0 if unmounted ones cannot be read. */
	virtualThreads: {unit: 'count', by: 'sampler', window: 'newest'},
	virtualSeenPercent: {unit: 'count', by: 'sampler', window: 'newest'},
	/** Length of the pauses that recent samples caused in the target: median and 99th percentile. */
	pauseP50Us: {unit: 'us', by: 'sampler', window: 'newest'},
	pauseP99Us: {unit: 'us', by: 'sampler', window: 'newest'},
	/** The longest of these pauses since the session's start. */
	pauseWorstUs: {unit: 'us', by: 'sampler', window: 'newest'},
	/** CPU time of our own process in the session. */
	selfCpuMs: {unit: 'ms', by: 'reader', window: 'difference'},
	/** The interval that the limit on our own CPU time allows; the requested interval if that is longer. */
	cpuIntervalMs: {unit: 'ms', by: 'sampler', window: 'newest'},
} as const satisfies Readonly<Record<string, Figure>>;

/** From the sampler to the reader of the table only; times are by `monotonicMs`. */
export const readerFigures = {
	/** When `durationMs` had its value; 0 while it does not grow. */
	countedAtMs: {unit: 'ms', by: 'sampler'},
	/** When the next sample is due; 0 if none is. */
	nextAtMs: {unit: 'ms', by: 'sampler'},
	/** See `SnapshotSource`. */
	refreshEvery: {unit: 'count', by: 'sampler'},
} as const satisfies Readonly<Record<string, Column & {readonly by: Source}>>;

export type ThreadNumbers = typeof threadNumbers;
export type CounterColumns = typeof counterColumns;
export type ContentionColumns = typeof contentionColumns;
export type EventColumns = typeof eventColumns;

export type SampledNumber = Select<ThreadNumbers, {sampled: Sampled}>;

/** Rows of a kind as arrays. Only the first `count` of each are valid. */
export type RowArrays<C extends Columns> = {readonly count: number} & Readonly<Pick<Arrays<C>, keyof C & string>>;
