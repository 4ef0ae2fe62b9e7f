import {
	namesOf, select, units, type ColumnArray,
} from '../model/column-types.js';
import {endedThreadsKey, endedThreadsName, threadFlag, unknownThreadKey, type Sample} from '../model/sample.js';
import {threadNumbers} from '../model/schema.js';
import {stateCode} from '../model/thread-state.js';
import {cut} from '../model/text.js';
import {otherName, otherNode, recordColumns} from './layout.js';
import type {SlabColumn, TableViews} from './views.js';

/** Key of the pseudo thread "(other)": Java ids begin at 1, and threads of the JVM itself have negative keys. */
export const otherThreadKey = 0;

/** Part of the records that ended threads may keep, and of those that must be free for new threads. */
const endedPart = 1 / 4;
const freePart = 1 / 8;

/** Records that are freed at a time, as a part of all; and where there is no room, from so many ended threads on. */
const batchPart = 1 / 16;
const leastBatchPart = 1 / 256;

/** Key of a free record: no thread's, and another for each. */
const freeKey = -(2 ** 40);

/**
CPU nanoseconds in a sample up to which a blocked thread is believed not to have left the monitor that it waits for: up
to JDK 23 one of the waiting threads wakes up now and then, eventually once a second, to see whether the monitor is free
(ObjectMonitor::EnterI). Each time took 20 to 50 us when measured; samples may be seconds apart.
*/
const wakeUpsNs = 1e6;

const newestColumns = select(threadNumbers, {sampled: 'newest'});
const summedColumns = select(threadNumbers, {sampled: 'sum'});
const rowColumns = select(threadNumbers, {sampled: 'row'});

/** The writing side of the thread records: which record belongs to which thread, and what the newest sample says about it. */
export class ThreadWriter {
	count = 0;
	/** Record of the pseudo thread "(other)", made when the first thread finds no room; -1 before. */
	other = -1;
	readonly #views: TableViews;
	/** Record by key. Bounded by the region's capacity. */
	readonly #records = new Map<number, number>();
	/** Number of the sample that each record was last seen in, or before which it was made; -1 for no thread. */
	readonly #seen: number[] = [];
	/** Each record's name, and how many names there were. */
	readonly #names: string[] = [];
	#named = 0;
	/** Record of the thread that was last known to hold what each record's thread waits for; -1 before the first. */
	#owner: number[] = [];
	/** Records of threads that ended, those first that ended first; some may be there again. */
	#ended: Array<{readonly record: number; readonly seen: number}> = [];
	/** Records of no thread, and those of which the table does not know yet. */
	readonly #free: number[] = [];
	readonly #pending: Array<{readonly record: number; readonly key: number}> = [];
	#made = 0;
	#sampleNumber = 0;
	/** When the newest sample was taken, epoch milliseconds. */
	#atMs = 0;

	constructor(views: TableViews) {
		this.#views = views;
	}

