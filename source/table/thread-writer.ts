import {namesOf, select, units, type ColumnArray} from '../model/column-types.js';
import {endedThreadsKey, endedThreadsName, threadFlag, unknownThreadKey, type Sample} from '../model/sample.js';
import {threadNumbers} from '../model/schema.js';
import {stateCode} from '../model/thread-state.js';
import {elide, matchesKernelName, type Printable} from '../util/printable.js';
import {otherName, otherNode, recordColumns} from './table-layout.js';
import type {SlabColumn, TableViews} from './views.js';

/** Key of the pseudo thread "(other)": Java ids begin at 1, and threads of the JVM itself have negative keys. */
export const otherThreadKey = 0;

/**
Fractions of all records: at most this many are of ended threads, and at least this many are free for new threads.
*/
const maxEndedFraction = 1 / 4;
const minFreeFraction = 1 / 8;

/** Fraction of all records that is freed at a time. */
const batchFraction = 1 / 16;
/** If room is short, the records of all ended threads are freed, provided that they are more than this fraction. */
const minBatchFraction = 1 / 256;

/** Base of the keys of free records, which differ from each other and from all threads' keys. */
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

/** Writes the thread records: assigns records to threads and updates them from samples. */
export class ThreadWriter {
	count = 0;
	/** Record of the pseudo thread "(other)", added when the table is first full; -1 before. */
	other = -1;
	readonly #views: TableViews;
	readonly #recordByKey = new Map<number, number>();
	/**
	By record: number of the last sample with its thread (a new record has that of the sample before); -1 if free.
	*/
	readonly #lastSample: number[] = [];
	/** By record. */
	readonly #names: string[] = [];
	/** Serial number of the newest name. */
	#nameSerial = 0;
	/** By record: record of the last known holder of the lock that its thread waits for; -1 before the first. */
	#lastOwner: number[] = [];
	/** Records of ended threads, the earliest first; if `#lastSample` differs, the thread has reappeared since. */
	#endedThreads: Array<{readonly record: number; readonly lastSample: number}> = [];
	readonly #free: number[] = [];
	/** Records of new threads that are not in the table yet. */
	readonly #pending: Array<{readonly record: number; readonly key: number}> = [];
	#serial = 0;
	#sampleNumber = 0;
	/** Epoch time of the newest sample. */
	#atMs = 0;

	constructor(views: TableViews) {
		this.#views = views;
	}

	/**
	Returns a thread's record, added if absent (written by `beginSample`); in a full table, the record of "(other)".
	*/
	recordOf(id: number): number {
		// A thread whose id still reads 0 is unknown: it must not count as "(other)".
		const key = id === otherThreadKey ? unknownThreadKey : id;
		const found = this.#recordByKey.get(key);
		if (found !== undefined) {
			return found;
		}

		// The last records are reserved for "(other)" and ended threads.
		const reserved
			= [otherThreadKey, endedThreadsKey].filter(last => last !== key && !this.#recordByKey.has(last)).length;
		const hasRoom = this.#free.length > 0 || this.#views.growFor('threads', this.count + reserved);
		return hasRoom ? this.#add(key) : this.recordOfOther();
	}

	get #capacity(): number {
		return this.#views.shape.threads * this.#views.shape.maxSlabs;
	}

