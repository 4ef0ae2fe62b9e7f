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

/** Reads the blocks of JavaThreads, a few hundred bytes each. */
export class ThreadBlocks {
	readonly #offsets: Readonly<Record<keyof ThreadBlock, number>>;
	readonly #start: number;
	readonly #length: number;
	readonly #bytes: Uint8Array;
	readonly #view: DataView;
	readonly #memory: Memory;
	readonly #ranges: Ranges;
	#addresses: readonly number[] = [];

	constructor(memory: Memory, {fields}: Layout) {
		this.#memory = memory;
		this.#ranges = new Ranges(memory);
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

	/** Reads the JavaThreads at these addresses together, for `isAt` and `take` by index. */
	readAll(addresses: readonly number[]): void {
		const ranges = this.#ranges;
		if (addresses !== this.#addresses) {
			this.#addresses = addresses;
			ranges.clear();
			for (const address of addresses) {
				ranges.add(address + this.#start, this.#length);
			}
		}

		ranges.read();
	}

	/** Whether a thread has the state and anchor of a block. */
	isAt(index: number, {state, anchorSp, anchorPc, anchorFp}: ThreadBlock): boolean {
		const [ranges, offsets, start] = [this.#ranges, this.#offsets, this.#start];
		return ranges.isRead(index) && ranges.word(index, offsets.anchorSp - start) === anchorSp && ranges.word(index, offsets.anchorPc - start) === anchorPc
			&& ranges.word(index, offsets.anchorFp - start) === anchorFp && ranges.half(index, offsets.state - start) === state;
	}

	/** Fills `into`; false if the thread is unreadable. */
	take(index: number, into: ThreadBlock): boolean {
		if (!this.#ranges.isRead(index)) {
			return false;
		}

		this.#bytes.set(this.#ranges.bytesOf(index));
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
