import {rootNode} from '../model/frame.js';
import type {Sample} from '../model/sample.js';
import {otherNode, otherString} from './layout.js';
import type {TableViews} from './views.js';

/** Key of the pseudo thread "(other)": Java ids begin at 1, and threads of the JVM itself have negative keys. */
export const otherThreadKey = 0;

/** The writing side of the thread records: which record belongs to which thread, and what the newest sample says of it. */
export class ThreadWriter {
	count = 0;
	/** Record of the pseudo thread "(other)", made when the first thread finds no room; -1 before. */
	other = -1;
	readonly #views: TableViews;
	/** Record by key. Bounded by the region's capacity. */
	readonly #records = new Map<number, number>();
	/** Number of the sample that each record was last seen in. */
	#seen = new Int32Array(256);
	/** Records alive in the newest sample, and in the one before. */
	#alive: number[] = [];
	#aliveBefore: number[] = [];
	#sampleNumber = 0;

	constructor(views: TableViews) {
		this.#views = views;
	}

	/** The record of a thread, a new one beyond the published count when it is met for the first time; that of "(other)" when there is no room. */
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
			this.#views.regions.threads.name[Math.floor(this.other / share)][this.other % share] = otherString;
		}

		return this.other;
	}

	/** Begins a sample. The lock must be held from here to `endSample`. */
	beginSample(): void {
		this.#sampleNumber++;
		[this.#alive, this.#aliveBefore] = [this.#aliveBefore, this.#alive];
		this.#alive.length = 0;
	}

	/** Writes what row `row` of a sample says of a thread: where it stands, since when, what it waits for. `isCounted`: it takes part in the sample, and is alive. */
	write(record: number, sample: Sample, row: number, node: number, atMs: number, isCounted: boolean): void {
		const {threads} = this.#views.regions;
		const share = this.#views.shape.threads;
		const slab = Math.floor(record / share);
		const at = record % share;
		const cpuNs = sample.cpuNs[row];
		const state = sample.state[row];
		const wasSeen = this.#seen[record] > 0 && this.#seen[record] >= this.#sampleNumber - 1;
		if (!wasSeen || cpuNs > 0 || threads.node[slab][at] !== node || threads.state[slab][at] !== state) {
			threads.sinceMs[slab][at] = atMs;
		}

		threads.node[slab][at] = record === this.other ? otherNode : node;
		threads.state[slab][at] = state;
		if (record !== this.other) {
			threads.nativeId[slab][at] = sample.nativeId[row];
			threads.name[slab][at] = sample.name[row];
			threads.flags[slab][at] = sample.flags[row];
			threads.lockKind[slab][at] = sample.lockKind[row];
			threads.lockClass[slab][at] = sample.lockClass[row];
			threads.lockOwnerFrame[slab][at] = sample.lockOwnerFrame[row];
		}

		threads.alive[slab][at] = isCounted ? 1 : 0;
		if (isCounted) {
			threads.cpuNs[slab][at] += cpuNs;
			this.#alive.push(record);
		}

		this.#seen[record] = this.#sampleNumber;
	}

	/** Writes which threads (records, or -1) hold up and carry a thread. */
	link(record: number, lockOwner: number, carrier: number): void {
		const share = this.#views.shape.threads;
		const {threads} = this.#views.regions;
		threads.lockOwner[Math.floor(record / share)][record % share] = lockOwner;
		threads.carrier[Math.floor(record / share)][record % share] = carrier;
	}

	/** Ends a sample: the threads of the sample before that were not in it are no longer alive. */
	endSample(): void {
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
		threads.key[slab][at] = key;
		threads.node[slab][at] = rootNode;
		threads.lockOwner[slab][at] = -1;
		threads.carrier[slab][at] = -1;
		this.#records.set(key, record);
		return record;
	}
}