	/** Returns the record of "(other)", adding it if absent. */
	recordOfOther(): number {
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
	Writes the stack and state of a row's thread, and since when it has been there. `lockOwner`: record of the thread
	that blocks it, or -1. `isCounted`: whether its name is not excluded. Returns its stack in the previous sample; -1
	if it was not in that sample, or is "(other)".
	*/
	// eslint-disable-next-line max-params -- It is called for each thread: an object would be made each time.
	write(record: number, sample: Sample, row: number, node: number, lockOwner: number, isCounted: boolean): number {
		const {threads} = this.#views.regions;
		const cpuNs = sample.cpuNs[row];
		const state = sample.state[row];
		// A new record has no `sinceMs` yet.
		const wasInPrevious = this.#lastSample[record] >= this.#sampleNumber - 1 && threads.sinceMs.get(record) > 0;
		const nodeBefore = wasInPrevious && record !== this.other ? threads.node.get(record) : -1;
		let unmovedFlag = threads.flags.get(record) & threadFlag.unmovedSinceStart;
		const hasMoved = !wasInPrevious || threads.node.get(record) !== node || threads.state.get(record) !== state;
		if (hasMoved || (cpuNs > 0 && !this.#isStillBlocked(record, sample, row, lockOwner))) {
			threads.sinceMs.set(record, this.#atMs);
			unmovedFlag = this.#sampleNumber === 1 ? threadFlag.unmovedSinceStart : 0;
		}

		if (sample.atNodeSinceMs[row] > 0) {
			threads.sinceMs.set(record, sample.atNodeSinceMs[row]);
		}

		threads.node.set(record, record === this.other ? otherNode : node);
		threads.state.set(record, state);
		if (record !== this.other) {
			const renamedFlag = threads.flags.get(record) & threadFlag.renamed;
			threads.flags.set(record, sample.flags[row] | unmovedFlag | renamedFlag);
		}

		threads.alive.set(record, isCounted ? 1 : 0);
		this.keep(record);
		return nodeBefore;
	}

	/** Notes that the thread of a record is in the sample, unchanged since the previous one. */
	keep(record: number): void {
		this.#lastSample[record] = this.#sampleNumber;
	}

	/**
	Ends a sample: updates the other columns of its threads, and marks the threads of the previous sample that are not
	in it as ended. `recordOf`: each row's record, or -1; `counterOf`: each row's counter, below 0 if it does not count;
	`changedRows`: those that differ from the previous sample.
	*/
	endSample(sample: Sample, recordOf: Int32Array, counterOf: Int32Array, changedRows: Int32Array): void {
		this.#updateColumns(sample, recordOf, counterOf, changedRows);
		const {threads} = this.#views.regions;
		for (let record = 0; record < this.count; record++) {
			if (this.#lastSample[record] === this.#sampleNumber - 1) {
				this.#endedThreads.push({record, lastSample: this.#lastSample[record]});
				threads.alive.set(record, 0);
				threads.lockKind.set(record, 0);
				threads.lockOwner.set(record, -1);
			}
		}
	}

	/**
	Frees records of ended threads, the earliest first, if there are many, or records or counters (`isShort`) are
	running out. Returns by record whether it was freed (1), and the record that takes over their sums; undefined if
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
		this.#endedThreads = this.#endedThreads.filter(({record, lastSample}) =>
			this.#lastSample[record] === lastSample);
		if (this.#endedThreads.length <= maxEnded) {
			return undefined;
		}

		const into = this.recordOf(endedThreadsKey);
		this.#flush();
		const isFreed = new Uint8Array(this.count);
		const batch = isFull ? this.#endedThreads.length : capacity * batchFraction;
		for (const {record} of this.#endedThreads.splice(0, batch)) {
			if (record !== into && record !== this.other) {
				isFreed[record] = 1;
			}
		}

		this.#freeRecords(isFreed, into);
		return {isFreed, into};
	}

	/** Updates the columns that the schema says how to update from a sample, column by column. */
	#updateColumns(sample: Sample, recordOf: Int32Array, counterOf: Int32Array, changedRows: Int32Array): void {
		const {threads} = this.#views.regions;
		const rows: Rows = {count: sample.count, changedRows, recordOf, counterOf, other: this.other};
		for (const name of newestColumns) {
			copyNewest(threads[name], sample[name], rows);
		}

		this.#copyNames(sample.name, rows);
		for (const name of summedColumns) {
			addValues(threads[name], sample[name], rows);
		}

		for (const name of rowColumns) {
			copyRecords(threads[name], sample[name], rows);
		}

		this.#updateOwnersSince(sample, rows);
	}

	#updateOwnersSince({lockOwner}: Sample, {count, recordOf}: Rows): void {
		const {lockOwnerSinceMs} = this.#views.regions.threads;
		for (let row = 0; row < count; row++) {
			const record = recordOf[row];
			if (lockOwner[row] >= 0 && record >= 0 && this.#lastOwner[record] !== recordOf[lockOwner[row]]) {
				this.#lastOwner[record] = recordOf[lockOwner[row]];
				lockOwnerSinceMs.set(record, this.#atMs);
			}
		}
	}

	#copyNames(from: readonly Printable[], {changedRows, recordOf, other}: Rows): void {
		for (const row of changedRows) {
			const record = recordOf[row];
			if (record >= 0 && record !== other) {
				this.#setName(record, from[row]);
			}
		}
	}

	/**
	Whether a thread that used CPU has been blocked throughout: lock and holder, if known, are the same, and it used no
	more CPU time than its checks of the lock take.
	*/
	#isStillBlocked(record: number, sample: Sample, row: number, lockOwner: number): boolean {
		const {lockKind, lockClass, lockOwner: lastOwner} = this.#views.regions.threads;
		return sample.state[row] === stateCode.BLOCKED && sample.cpuNs[row] <= maxMonitorChecksNs
			&& lockKind.get(record) === sample.lockKind[row]
			&& mayBeSame(lockClass.get(record), sample.lockClass[row], 0)
			&& mayBeSame(lastOwner.get(record), lockOwner, -1);
	}

