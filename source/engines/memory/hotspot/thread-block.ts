import {fromNames} from '../../../model/column-types.js';
import {type Memory} from '../target/memory.js';
import {Ranges} from '../target/ranges.js';
import {has, type Layout} from './layout.js';

/**
The parts of a JavaThread that change while it runs, and the bounds of its stack. `threadObject`: content of
JavaThread._threadObj, an object or a slot with one (thread-object.ts).
*/
const names = ['state', 'anchorSp', 'anchorPc', 'anchorFp', 'osThread', 'stackBase', 'stackSize', 'threadObject', 'virtualThread', 'continuationEntry', 'pendingMonitor', 'waitingMonitor', 'monitorOwnerId'] as const;

/** What one JavaThread has there; 0 for what this JDK does not have. */
export type ThreadBlock = Record<(typeof names)[number], number>;

/** States of a JavaThread (globalDefinitions.hpp, all JDKs); odd numbers are transitions. */
export const javaThreadState = Object.freeze({
	new: 2, inNative: 4, inVm: 6, inJava: 8, blocked: 10,
});

/** Reads the blocks of JavaThreads, a few hundred bytes each: of many together, or of one. */
export class ThreadBlocks {
	readonly #offsets: Readonly<ThreadBlock>;
	readonly #start: number;
	readonly #length: number;
	readonly #all: Ranges;
	readonly #one: Ranges;
	#addresses: readonly number[] = [];

	constructor(memory: Memory, {fields}: Layout) {
		this.#all = new Ranges(memory);
		this.#one = new Ranges(memory);
		const offsets: ThreadBlock = {
			...fields, state: fields.threadState, anchorSp: fields.anchor + fields.anchorSp, anchorPc: fields.anchor + fields.anchorPc, anchorFp: fields.anchor + fields.anchorFp,
		};
		const known = names.map(name => offsets[name]).filter(offset => has(offset));
		this.#start = Math.min(...known);
		this.#length = Math.ceil((Math.max(...known) + 8 - this.#start) / 4) * 4;
		this.#offsets = fromNames(names, name => offsets[name] - this.#start);
	}

	/** Reads those of all JavaThreads at these addresses; the same array must have the same contents. */
	readAll(addresses: readonly number[]): void {
		if (addresses !== this.#addresses) {
			this.#addresses = addresses;
			this.#all.clear();
			for (const address of addresses) {
				this.#all.add(address + this.#start, this.#length);
			}
		}

		this.#all.read();
	}

	/** Whether the `index`-th of these has the thread, anchor and state of a block. */
	isAsIn(index: number, block: ThreadBlock): boolean {
		const all = this.#all;
		const offsets = this.#offsets;
		return all.isRead(index) && all.word(index, offsets.anchorSp) === block.anchorSp && all.word(index, offsets.anchorPc) === block.anchorPc
			&& all.word(index, offsets.anchorFp) === block.anchorFp && all.half(index, offsets.state) === block.state && all.word(index, offsets.osThread) === block.osThread;
	}

	/** Fills `into` from the `index`-th of these; false if unreadable. */
	take(index: number, into: ThreadBlock): boolean {
		return this.#decode(this.#all, index, into);
	}

	/** Fills `into` from the JavaThread at an address; false if unreadable. */
	read(thread: number, into: ThreadBlock): boolean {
		this.#one.clear();
		this.#one.add(thread + this.#start, this.#length);
		this.#one.read();
		return this.#decode(this.#one, 0, into);
	}

	#decode(ranges: Ranges, index: number, into: ThreadBlock): boolean {
		if (!ranges.isRead(index)) {
			return false;
		}

		for (const name of names) {
			const offset = this.#offsets[name];
			into[name] = has(offset) ? ranges.word(index, offset) : 0;
		}

		into.state = ranges.half(index, this.#offsets.state);
		return true;
	}
}

/** An empty block to read into. */
export function emptyBlock(): ThreadBlock {
	return fromNames(names, () => 0);
}
