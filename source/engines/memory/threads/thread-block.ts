import {wordAt} from '../decode/word.js';
import {has, type Layout} from '../hotspot/layout.js';
import {type Memory} from '../target/memory.js';
import {Ranges} from '../target/ranges.js';

/** The parts of a JavaThread that change while it runs, and the bounds of its stack. */
export type ThreadBlock = {
	state: number;
	anchorSp: number;
	anchorPc: number;
	anchorFp: number;
	osThread: number;
	stackBase: number;
	stackSize: number;
	/** Content of JavaThread._threadObj: an object, or a slot with one (thread-object.ts). */
	threadObject: number;
	virtualThread: number;
	continuationEntry: number;
	pendingMonitor: number;
	waitingMonitor: number;
	monitorOwnerId: number;
};

/** States of a JavaThread (globalDefinitions.hpp, all JDKs); odd numbers are transitions. */
export const javaThreadState = Object.freeze({
	new: 2, inNative: 4, inVm: 6, inJava: 8, blocked: 10,
});

/** State and anchor of many threads, read together. */
export class Anchors {
	readonly #ranges: Ranges;
	/** Bytes of each range. */
	readonly #length: number;
	readonly #start: number;
	/** Offsets from `#start`. */
	readonly #state: number;
	readonly #sp: number;
	readonly #pc: number;
	readonly #fp: number;
	#addresses: readonly number[] = [];

	constructor(memory: Memory, {fields}: Layout) {
		const [state, sp, pc, fp] = [fields.threadState, fields.anchor + fields.anchorSp, fields.anchor + fields.anchorPc, fields.anchor + fields.anchorFp];
		this.#start = Math.min(state, sp, pc, fp);
		this.#state = state - this.#start;
		this.#sp = sp - this.#start;
		this.#pc = pc - this.#start;
		this.#fp = fp - this.#start;
		this.#length = Math.max(state, sp, pc, fp) + 8 - this.#start;
		this.#ranges = new Ranges(memory);
	}

	/** Reads those of all JavaThreads at these addresses. */
	read(addresses: readonly number[]): void {
		if (addresses !== this.#addresses) {
			this.#addresses = addresses;
			this.#ranges.clear();
			for (const address of addresses) {
				this.#ranges.add(address + this.#start, this.#length);
			}
		}

		this.#ranges.read();
	}

	/** Whether the `index`-th thread has the anchor and state of a block. */
	areIn(index: number, block: ThreadBlock): boolean {
		const ranges = this.#ranges;
		return ranges.isRead(index) && ranges.word(index, this.#sp) === block.anchorSp && ranges.word(index, this.#pc) === block.anchorPc
			&& ranges.word(index, this.#fp) === block.anchorFp && ranges.half(index, this.#state) === block.state;
	}
}

/** Reads the blocks of JavaThreads, a few hundred bytes each. */
export class ThreadBlocks {
	readonly #offsets: Readonly<Record<keyof ThreadBlock, number>>;
	readonly #start: number;
	readonly #length: number;
	readonly #bytes: Uint8Array;
	readonly #view: DataView;
	readonly #memory: Memory;

	constructor(memory: Memory, {fields}: Layout) {
		this.#memory = memory;
		this.#offsets = {
			state: fields.threadState, anchorSp: fields.anchor + fields.anchorSp, anchorPc: fields.anchor + fields.anchorPc, anchorFp: fields.anchor + fields.anchorFp,
			osThread: fields.osThread, stackBase: fields.stackBase, stackSize: fields.stackSize, threadObject: fields.threadObject,
			virtualThread: fields.virtualThread, continuationEntry: fields.continuationEntry,
			pendingMonitor: fields.pendingMonitor, waitingMonitor: fields.waitingMonitor, monitorOwnerId: fields.monitorOwnerId,
		};
		const offsets = Object.values(this.#offsets).filter(offset => has(offset));
		this.#start = Math.min(...offsets);
		this.#length = Math.ceil((Math.max(...offsets) + 8 - this.#start) / 4) * 4;
		this.#bytes = new Uint8Array(this.#length);
		this.#view = new DataView(this.#bytes.buffer);
	}

	/** Fills `into` from the JavaThread at an address; false if unreadable. */
	read(thread: number, into: ThreadBlock): boolean {
		if (this.#memory.read(thread + this.#start, this.#bytes, 0, this.#length) !== this.#length) {
			return false;
		}

		this.#decode(into);
		return true;
	}

	/** Adds the JavaThread at an address to ranges to be read together; returns its index. */
	addTo(ranges: Ranges, thread: number): number {
		return ranges.add(thread + this.#start, this.#length);
	}

	/** Fills `into` from ranges that were read; false if this one was unreadable. */
	take(ranges: Ranges, range: number, into: ThreadBlock): boolean {
		if (!ranges.isRead(range)) {
			return false;
		}

		this.#bytes.set(ranges.bytesOf(range));
		this.#decode(into);
		return true;
	}

	#decode(into: ThreadBlock): void {
		const offsets = this.#offsets;
		into.state = this.#view.getUint32(offsets.state - this.#start, true);
		into.anchorSp = this.#word(offsets.anchorSp);
		into.anchorPc = this.#word(offsets.anchorPc);
		into.anchorFp = this.#word(offsets.anchorFp);
		into.osThread = this.#word(offsets.osThread);
		into.stackBase = this.#word(offsets.stackBase);
		into.stackSize = this.#word(offsets.stackSize);
		into.threadObject = this.#word(offsets.threadObject);
		into.virtualThread = this.#word(offsets.virtualThread);
		into.continuationEntry = this.#word(offsets.continuationEntry);
		into.pendingMonitor = this.#word(offsets.pendingMonitor);
		into.waitingMonitor = this.#word(offsets.waitingMonitor);
		into.monitorOwnerId = this.#word(offsets.monitorOwnerId);
	}

	#word(offset: number): number {
		if (Number.isNaN(offset)) {
			return 0;
		}

		return wordAt(this.#view, offset - this.#start);
	}
}

/** An empty block to read into. */
export function emptyBlock(): ThreadBlock {
	return {
		state: 0, anchorSp: 0, anchorPc: 0, anchorFp: 0, osThread: 0, stackBase: 0, stackSize: 0, threadObject: 0,
		virtualThread: 0, continuationEntry: 0, pendingMonitor: 0, waitingMonitor: 0, monitorOwnerId: 0,
	};
}