	#freeRecords(isFreed: Uint8Array, into: number): void {
		const {threads} = this.#views.regions;
		this.#setName(into, endedThreadsName);
		for (const [record, flag] of isFreed.entries()) {
			if (flag === 1) {
				for (const name of summedColumns) {
					threads[name].add(into, threads[name].get(record));
				}

				this.#recordByKey.delete(threads.key.get(record));
				this.#clear(record);
				threads.key.set(record, freeKeyBase - record);
				this.#lastSample[record] = -1;
				this.#free.push(record);
			}
		}

		this.#lastOwner = this.#lastOwner.map(owner => owner >= 0 && isFreed[owner] === 1 ? -1 : owner);
		for (const name of rowColumns) {
			for (let record = 0; record < this.count; record++) {
				if (isFreed[threads[name].get(record)] === 1) {
					threads[name].set(record, -1);
				}
			}
		}
	}

	#add(key: number): number {
		const record = this.#free.pop() ?? this.count++;
		this.#recordByKey.set(key, record);
		this.#lastSample[record] = this.#sampleNumber;
		this.#lastOwner[record] = -1;
		this.#pending.push({record, key});
		return record;
	}

	/** Writes the records of new threads. The lock is held. */
	#flush(): void {
		const {threads} = this.#views.regions;
		for (const {record, key} of this.#pending.splice(0)) {
			this.#clear(record);
			threads.key.set(record, key);
			threads.serial.set(record, ++this.#serial);
			if (record === this.other) {
				this.#setName(record, otherName);
			}
		}
	}

	#setName(record: number, text: Printable): void {
		const name = elide(text);
		if (this.#names[record] !== name) {
			const {key, flags, nameLength, nameSerial} = this.#views.regions.threads;
			const before = this.#names[record];
			// The kernel's name is used while the thread's own cannot be read. Only Java threads have keys above 0.
			if (before !== '' && key.get(record) > 0 && !matchesKernelName(before, name)) {
				flags.set(record, flags.get(record) | threadFlag.renamed);
			}

			this.#names[record] = name;
			nameLength.set(record, this.#views.setName(record, name));
			nameSerial.set(record, ++this.#nameSerial);
		}
	}

	#clear(record: number): void {
		const {threads} = this.#views.regions;
		this.#names[record] = '';
		for (const name of namesOf(recordColumns)) {
			threads[name].set(record, units[recordColumns[name].unit].none);
		}
	}
}

function mayBeSame(before: number, now: number, unknown: number): boolean {
	return before === now || before === unknown || now === unknown;
}

/** The rows of a sample, see `endSample`, and the record of "(other)". */
type Rows = {
	readonly count: number;
	readonly changedRows: Int32Array;
	readonly recordOf: Int32Array;
	readonly counterOf: Int32Array;
	readonly other: number;
};

function copyNewest(to: SlabColumn, from: ColumnArray, {changedRows, recordOf, other}: Rows): void {
	for (const row of changedRows) {
		const record = recordOf[row];
		if (record >= 0 && record !== other) {
			to.set(record, from[row]);
		}
	}
}

function addValues(to: SlabColumn, from: ColumnArray, {changedRows, recordOf, counterOf}: Rows): void {
	for (const row of changedRows) {
		if (counterOf[row] >= 0) {
			to.add(recordOf[row], from[row]);
		}
	}
}

/** Copies a column of row indexes as records; of unchanged rows too, as their locks may have other holders. */
function copyRecords(to: SlabColumn, from: ColumnArray, {count, recordOf, counterOf, other}: Rows): void {
	for (let row = 0; row < count; row++) {
		const record = recordOf[row];
		if (counterOf[row] >= 0 && record !== other) {
			const target = from[row];
			to.set(record, target < 0 ? -1 : recordOf[target]);
		}
	}
}
