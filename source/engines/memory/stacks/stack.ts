import {wordOf} from '../decode/word.js';
import {type Memory} from '../target/memory.js';
import {fail} from '../target/reader.js';

/**
Maximum bytes of a stack copied; 1,024 interpreted frames take about 150 KB. A deeper stack is truncated and counts as
incomplete.
*/
const stackBytesLimit = 1 << 20;

/** A stack copy from an address on: an even number of 32-bit words. */
export type StackBytes = {readonly low: number; readonly words: Uint32Array};

/** A copy of part of a thread's stack, read by address. */
export class StackCopy {
	/** Addresses of the first word and after the last. */
	low = 0;
	high = 0;
	/** The stack continues above `high`. */
	isTruncated = false;
	#bytes = new Uint8Array(1 << 14);
	#words = new Uint32Array(this.#bytes.buffer);

	get bytes(): Uint8Array {
		return this.#bytes.subarray(0, this.high - this.low);
	}

	/** Copies from an address up to the stack's base, at most `limit` bytes. Throws `Unreadable`. */
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
		this.isTruncated = length < base - low;
	}

	/** Takes an existing copy of the stack from an address on. Throws `Unreadable` if it is empty. */
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
		this.isTruncated = this.high < base;
	}

	/** The address from which on this copy equals another; `high` if they differ throughout. */
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
