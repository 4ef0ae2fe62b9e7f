import {fromNames} from '../../../model/column-types.js';
import {Ranges} from '../target/ranges.js';
import {has} from './layout.js';
import {type Vm} from './vm.js';

/** The fields that are read of each JavaThread. `threadObject`: see `ThreadObjects.objectOf`. */
const names = [
	'state',
	'anchorSp',
	'anchorPc',
	'anchorFp',
	'osThread',
	'stackBase',
	'stackSize',
	'threadObject',
	'virtualThread',
	'continuationEntry',
	'pendingMonitor',
	'waitingMonitor',
	'monitorOwnerId',
] as const;

/** A JavaThread's fields as read together, since they are close to each other; 0 for fields that the JDK lacks. */
export type ThreadBlock = Record<(typeof names)[number], number>;

/** Where a thread left Java code (JavaFrameAnchor). If `anchorPc` is 0, it is in the word below `anchorSp`. */
type Anchor = Pick<ThreadBlock, 'anchorSp' | 'anchorPc' | 'anchorFp'>;

/** States of a JavaThread (globalDefinitions.hpp, all JDKs). Odd numbers are transitions: see `isInTransition`. */
export const javaThreadState = Object.freeze({new: 2, inNative: 4, inVm: 6, inJava: 8, blocked: 10});

/** Reads the blocks of many JavaThreads in one call, or of one. */
export class ThreadBlocks {
	readonly #offsets: Readonly<ThreadBlock>;
	readonly #start: number;
	readonly #length: number;
	readonly #all: Ranges;
	readonly #one: Ranges;
	#addresses: readonly number[] = [];

	constructor({reader, layout: {fields}}: Vm) {
		this.#all = new Ranges(reader.memory);
		this.#one = new Ranges(reader.memory);
		const offsets: ThreadBlock = {
			...fields,
			state: fields.threadState,
			anchorSp: fields.anchor + fields.anchorSp,
			anchorPc: fields.anchor + fields.anchorPc,
			anchorFp: fields.anchor + fields.anchorFp,
		};
		const presentOffsets = names.map(name => offsets[name]).filter(offset => has(offset));
		this.#start = Math.min(...presentOffsets);
		this.#length = Math.ceil((Math.max(...presentOffsets) + 8 - this.#start) / 4) * 4;
		this.#offsets = fromNames(names, name => offsets[name] - this.#start);
	}

	/** Reads the blocks of the JavaThreads at these addresses; the array must not be changed afterwards. */
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

	/** Whether the `index`-th block read by `readAll` has the same OS thread, anchor and state as `block`. */
	isSame(index: number, block: ThreadBlock): boolean {
		const all = this.#all;
		const offsets = this.#offsets;
		return all.isRead(index) && all.word(index, offsets.anchorSp) === block.anchorSp
			&& all.word(index, offsets.anchorPc) === block.anchorPc
			&& all.word(index, offsets.anchorFp) === block.anchorFp && all.u32(index, offsets.state) === block.state
			&& all.word(index, offsets.osThread) === block.osThread;
	}

	/** Copies the `index`-th block read by `readAll`; returns false if it was unreadable. */
	copy(index: number, into: ThreadBlock): boolean {
		return this.#decode(this.#all, index, into);
	}

	/** Fills `into` from the JavaThread at an address; returns false if unreadable. */
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

		// Only four bytes.
		into.state = ranges.u32(index, this.#offsets.state);
		return true;
	}
}

/** Whether a thread is on its way into or out of Java code, and its anchor may be set or cleared in a moment. */
export function isInTransition({state}: ThreadBlock): boolean {
	return state % 2 === 1;
}

/** Whether two blocks have the same anchor. */
export function isSameAnchor(a: Anchor, b: Anchor): boolean {
	return a.anchorSp === b.anchorSp && a.anchorPc === b.anchorPc && a.anchorFp === b.anchorFp;
}

/** Returns an empty block to read into. */
export function emptyBlock(): ThreadBlock {
	return fromNames(names, () => 0);
}
