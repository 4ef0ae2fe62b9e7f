import {
	namesOf, select, units, type ColumnArray,
} from '../model/column-types.js';
import {threadFlag, type Sample} from '../model/sample.js';
import {threadNumbers} from '../model/schema.js';
import {stateCode} from '../model/thread-state.js';
import {otherNameId, otherNode, recordColumns} from './layout.js';
import {NameWriter} from './name-writer.js';
import type {TableViews} from './views.js';

/** Key of the pseudo thread "(other)": Java ids begin at 1, and threads of the JVM itself have negative keys. */
export const otherThreadKey = 0;

/**
CPU nanoseconds in a sample up to which a blocked thread is believed not to have left the monitor that it waits for: up
to JDK 23 one of the waiting threads wakes up now and then, eventually once a second, to see whether the monitor is free
(ObjectMonitor::EnterI). Each time took 20 to 50 us when measured; samples may be seconds apart.
*/
const wakeUpsNs = 1e6;

const newestColumns = select(threadNumbers, {sampled: 'newest'});
const summedColumns = select(threadNumbers, {sampled: 'sum'});
const rowColumns = select(threadNumbers, {sampled: 'row'});

/**
The writing side of the thread records: which record belongs to which thread, and what the newest sample says about it.
*/
export class ThreadWriter {
	count = 0;
	/** Record of the pseudo thread "(other)", made when the first thread finds no room; -1 before. */
	other = -1;
	readonly names: NameWriter;
	readonly #views: TableViews;
	/** Record by key. Bounded by the region's capacity. */
	readonly #records = new Map<number, number>();
	/** Number of the sample that each record was last seen in. */
	#seen = new Int32Array(256);
	/** Records alive in the newest sample, and in the one before. */
	#alive: number[] = [];
	#aliveBefore: number[] = [];
	#sampleNumber = 0;
	/** Samples in a row with the same threads count as one there; these are all. */
	#samples = 0;
	#hasSameThreads = false;
	/** When the newest sample was taken, epoch milliseconds. */
	#atMs = 0;

	constructor(views: TableViews) {
		this.#views = views;
		this.names = new NameWriter(views);
	}

	/**
	The record of a thread, a new one beyond the published count when it is met for the first time; that of "(other)" if
	there is no room.
	*/
	recordOf(key: number): number {
		const found = this.#records.get(key);
		if (found !== undefined) {
			return found;
		}

		// The last place is for "(other)".
		if (key === otherThreadKey || !this.#views.growFor('threads', this.count + 1)) {
			return this.recordOfOther();
		}

		return this.#add(key);
	}

	/** The record of "(other)". */
	recordOfOther(): number {
		if (this.other < 0) {
			this.other = this.#add(otherThreadKey);
			const share = this.#views.shape.threads;
			this.#views.regions.threads.name[Math.floor(this.other / share)][this.other % share] = otherNameId;
		}

		return this.other;
	}

