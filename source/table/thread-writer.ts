import {namesOf, select, units, type ColumnArray} from '../model/column-types.js';
import {endedThreadsKey, endedThreadsName, threadFlag, unknownThreadKey, type Sample} from '../model/sample.js';
import {threadNumbers} from '../model/schema.js';
import {stateCode} from '../model/thread-state.js';
import {elide, matchesKernelName, type Printable} from '../util/printable.js';
import {otherName, otherNode, threadRowColumns} from './table-layout.js';
import type {SlabColumn, TableViews} from './views.js';

/** Key of the pseudo thread "(other)": Java ids begin at 1, and threads of the JVM itself have negative keys. */
export const otherThreadKey = 0;

/**
Fractions of all rows of threads: at most this many are of ended ones, and at least this many are free for new ones.
*/
const maxEndedFraction = 1 / 4;
const minFreeFraction = 1 / 8;

/** Fraction of all rows that is freed at a time. */
const batchFraction = 1 / 16;
/** If room is short, the rows of all ended threads are freed, provided that they are more than this fraction. */
const minBatchFraction = 1 / 256;

/** Base of the keys of free rows, which differ from each other and from all threads' keys. */
const freeKeyBase = -(2 ** 40);

/**
Maximum CPU time between two samples of a thread that counts as blocked throughout. Up to JDK 23 one of the threads that
wait for a monitor wakes up at growing intervals, up to a second, to check whether it is free (ObjectMonitor::EnterI). A
check takes 20 to 50 us; samples may be seconds apart.
*/
const maxMonitorChecksNs = 1e6;

const newestColumns = select(threadNumbers, {sampled: 'newest'});
const summedColumns = select(threadNumbers, {sampled: 'sum'});
const rowColumns = select(threadNumbers, {sampled: 'row'});

/**
Writes the table's rows of threads. In this file a *thread* is the index of such a row, and a *row* is one of a sample.
*/
export class ThreadWriter {
	count = 0;
	/** The pseudo thread "(other)", added when the table is first full; -1 before. */
	other = -1;
	readonly #views: TableViews;
	readonly #threadByKey = new Map<number, number>();
	/** By thread: number of the last sample that had it (for a new thread, of the sample before); -1 if free. */
	readonly #lastSample: number[] = [];
	/** By thread. */
	readonly #names: string[] = [];
	/** Serial number of the newest name. */
	#nameSerial = 0;
	/** By thread: the last known holder of the lock that it waits for; -1 before the first. */
	#lastOwner: number[] = [];
	/** Ended threads, the earliest first; if `#lastSample` differs, the thread has reappeared since. */
	#endedThreads: Array<{readonly thread: number; readonly lastSample: number}> = [];
	readonly #free: number[] = [];
	/** New threads that are not in the table yet. */
	readonly #pending: Array<{readonly thread: number; readonly key: number}> = [];
	#serial = 0;
	#sampleNumber = 0;
	/** Epoch time of the newest sample. */
	#atMs = 0;

	constructor(views: TableViews) {
		this.#views = views;
	}

	/** Returns the thread of a key, added if absent (`beginSample` writes it); in a full table, "(other)". */
	threadOf(id: number): number {
		// A thread whose id still reads 0 is unknown: it must not count as "(other)".
		const key = id === otherThreadKey ? unknownThreadKey : id;
		const found = this.#threadByKey.get(key);
		if (found !== undefined) {
			return found;
		}

		// The last rows of the table are reserved for "(other)" and ended threads.
		const reserved
			= [otherThreadKey, endedThreadsKey].filter(last => last !== key && !this.#threadByKey.has(last)).length;
		const hasRoom = this.#free.length > 0 || this.#views.growFor('threads', this.count + reserved);
		return hasRoom ? this.#add(key) : this.threadOfOther();
	}

	get #capacity(): number {
		return this.#views.shape.threads * this.#views.shape.maxSlabs;
	}

	/** Returns the thread "(other)", added if absent. */
	threadOfOther(): number {
		if (this.other < 0) {
			this.other = this.#add(otherThreadKey);
		}

		return this.other;
	}

	/** Begins a sample taken at `atMs` (epoch). The lock must be held from here to `endSample`. */
	beginSample(atMs: number): void {
		this.#flush();
		this.#sampleNumber++;
		this.#atMs = atMs;
	}