	/** The record of a thread, a new one (in the table from `beginSample` on) if need be; that of "(other)" without room. */
	recordOf(id: number): number {
		// A thread whose id reads 0 has not been told yet: that is not a lack of room.
		const key = id === otherThreadKey ? unknownThreadKey : id;
		const found = this.#records.get(key);
		if (found !== undefined) {
			return found;
		}

		// The last places are for "(other)" and ended threads.
		const reserved = [otherThreadKey, endedThreadsKey].filter(last => last !== key && !this.#records.has(last)).length;
		if (this.#free.length === 0 && !this.#views.growFor('threads', this.count + reserved)) {
			return this.recordOfOther();
		}

		return this.#add(key);
	}

	/** The most records that there may be. */
	get capacity(): number {
		return this.#views.shape.threads * this.#views.shape.maxSlabs;
	}

	/** The record of "(other)". */
	recordOfOther(): number {
		if (this.other < 0) {
			this.other = this.#add(otherThreadKey);
		}

		return this.other;
	}

	/** Begins a sample taken then (epoch milliseconds). The lock must be held from here to `endSample`. */
	beginSample(atMs: number): void {
		this.#flush();
		this.#sampleNumber++;
		this.#atMs = atMs;
	}

	/**
	Writes where the thread of row `row` stands in a sample, and since when. `lockOwner`: record of the thread that
	holds it up, or -1. `isCounted`: it takes part in the sample, and is alive. Returns the stack at which it was in the
	sample before, -1 if it was not in it.
	*/
	write(record: number, sample: Sample, row: number, node: number, lockOwner: number, isCounted: boolean): number {
		const {threads} = this.#views.regions;
		const cpuNs = sample.cpuNs[row];
		const state = sample.state[row];
		// A new record has no time yet.
		const wasSeen = this.#seen[record] >= this.#sampleNumber - 1 && threads.sinceMs.get(record) > 0;
		const nodeBefore = wasSeen && record !== this.other ? threads.node.get(record) : -1;
		let stoodBefore = threads.flags.get(record) & threadFlag.stoodBefore;
		if (!wasSeen || threads.node.get(record) !== node || threads.state.get(record) !== state || (cpuNs > 0 && !this.#isHeldUpStill(record, sample, row, lockOwner))) {
			threads.sinceMs.set(record, this.#atMs);
			stoodBefore = this.#sampleNumber === 1 ? threadFlag.stoodBefore : 0;
		}

		if (sample.standsSinceMs[row] > 0) {
			threads.sinceMs.set(record, sample.standsSinceMs[row]);
		}

		threads.node.set(record, record === this.other ? otherNode : node);
		threads.state.set(record, state);
		if (record !== this.other) {
			threads.flags.set(record, sample.flags[row] | stoodBefore);
		}

		threads.alive.set(record, isCounted ? 1 : 0);
		this.keep(record);
		return nodeBefore;
	}

	/** The thread of a record stands as it did in the sample before. */
	keep(record: number): void {
		this.#seen[record] = this.#sampleNumber;
	}

	/**
	Ends a sample: takes over what else it says about threads; the threads of the sample before that were not in it are
	no longer alive. `recordOf`: the record of each row, -1 for none; `counterOf`: below 0 for those that do not count;
	`changed`: the rows that are not what they were in the sample before.
	*/
	endSample(sample: Sample, recordOf: Int32Array, counterOf: Int32Array, changed: Int32Array): void {
		this.#takeOver(sample, recordOf, counterOf, changed);
		const {threads} = this.#views.regions;
		for (let record = 0; record < this.count; record++) {
			if (this.#seen[record] === this.#sampleNumber - 1) {
				this.#ended.push({record, seen: this.#seen[record]});
				threads.alive.set(record, 0);
				threads.lockKind.set(record, 0);
				threads.lockOwner.set(record, -1);
			}
		}
	}

	/**
	Frees records of threads that ended, those first that ended first, where there are many, or where `isShort` of room for
	what is counted. Returns which (1 by record), undefined for none, and the record that takes their counters over. The
	lock must be held, after a sample has ended.
	*/
	freeEnded(isShort: boolean): {readonly freed: Uint8Array; readonly into: number} | undefined {
		const {capacity} = this;
		const isFull = isShort || capacity - this.count + this.#free.length <= capacity * freePart;
		const most = isFull ? capacity * leastBatchPart : capacity * endedPart;
		if (this.#ended.length <= most) {
			return undefined;
		}

		// A thread may have been there again, and its record be another's by now.
		this.#ended = this.#ended.filter(({record, seen}) => this.#seen[record] === seen);
		if (this.#ended.length <= most) {
			return undefined;
		}

		const into = this.recordOf(endedThreadsKey);
		this.#flush();
		const freed = new Uint8Array(this.count);
		for (const {record} of this.#ended.splice(0, isFull ? this.#ended.length : capacity * batchPart)) {
			if (record !== into && record !== this.other) {
				freed[record] = 1;
			}
		}

		this.#giveFree(freed, into);
		return {freed, into};
	}

	/** Takes over the columns for which the schema has a rule, column by column. */
	#takeOver(sample: Sample, recordOf: Int32Array, counterOf: Int32Array, changed: Int32Array): void {
		const {threads} = this.#views.regions;
		const rows: Rows = {count: sample.count, changed, recordOf, counterOf, other: this.other};
		for (const name of newestColumns) {
			takeNewest(threads[name], sample[name], rows);
		}

		this.#takeNames(sample.name, rows);
		for (const name of summedColumns) {
			addUp(threads[name], sample[name], rows);
		}

		for (const name of rowColumns) {
			takeRecord(threads[name], sample[name], rows);
		}

		this.#takeOwnersSince(sample, rows);
	}

	#takeOwnersSince({lockOwner}: Sample, {count, recordOf}: Rows): void {
		const {lockOwnerSinceMs} = this.#views.regions.threads;
		for (let row = 0; row < count; row++) {
			const record = recordOf[row];
			if (lockOwner[row] >= 0 && record >= 0 && this.#owner[record] !== recordOf[lockOwner[row]]) {
				this.#owner[record] = recordOf[lockOwner[row]];
				lockOwnerSinceMs.set(record, this.#atMs);
			}
		}
	}

	#takeNames(from: readonly string[], {changed, recordOf, other}: Rows): void {
		for (const row of changed) {
			const record = recordOf[row];
			if (record >= 0 && record !== other) {
				this.#name(record, from[row]);
			}
		}
	}

	/**
	Whether a thread that used CPU where it was blocked before did not get its lock meanwhile: same lock, same holder
	(as far as they are known), and no more CPU time than looking at the lock takes.
	*/
	#isHeldUpStill(record: number, sample: Sample, row: number, lockOwner: number): boolean {
		const {threads} = this.#views.regions;
		const isSame = (before: number, now: number, unknown: number) => before === now || before === unknown || now === unknown;
		return sample.state[row] === stateCode.BLOCKED && sample.cpuNs[row] <= wakeUpsNs
			&& threads.lockKind.get(record) === sample.lockKind[row] && isSame(threads.lockClass.get(record), sample.lockClass[row], 0) && isSame(threads.lockOwner.get(record), lockOwner, -1);
	}