	/**
	Begins a sample taken then (epoch milliseconds). The lock must be held from here to `endSample`. `hasSameThreads`:
	its rows are the same threads' as in the one before.
	*/
	beginSample(atMs: number, hasSameThreads: boolean): void {
		this.#samples++;
		this.#atMs = atMs;
		this.#hasSameThreads = hasSameThreads;
		if (hasSameThreads) {
			return;
		}

		this.#sampleNumber++;
		[this.#alive, this.#aliveBefore] = [this.#aliveBefore, this.#alive];
		this.#alive.length = 0;
	}

	/**
	Writes where the thread of row `row` stands in a sample, and since when. `lockOwner`: record of the thread that
	holds it up, or -1. `isCounted`: it takes part in the sample, and is alive.
	*/
	write(record: number, sample: Sample, row: number, node: number, lockOwner: number, isCounted: boolean): void {
		const {threads} = this.#views.regions;
		const share = this.#views.shape.threads;
		const slab = Math.floor(record / share);
		const at = record % share;
		const cpuNs = sample.cpuNs[row];
		const state = sample.state[row];
		const wasSeen = this.#seen[record] > 0 && this.#seen[record] >= this.#sampleNumber - 1;
		let stoodBefore = threads.flags[slab][at] & threadFlag.stoodBefore;
		if (!wasSeen || threads.node[slab][at] !== node || threads.state[slab][at] !== state || (cpuNs > 0 && !this.#isHeldUpStill(slab, at, sample, row, lockOwner))) {
			threads.sinceMs[slab][at] = this.#atMs;
			stoodBefore = this.#samples === 1 ? threadFlag.stoodBefore : 0;
		}

		threads.node[slab][at] = record === this.other ? otherNode : node;
		threads.state[slab][at] = state;
		if (record !== this.other) {
			threads.flags[slab][at] = sample.flags[row] | stoodBefore;
		}

		threads.alive[slab][at] = isCounted ? 1 : 0;
		this.keep(record, isCounted);
	}

	/** The thread of a record stands as it did in the sample before. */
	keep(record: number, isCounted: boolean): void {
		if (this.#hasSameThreads) {
			return;
		}

		if (isCounted) {
			this.#alive.push(record);
		}

		this.#seen[record] = this.#sampleNumber;
	}

	/**
	Ends a sample: takes over what else it says about threads; the threads of the sample before that were not in it are
	no longer alive. `recordOf`: the record of each row, -1 for none; `factOf`: below 0 for those that do not count;
	`changed`: the rows that are not what they were in the sample before.
	*/
	endSample(sample: Sample, recordOf: Int32Array, factOf: Int32Array, changed: Int32Array): void {
		this.#takeOver(sample, recordOf, factOf, changed);
		if (this.#hasSameThreads) {
			return;
		}

		const share = this.#views.shape.threads;
		const {threads} = this.#views.regions;
		for (const record of this.#aliveBefore) {
			if (this.#seen[record] !== this.#sampleNumber) {
				threads.alive[Math.floor(record / share)][record % share] = 0;
				threads.lockKind[Math.floor(record / share)][record % share] = 0;
				threads.lockOwner[Math.floor(record / share)][record % share] = -1;
			}
		}
	}

	/**
	Takes over the columns for which the schema has a rule, column by column, so that no look-up of a rule is needed for
	each thread.
	*/
	#takeOver(sample: Sample, recordOf: Int32Array, factOf: Int32Array, changed: Int32Array): void {
		const {threads} = this.#views.regions;
		const rows: Rows = {count: sample.count, changed, recordOf, factOf, other: this.other, share: this.#views.shape.threads};
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
	}

	#takeNames(from: readonly string[], {changed, recordOf, other, share}: Rows): void {
		const {name} = this.#views.regions.threads;
		for (const row of changed) {
			const record = recordOf[row];
			if (record >= 0 && record !== other) {
				const slab = name[Math.floor(record / share)];
				slab[record % share] = this.names.change(slab[record % share], from[row]);
			}
		}
	}

	/**
	Whether a thread that used CPU where it was blocked before did not get its lock meanwhile: same lock, same holder
	(as far as they are known), and no more CPU time than looking at the lock takes.
	*/
	#isHeldUpStill(slab: number, at: number, sample: Sample, row: number, lockOwner: number): boolean {
		const {threads} = this.#views.regions;
		const isSame = (before: number, now: number, unknown: number) => before === now || before === unknown || now === unknown;
		return sample.state[row] === stateCode.BLOCKED && sample.cpuNs[row] <= wakeUpsNs
			&& threads.lockKind[slab][at] === sample.lockKind[row] && isSame(threads.lockClass[slab][at], sample.lockClass[row], 0) && isSame(threads.lockOwner[slab][at], lockOwner, -1);
	}

	#add(key: number): number {
		const record = this.count++;
		if (record === this.#seen.length) {
			const seen = new Int32Array(record * 2);
			seen.set(this.#seen);
			this.#seen = seen;
		}

		const share = this.#views.shape.threads;
		const slab = Math.floor(record / share);
		const at = record % share;
		const {threads} = this.#views.regions;
		for (const name of namesOf(recordColumns)) {
			threads[name][slab][at] = units[recordColumns[name].unit].none;
		}

		threads.key[slab][at] = key;
		this.#records.set(key, record);
		return record;
	}
}

/** The rows of a sample, see `endSample`; the record of "(other)"; and the records in a slab, a power of two. */
type Rows = {readonly count: number; readonly changed: Int32Array; readonly recordOf: Int32Array; readonly factOf: Int32Array; readonly other: number; readonly share: number};

function takeNewest(to: readonly ColumnArray[], from: ColumnArray, {changed, recordOf, other, share}: Rows): void {
	const shift = Math.clz32(1) - Math.clz32(share);
	for (const row of changed) {
		const record = recordOf[row];
		if (record >= 0 && record !== other) {
			to[record >> shift][record & (share - 1)] = from[row];
		}
	}
}

function addUp(to: readonly ColumnArray[], from: ColumnArray, {changed, recordOf, factOf, share}: Rows): void {
	const shift = Math.clz32(1) - Math.clz32(share);
	for (const row of changed) {
		if (factOf[row] >= 0) {
			const record = recordOf[row];
			to[record >> shift][record & (share - 1)] += from[row];
		}
	}
}

/** A row of the sample becomes that row's record; of all rows, as whoever holds a lock may change while its waiters stay. */
function takeRecord(to: readonly ColumnArray[], from: ColumnArray, {count, recordOf, factOf, other, share}: Rows): void {
	const shift = Math.clz32(1) - Math.clz32(share);
	for (let row = 0; row < count; row++) {
		const record = recordOf[row];
		if (factOf[row] >= 0 && record !== other) {
			const named = from[row];
			to[record >> shift][record & (share - 1)] = named < 0 ? -1 : recordOf[named];
		}
	}
}