	/**
	Writes a thread's stack and state, and since when it has been there. `lockOwner`: the thread that blocks it, or -1.
	`isCounted`: whether its name is not excluded. Returns its stack in the previous sample; -1 if it was not in that
	sample, or is "(other)".
	*/
	// eslint-disable-next-line max-params -- It is called for each thread: an object would be made each time.
	write(thread: number, sample: Sample, row: number, node: number, lockOwner: number, isCounted: boolean): number {
		const {threads} = this.#views.regions;
		const cpuNs = sample.cpuNs[row];
		const state = sample.state[row];
		// A new thread has no `sinceMs` yet.
		const wasInPrevious = this.#lastSample[thread] >= this.#sampleNumber - 1 && threads.sinceMs.get(thread) > 0;
		const nodeBefore = wasInPrevious && thread !== this.other ? threads.node.get(thread) : -1;
		let unmovedFlag = threads.flags.get(thread) & threadFlag.unmovedSinceStart;
		const hasMoved = !wasInPrevious || threads.node.get(thread) !== node || threads.state.get(thread) !== state;
		if (hasMoved || (cpuNs > 0 && !this.#isStillBlocked(thread, sample, row, lockOwner))) {
			threads.sinceMs.set(thread, this.#atMs);
			unmovedFlag = this.#sampleNumber === 1 ? threadFlag.unmovedSinceStart : 0;
		}

		if (sample.atNodeSinceMs[row] > 0) {
			threads.sinceMs.set(thread, sample.atNodeSinceMs[row]);
		}

		threads.node.set(thread, thread === this.other ? otherNode : node);
		threads.state.set(thread, state);
		if (thread !== this.other) {
			const renamedFlag = threads.flags.get(thread) & threadFlag.renamed;
			threads.flags.set(thread, sample.flags[row] | unmovedFlag | renamedFlag);
		}

		threads.alive.set(thread, isCounted ? 1 : 0);
		this.keep(thread);
		return nodeBefore;
	}

	/** Notes that a thread is in the sample, unchanged since the previous one. */
	keep(thread: number): void {
		this.#lastSample[thread] = this.#sampleNumber;
	}

	/**
	Ends a sample: updates the other columns of its threads, and marks the threads of the previous sample that are not
	in it as ended. `threadOf`: each row's thread, or -1; `counterOf`: each row's counter, below 0 if it does not count;
	`changedRows`: those that differ from the previous sample.
	*/
	endSample(sample: Sample, threadOf: Int32Array, counterOf: Int32Array, changedRows: Int32Array): void {
		this.#updateColumns(sample, threadOf, counterOf, changedRows);
		const {threads} = this.#views.regions;
		for (let thread = 0; thread < this.count; thread++) {
			if (this.#lastSample[thread] === this.#sampleNumber - 1) {
				this.#endedThreads.push({thread, lastSample: this.#lastSample[thread]});
				threads.alive.set(thread, 0);
				threads.lockKind.set(thread, 0);
				threads.lockOwner.set(thread, -1);
			}
		}
	}

	/**
	Frees ended threads, the earliest first, if there are many, or threads or counters (`isShort`) are running out.
	Returns by thread whether it was freed (1), and the thread that takes over their sums; undefined if
	none was freed. The lock must be held, after a sample has ended.
	*/
	freeEnded({isShort}: {readonly isShort: boolean}): {
		readonly isFreed: Uint8Array;
		readonly into: number;
	} | undefined {
		const capacity = this.#capacity;
		const isFull = isShort || capacity - this.count + this.#free.length <= capacity * minFreeFraction;
		const maxEnded = capacity * (isFull ? minBatchFraction : maxEndedFraction);
		if (this.#endedThreads.length <= maxEnded) {
			return undefined;
		}

		// Drop threads that have reappeared.
		this.#endedThreads = this.#endedThreads.filter(({thread, lastSample}) =>
			this.#lastSample[thread] === lastSample);
		if (this.#endedThreads.length <= maxEnded) {
			return undefined;
		}

		const into = this.threadOf(endedThreadsKey);
		this.#flush();
		const isFreed = new Uint8Array(this.count);
		const batch = isFull ? this.#endedThreads.length : capacity * batchFraction;
		for (const {thread} of this.#endedThreads.splice(0, batch)) {
			if (thread !== into && thread !== this.other) {
				isFreed[thread] = 1;
			}
		}

		this.#freeThreads(isFreed, into);
		return {isFreed, into};
	}

	/** Updates the columns that the schema says how to update from a sample, column by column. */
	#updateColumns(sample: Sample, threadOf: Int32Array, counterOf: Int32Array, changedRows: Int32Array): void {
		const {threads} = this.#views.regions;
		const rows: Rows = {count: sample.count, changedRows, threadOf, counterOf, other: this.other};
		for (const name of newestColumns) {
			copyNewest(threads[name], sample[name], rows);
		}

		this.#copyNames(sample.name, rows);
		for (const name of summedColumns) {
			addValues(threads[name], sample[name], rows);
		}

		for (const name of rowColumns) {
			copyAsThreads(threads[name], sample[name], rows);
		}

		this.#updateOwnersSince(sample, rows);
	}

	#updateOwnersSince({lockOwner}: Sample, {count, threadOf}: Rows): void {
		const {lockOwnerSinceMs} = this.#views.regions.threads;
		for (let row = 0; row < count; row++) {
			const thread = threadOf[row];
			if (lockOwner[row] >= 0 && thread >= 0 && this.#lastOwner[thread] !== threadOf[lockOwner[row]]) {
				this.#lastOwner[thread] = threadOf[lockOwner[row]];
				lockOwnerSinceMs.set(thread, this.#atMs);
			}
		}
	}

	#copyNames(from: readonly Printable[], {changedRows, threadOf, other}: Rows): void {
		for (const row of changedRows) {
			const thread = threadOf[row];
			if (thread >= 0 && thread !== other) {
				this.#setName(thread, from[row]);
			}
		}
	}

