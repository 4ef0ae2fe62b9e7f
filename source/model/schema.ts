import {
	numbersOf, type Arrays, type Column, type Columns, type Select, type Unit,
} from './column-types.js';

/*
What is known of a thread, a counter, a contention record and a session: table, samples, snapshots, windows and saved
files follow from it (docs/architecture.md).
*/

/** How two snapshots of a session are subtracted: counters by `difference`; else the newest value stands. */
type Window = 'difference' | 'newest';

/**
How a thread's record takes a datum over from a sample: the `newest` value, the `sum`, the thread of a `row`, or `by hand`
in table/thread-writer. Columns without are the table's own.
*/
type Sampled = 'newest' | 'sum' | 'row' | 'by hand';

/** `isAdded`: files of earlier versions do not have it. */
type ThreadColumn = {readonly unit: Unit; readonly sampled?: Sampled; readonly window: Window; readonly isAdded?: boolean};

/** Columns of a thread's record: how it stands in the newest sample that it was in, and what it used in all of them. */
export const threadColumns = {
	/**
	Identity of a thread for the target's life: its Java id (java.lang.Thread.getId), or minus the native id for
	threads of the JVM itself and those whose Java id was not known when they were first seen.
	*/
	key: {unit: 'key', sampled: 'by hand', window: 'newest'},
	/** Linux thread id as the target's own /proc/PID/task shows it on our side; 0 if not known. */
	nativeId: {unit: 'nativeId', sampled: 'newest', window: 'newest'},
	/** The thread's name, which it may change. */
	name: {unit: 'text', sampled: 'newest', window: 'newest'},
	/** Bits of `threadFlag`. */
	flags: {unit: 'flags', sampled: 'by hand', window: 'newest'},
	/** 1 while the thread was in the newest sample. */
	alive: {unit: 'yesNo', window: 'newest'},
	/** State code, see `stateCode`. */
	state: {unit: 'state', sampled: 'by hand', window: 'newest'},
	/** Where it stands. */
	node: {unit: 'stack', window: 'newest'},
	/** Since when (epoch ms) it stands at this node in this state without having used CPU, or waits for the same monitor. */
	sinceMs: {unit: 'moment', window: 'newest'},
	/** CPU nanoseconds: of a record, in all its samples; of a sample, since the thread's previous one. */
	cpuNs: {unit: 'ns', sampled: 'sum', window: 'difference'},
	/** Time that it was ready to run and had no CPU, as far as it has had one since: as `cpuNs`. */
	runDelayNs: {unit: 'ns', sampled: 'sum', window: 'difference', isAdded: true},
	/** What the thread waits for: code of `lockKinds`. */
	lockKind: {unit: 'lockKind', sampled: 'newest', window: 'newest'},
	/** String id of the class of the object it waits for; 0 if none. */
	lockClass: {unit: 'string', sampled: 'newest', window: 'newest'},
	/** The thread that holds it (in a sample: its row); -1 if none or not known. */
	lockOwner: {unit: 'threadOrNone', sampled: 'row', window: 'newest'},
	/** Frame id of the owner's frame that took the lock; 0 if not known. */
	lockOwnerFrame: {unit: 'frame', sampled: 'newest', window: 'newest'},
	/** The carrier thread of a mounted virtual thread (in a sample: its row); -1 for others. */
	carrier: {unit: 'threadOrNone', sampled: 'row', window: 'newest'},
	/** How often the lock that it waits for is held for reading, its owner the first reader; 0 if it is not, or not known. */
	lockReaders: {unit: 'count', sampled: 'newest', window: 'newest'},
	/** Since when (epoch ms) samples have found that owner, as far as they knew one; 0 before the first. */
	lockOwnerSinceMs: {unit: 'moment', window: 'newest'},
	/**
	How many threads the record stands for in the newest sample, if it is that of virtual threads with the same stack;
	0 for a single thread.
	*/
	members: {unit: 'count', sampled: 'newest', window: 'newest', isAdded: true},
	/** What it does in the system call that it waits in, as `read` or `accept`: string id, 0 if it does not or nobody looked. */
	waitKind: {unit: 'string', sampled: 'newest', window: 'newest', isAdded: true},
	/** With whom or what, or why that is not known: string id; 0 if the call does not say. */
	waitPeer: {unit: 'string', sampled: 'newest', window: 'newest', isAdded: true},
	/**
	The end of the connection whose port the kernel chose: the IPv4 address times 65,536, and the port, which is alone for
	IPv6; of a child process its id; else 0.
	*/
	waitEnd: {unit: 'count', sampled: 'newest', window: 'newest', isAdded: true},
	/** Number of the record in the order in which they were made, 0 for a free one: whose a place is. */
	serial: {unit: 'count', window: 'newest'},
} as const satisfies Readonly<Record<string, ThreadColumn>>;