	#giveFree(freed: Uint8Array, into: number): void {
		const {threads} = this.#views.regions;
		this.#name(into, endedThreadsName);
		for (const [record, isFreed] of freed.entries()) {
			if (isFreed === 1) {
				for (const name of summedColumns) {
					threads[name].add(into, threads[name].get(record));
				}

				this.#records.delete(threads.key.get(record));
				this.#clear(record);
				threads.key.set(record, freeKey - record);
				this.#seen[record] = -1;
				this.#free.push(record);
			}
		}

		this.#owner = this.#owner.map(owner => owner >= 0 && freed[owner] === 1 ? -1 : owner);
		for (const name of rowColumns) {
			for (let record = 0; record < this.count; record++) {
				if (freed[threads[name].get(record)] === 1) {
					threads[name].set(record, -1);
				}
			}
		}
	}

	#add(key: number): number {
		const record = this.#free.pop() ?? this.count++;
		this.#records.set(key, record);
		this.#seen[record] = this.#sampleNumber;
		this.#owner[record] = -1;
		this.#pending.push({record, key});
		return record;
	}

	/** Writes the records of new threads. The lock is held. */
	#flush(): void {
		const {threads} = this.#views.regions;
		for (const {record, key} of this.#pending.splice(0)) {
			this.#clear(record);
			threads.key.set(record, key);
			threads.serial.set(record, ++this.#made);
			if (record === this.other) {
				this.#name(record, otherName);
			}
		}
	}

	#name(record: number, text: string): void {
		const kept = cut(text);
		if (this.#names[record] !== kept) {
			const {nameLength, nameSerial} = this.#views.regions.threads;
			this.#names[record] = kept;
			nameLength.set(record, this.#views.setName(record, kept));
			nameSerial.set(record, ++this.#named);
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

/** The rows of a sample, see `endSample`; and the record of "(other)". */
type Rows = {readonly count: number; readonly changed: Int32Array; readonly recordOf: Int32Array; readonly counterOf: Int32Array; readonly other: number};

function takeNewest(to: SlabColumn, from: ColumnArray, {changed, recordOf, other}: Rows): void {
	for (const row of changed) {
		const record = recordOf[row];
		if (record >= 0 && record !== other) {
			to.set(record, from[row]);
		}
	}
}

function addUp(to: SlabColumn, from: ColumnArray, {changed, recordOf, counterOf}: Rows): void {
	for (const row of changed) {
		if (counterOf[row] >= 0) {
			to.add(recordOf[row], from[row]);
		}
	}
}

/** A row of the sample becomes that row's record; of all rows, as whoever holds a lock may change while its waiters stay. */
function takeRecord(to: SlabColumn, from: ColumnArray, {count, recordOf, counterOf, other}: Rows): void {
	for (let row = 0; row < count; row++) {
		const record = recordOf[row];
		if (counterOf[row] >= 0 && record !== other) {
			const named = from[row];
			to.set(record, named < 0 ? -1 : recordOf[named]);
		}
	}
}