	/**
	Whether a thread that used CPU has been blocked throughout: lock and holder, if known, are the same, and it used no
	more CPU time than its checks of the lock take.
	*/
	#isStillBlocked(thread: number, sample: Sample, row: number, lockOwner: number): boolean {
		const {lockKind, lockClass, lockOwner: lastOwner} = this.#views.regions.threads;
		return sample.state[row] === stateCode.BLOCKED && sample.cpuNs[row] <= maxMonitorChecksNs
			&& lockKind.get(thread) === sample.lockKind[row]
			&& mayBeSame(lockClass.get(thread), sample.lockClass[row], 0)
			&& mayBeSame(lastOwner.get(thread), lockOwner, -1);
	}

	#freeThreads(isFreed: Uint8Array, into: number): void {
		const {threads} = this.#views.regions;
		this.#setName(into, endedThreadsName);
		for (const [thread, flag] of isFreed.entries()) {
			if (flag === 1) {
				for (const name of summedColumns) {
					threads[name].add(into, threads[name].get(thread));
				}

				this.#threadByKey.delete(threads.key.get(thread));
				this.#clear(thread);
				threads.key.set(thread, freeKeyBase - thread);
				this.#lastSample[thread] = -1;
				this.#free.push(thread);
			}
		}

		this.#lastOwner = this.#lastOwner.map(owner => owner >= 0 && isFreed[owner] === 1 ? -1 : owner);
		for (const name of rowColumns) {
			for (let thread = 0; thread < this.count; thread++) {
				if (isFreed[threads[name].get(thread)] === 1) {
					threads[name].set(thread, -1);
				}
			}
		}
	}

	#add(key: number): number {
		const thread = this.#free.pop() ?? this.count++;
		this.#threadByKey.set(key, thread);
		this.#lastSample[thread] = this.#sampleNumber;
		this.#lastOwner[thread] = -1;
		this.#pending.push({thread, key});
		return thread;
	}

	/** Writes new threads to the table. The lock is held. */
	#flush(): void {
		const {threads} = this.#views.regions;
		for (const {thread, key} of this.#pending.splice(0)) {
			this.#clear(thread);
			threads.key.set(thread, key);
			threads.serial.set(thread, ++this.#serial);
			if (thread === this.other) {
				this.#setName(thread, otherName);
			}
		}
	}

	#setName(thread: number, text: Printable): void {
		const name = elide(text);
		if (this.#names[thread] !== name) {
			const {key, flags, nameLength, nameSerial} = this.#views.regions.threads;
			const before = this.#names[thread];
			// The kernel's name is used while the thread's own cannot be read. Only Java threads have keys above 0.
			if (before !== '' && key.get(thread) > 0 && !matchesKernelName(before, name)) {
				flags.set(thread, flags.get(thread) | threadFlag.renamed);
			}

			this.#names[thread] = name;
			nameLength.set(thread, this.#views.setName(thread, name));
			nameSerial.set(thread, ++this.#nameSerial);
		}
	}

	#clear(thread: number): void {
		const {threads} = this.#views.regions;
		this.#names[thread] = '';
		for (const name of namesOf(threadRowColumns)) {
			threads[name].set(thread, units[threadRowColumns[name].unit].none);
		}
	}
}

function mayBeSame(before: number, now: number, unknown: number): boolean {
	return before === now || before === unknown || now === unknown;
}

/** The rows of a sample, see `endSample`, and the thread "(other)". */
type Rows = {
	readonly count: number;
	readonly changedRows: Int32Array;
	readonly threadOf: Int32Array;
	readonly counterOf: Int32Array;
	readonly other: number;
};

function copyNewest(to: SlabColumn, from: ColumnArray, {changedRows, threadOf, other}: Rows): void {
	for (const row of changedRows) {
		const thread = threadOf[row];
		if (thread >= 0 && thread !== other) {
			to.set(thread, from[row]);
		}
	}
}

function addValues(to: SlabColumn, from: ColumnArray, {changedRows, threadOf, counterOf}: Rows): void {
	for (const row of changedRows) {
		if (counterOf[row] >= 0) {
			to.add(threadOf[row], from[row]);
		}
	}
}

/** Copies a column of row indexes as threads; of unchanged rows too, as their locks may have other holders. */
function copyAsThreads(to: SlabColumn, from: ColumnArray, {count, threadOf, counterOf, other}: Rows): void {
	for (let row = 0; row < count; row++) {
		const thread = threadOf[row];
		if (counterOf[row] >= 0 && thread !== other) {
			const target = from[row];
			to.set(thread, target < 0 ? -1 : threadOf[target]);
		}
	}
}
