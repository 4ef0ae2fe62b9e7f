import {wordOf} from '../decode/word.js';
import {type Memory} from '../process/memory.js';
import {fail} from '../process/reader.js';

/**
Most bytes copied of a stack: 1,024 interpreted frames take about 150 KB. Anything deeper is left out, and the stack
counts as incomplete.
*/
export const stackBytesLimit = 1 << 20;

/** A copy of a stack from an address on: an even number of 32-bit words. */
export type StackBytes = {readonly low: number; readonly words: Uint32Array};

/** A private copy of part of a thread's stack, read by address. */
export class StackCopy {
	/** Addresses of the first word and just after the last. */
	low = 0;
	high = 0;
	/** The stack has words below `high` that were not copied. */
	isCut = false;
	#bytes = new Uint8Array(1 << 14);
	#words = new Uint32Array(this.#bytes.buffer);

	/** The bytes copied. */
	get bytes(): Uint8Array {
		return this.#bytes.subarray(0, this.high - this.low);
	}

	/** Copies from an address up to the stack's base; throws `Unreadable` where that cannot be. */
	load(memory: Memory, low: number, base: number, limit = stackBytesLimit): void {
		this.low = low;
		this.high = low;
		const length = Math.min(base - low, limit);
		if (!(length > 0) || low % 8 !== 0) {
			fail();
		}

		this.#makeRoom(length);
		if (memory.read(low, this.#bytes, 0, length) !== length) {
			fail();
		}

		this.high = low + length;
		this.isCut = length < base - low;
	}

	/** Takes over a copy that was made elsewhere of what lies from an address on; throws `Unreadable` for none. */
	set(low: number, bytes: Uint8Array, base: number): void {
		this.low = low;
		this.high = low;
		const length = Math.floor(Math.min(base - low, bytes.length, stackBytesLimit) / 8) * 8;
		if (!(length > 0) || low % 8 !== 0) {
			fail();
		}

		this.#makeRoom(length);
		this.#bytes.set(bytes.subarray(0, length));
		this.high = low + length;
		this.isCut = this.high < base;
	}

	/** From which address on this copy and another are the same; `high` where none of it is. */
	sameFrom({low, words}: StackBytes): number {
		const ours = (this.high - this.low) / 4;
		if (low + (words.length * 4) !== this.high) {
			return this.high;
		}

		const most = Math.min(ours, words.length);
		let same = 0;
		while (same < most && words[words.length - 1 - same] === this.#words[ours - 1 - same]) {
			same++;
		}

		return this.high - (4 * same);
	}

	has(address: number): boolean {
		return address >= this.low && address + 8 <= this.high && address % 8 === 0;
	}

	/** The word at an address, exact below 2^53; throws `Unreadable` outside the copy. */
	word(address: number): number {
		if (!this.has(address)) {
			fail();
		}

		const index = (address - this.low) / 4;
		return wordOf(this.#words[index], this.#words[index + 1]);
	}

	/** The word at an address as a small signed number. */
	signed(address: number): number {
		this.word(address);
		const half = this.half(address);
		return half < 2 ** 31 ? half : half - (2 ** 32);
	}

	/** The 32 bits at an address; throws `Unreadable` outside the copy. */
	half(address: number): number {
		if (address < this.low || address + 4 > this.high || address % 4 !== 0) {
			fail();
		}

		return this.#words[(address - this.low) / 4];
	}

	#makeRoom(length: number): void {
		if (length > this.#bytes.length) {
			this.#bytes = new Uint8Array(2 ** Math.ceil(Math.log2(length)));
			this.#words = new Uint32Array(this.#bytes.buffer);
		}
	}
}