/** Those that are numbers: all but the name. */
export const threadNumbers = numbersOf(threadColumns);

/** What a sample says of a thread beside the columns of its record. */
export const rowColumns = {
	/** 1 where the thread was observed running at its stack, see `Sample.isObservation`. */
	isObserved: {unit: 'yesNo'},
	/** Since when its threads are there (epoch ms), if the engine knows; 0: the table finds it out. */
	standsSinceMs: {unit: 'moment'},
	/** Where its frames begin in `frames`, and how many there are. */
	stackStart: {unit: 'index'},
	stackLength: {unit: 'index'},
	/**
	1 where nothing of this row is other than in the sample before, the newest that was handed out: the same thread in
	the same row, at the same stack, in the same state, waiting for the same lock; without any CPU time of its
	own, though some may be attributed to it. The holder of the lock may be another.
	*/
	isSame: {unit: 'yesNo'},
} as const satisfies Columns;

/** CPU time of a row's thread at the stack where it was used. The thread may be elsewhere now. */
export const attributedCpuColumns = {
	row: {unit: 'index'},
	cpuNs: {unit: 'ns'},
	/** How many recorded samples of equal weight it is the sum of; 0 for time that is known without one. */
	records: {unit: 'count'},
	/** Where its frames begin in `frames`, and how many there are. */
	stackStart: {unit: 'index'},
	stackLength: {unit: 'index'},
} as const satisfies Columns;

/** `key`: what a counter is kept for; `counter`: grows, or may fall too if `isSigned`, and is subtracted in a window. */
type KeyedColumn = Column & {readonly role: 'key' | 'counter'; readonly isSigned?: boolean};
export type KeyedColumns = Readonly<Record<string, KeyedColumn>>;

/**
Counters keyed by (thread, stack, state). A tick stands for the interval asked for at the session's start; a sample counts
for as many as the time since the one before it has.
*/
export const counterColumns = {
	thread: {unit: 'thread', role: 'key'},
	node: {unit: 'stack', role: 'key'},
	state: {unit: 'state', role: 'key'},
	ticks: {unit: 'ticks', role: 'counter'},
	/** That of unattributed CPU time may fall, and be below 0. */
	cpuNs: {unit: 'ns', role: 'counter', isSigned: true},
	/**
	Sums of the squares of the pieces that `ticks` and `cpuNs` (in microseconds) were added up of: how few observations
	they rest on. A piece is what a sample counted for; a recorded sample, or CPU time that a rule placed.
	*/
	squaredTicks: {unit: 'count', role: 'counter'},
	squaredUs: {unit: 'count', role: 'counter'},
} as const satisfies KeyedColumns;

/** `counterColumns.squaredUs` of CPU nanoseconds that were observed in `pieces` of equal length; 0 for no piece. */
export function squaredUsOf(cpuNs: number, pieces: number): number {
	return pieces > 0 ? cpuNs * cpuNs / 1e6 / pieces : 0;
}

/** How many pieces of equal size have this sum, and this sum of their squares; 0 where there are none. */
export function piecesOf(sum: number, squares: number): number {
	return sum > 0 && squares > 0 ? Math.max(1, Math.round(sum * sum / squares)) : 0;
}

/** Counters of who was held up by whom. */
export const contentionColumns = {
	thread: {unit: 'thread', role: 'key'},
	node: {unit: 'stack', role: 'key'},
	lockKind: {unit: 'lockKind', role: 'key'},
	lockClass: {unit: 'string', role: 'key'},
	/** -1 if not known. */
	owner: {unit: 'threadOrNone', role: 'key'},
	ownerNode: {unit: 'stack', role: 'key'},
	ownerFrame: {unit: 'frame', role: 'key'},
	ticks: {unit: 'ticks', role: 'counter'},
} as const satisfies KeyedColumns;

/** Names and lines of frames. */
export const frameColumns = {
	frameClass: {unit: 'string'},
	frameMethod: {unit: 'string'},
	frameFile: {unit: 'string'},
	frameLine: {unit: 'line'},
} as const satisfies Columns;

/** A stack is a node of a trie: its innermost frame, and the node of its caller, which is always smaller than its own. */
export const nodeColumns = {
	nodeParent: {unit: 'stack'},
	nodeFrame: {unit: 'frame'},
} as const satisfies Columns;

/** Who says it: the sampling loop, the table that counts, or the reader that takes a snapshot. */
type Source = 'sampler' | 'table' | 'reader';

type Figure = Column & {readonly by: Source; readonly window: Window; readonly isAdded?: boolean};

/** Figures of how the sampling itself went. Cumulative unless said otherwise. */
export const sessionFigures = {
	/** The interval asked for, and the one in force now (longer when the cost budget lowers the rate). */
	requestedIntervalMs: {unit: 'ms', by: 'sampler', window: 'newest'},
	intervalMs: {unit: 'ms', by: 'sampler', window: 'newest'},
	/** Epoch milliseconds of the session's start (of a window's, in a window) and of this snapshot. */
	startedAtMs: {unit: 'moment', by: 'sampler', window: 'newest'},
	takenAtMs: {unit: 'moment', by: 'reader', window: 'newest'},
	/**
	Time spent sampling (pauses left out); the part of it up to the newest sample, which is what CPU time is a share
	of; and when that was taken (epoch ms, 0 before the first).
	*/
	durationMs: {unit: 'ms', by: 'sampler', window: 'difference'},
	sampledMs: {unit: 'ms', by: 'sampler', window: 'difference'},
	lastSampleAtMs: {unit: 'moment', by: 'table', window: 'newest'},
	samples: {unit: 'count', by: 'table', window: 'difference'},
	/** Ticks that each sample counted for, added up. */
	sampleTicks: {unit: 'count', by: 'table', window: 'difference'},
	/**
	How often a thread was at another frame than in the sample before; and the same, where threads that make the same move
	in the same sample count as the square of their number: equal to `moves` where threads are independent.
	*/
	moves: {unit: 'count', by: 'table', window: 'difference'},
	movesTogether: {unit: 'count', by: 'table', window: 'difference'},
	late: {unit: 'count', by: 'sampler', window: 'difference'},
	failed: {unit: 'count', by: 'sampler', window: 'difference'},
	threadSamples: {unit: 'count', by: 'table', window: 'difference'},
	incompleteStacks: {unit: 'count', by: 'table', window: 'difference'},
	/** Thread samples without a stack: another tracer holds the thread, or it did not stop in time. */
	refusedThreads: {unit: 'count', by: 'sampler', window: 'difference'},
	lateThreads: {unit: 'count', by: 'sampler', window: 'difference'},
	/** Thread samples counted under "(other)" because the table was full. */
	otherTicks: {unit: 'count', by: 'table', window: 'difference'},
	targetStoppedMs: {unit: 'ms', by: 'sampler', window: 'difference'},
	/** What sampling took of the time of the target's threads without stopping them; an estimate. */
	targetInterruptedMs: {unit: 'ms', by: 'sampler', window: 'difference'},
	/** Why CPU time may be unattributed: index in `unattributedReasons`. */
	unattributedReason: {unit: 'count', by: 'sampler', window: 'newest'},
	/**
	Virtual threads that there are, as far as the JDK keeps track of them, and of how many of them the stacks were read
	or are those of their carriers, percent; 0 if those that are not mounted cannot be seen.
	*/
	virtualThreads: {unit: 'count', by: 'sampler', window: 'newest', isAdded: true},
	virtualSeenPercent: {unit: 'count', by: 'sampler', window: 'newest', isAdded: true},
	/** Length of the target's pauses, microseconds, over recent samples. */
	pauseP50Us: {unit: 'us', by: 'sampler', window: 'newest'},
	pauseP99Us: {unit: 'us', by: 'sampler', window: 'newest'},
	/** The longest since the start. */
	pauseWorstUs: {unit: 'us', by: 'sampler', window: 'newest'},
	/** CPU time of our own process in the session. */
	selfCpuMs: {unit: 'ms', by: 'reader', window: 'difference'},
	/** The interval that our own CPU time allows now; the one asked for where that is not the limit. */
	cpuIntervalMs: {unit: 'ms', by: 'sampler', window: 'newest'},
} as const satisfies Readonly<Record<string, Figure>>;

/** Times that the sampler and the reader share, on the clock of our process. */
export const clockFigures = {
	/** When `durationMs` was so long; 0 while it does not grow. */
	countedAtMs: {unit: 'ms', by: 'sampler'},
	/** When the next sample is due; 0 while none is. */
	nextAtMs: {unit: 'ms', by: 'sampler'},
} as const satisfies Readonly<Record<string, Column & {readonly by: Source}>>;

export type ThreadColumns = typeof threadColumns;
export type ThreadNumbers = typeof threadNumbers;
export type CounterColumns = typeof counterColumns;
export type ContentionColumns = typeof contentionColumns;

export type SampledNumber = Select<ThreadNumbers, {sampled: Sampled}>;

/** Records of a kind as arrays. Only the first `count` of each are valid. */
export type RecordArrays<C extends Columns> = {readonly count: number} & Readonly<Pick<Arrays<C>, keyof C & string>>;
