import {wordOf, type Memory} from '../target/memory.js';
import {fail} from '../target/memory-reader.js';

/** On arm64, the kernel's copy of a stack may end this much before the stack does (arch/arm64/lib/copy_template.S). */
const copyGranule = 64;

/** The bits of an address in the upper half of a word. */
const addressMask = 0xFF_FF;

/** Enough for some 7,000 interpreted frames; a deeper stack is truncated. */
const stackBytesLimit = 1 << 20;

/** A copy of part of a thread's stack. Its words are read by the addresses that they have in the target. */
export class StackCopy {
	/** Addresses of the first word, and after the last. */
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
		const length = this.#begin(low, base, limit);
		if (memory.read(low, this.#bytes, 0, length) !== length) {
			fail();
		}

		this.high = low + length;
	}

	/** Copies bytes that were read at `low`, up to the stack's base. Throws `Unreadable` if there are none. */
	set(low: number, bytes: Uint8Array, base: number): void {
		const length = this.#begin(low, base, Math.min(bytes.length, stackBytesLimit));
		this.#bytes.set(bytes.subarray(0, length));
		this.high = low + length;
	}

	/** Returns a hash of the contents (FNV-1, by words). */
	checksum(): number {
		let sum = 0;
		for (let index = (this.high - this.low) / 4; index-- > 0;) {
			sum = Math.imul(sum ^ this.#words[index], 0x01_00_01_93);
		}

		return sum;
	}

	has(address: number): boolean {
		return address >= this.low && address + 8 <= this.high && address % 8 === 0;
	}

	/** Returns the word at an address, exact below 2^53; throws `Unreadable` outside the copy. */
	word(address: number): number {
		if (!this.has(address)) {
			fail();
		}

		const index = (address - this.low) / 4;
		return wordOf(this.#words[index], this.#words[index + 1]);
	}

	/** Returns the word at an address; 0 outside the copy. */
	wordOrZero(address: number): number {
		return this.has(address) ? this.word(address) : 0;
	}

	/**
	Returns the code address in a word, without its upper 16 bits, in which arm64 signs return addresses (pointer
	authentication); 0 outside the copy.
	*/
	returnAddress(address: number): number {
		const index = (address - this.low) / 4;
		return this.has(address) ? wordOf(this.#words[index], this.#words[index + 1] & addressMask) : 0;
	}

	/** Returns where, below `high`, the words are that are addresses from `low` up to `end`, signed or not. */
	placesBetween(low: number, end: number, high = this.high): readonly number[] {
		const [lowHalf, endHalf] = [Math.floor(low / (2 ** 32)), Math.floor(end / (2 ** 32))];
		const words = (Math.min(high, this.high) - this.low) / 4;
		const found: number[] = [];
		for (let index = 0; index < words; index += 2) {
			const half = this.#words[index + 1] & addressMask;
			if (half < lowHalf || half > endHalf) {
				continue;
			}

			const word = wordOf(this.#words[index], half);
			if (word >= low && word < end) {
				found.push(this.low + (4 * index));
			}
		}

		return found;
	}

	/** Returns the signed 32 bits at an address; throws `Unreadable` outside the copy. */
	i32(address: number): number {
		const low = this.u32(address);
		return low < 2 ** 31 ? low : low - (2 ** 32);
	}

	/** Returns the 32 bits at an address; throws `Unreadable` outside the copy. */
	u32(address: number): number {
		if (address < this.low || address + 4 > this.high || address % 4 !== 0) {
			fail();
		}

		return this.#words[(address - this.low) / 4];
	}

	/** Empties the copy, makes room, and returns the bytes to copy. Throws `Unreadable` if there are none. */
	#begin(low: number, base: number, limit: number): number {
		const length = Math.floor(Math.min(base - low, limit) / 8) * 8;
		this.low = low;
		this.high = low;
		this.isTruncated = low + length + copyGranule <= base;
		// Not `length <= 0`, which is false for NaN.
		if (!(length > 0) || low % 8 !== 0) {
			fail();
		}

		if (length > this.#bytes.length) {
			this.#bytes = new Uint8Array(2 ** Math.ceil(Math.log2(length)));
			this.#words = new Uint32Array(this.#bytes.buffer);
		}

		return length;
	}
}

/** The JVM's own dumps stop at 1,024 frames (MaxJavaStackTraceDepth); a stack of 1 MB holds some 20,000 small ones. */
const frameLimit = 16_384;

/** Frame ids of one stack, innermost first, in memory that is reused for the next stack. Once full, it drops frames. */
export class FrameBuffer {
	count = 0;
	ids = new Int32Array(1024);

	get isFull(): boolean {
		return this.count === frameLimit;
	}

	push(frame: number): void {
		if (this.isFull) {
			return;
		}

		if (this.count === this.ids.length) {
			const larger = new Int32Array(this.count * 2);
			larger.set(this.ids);
			this.ids = larger;
		}

		this.ids[this.count++] = frame;
	}

	pushAll(frames: Int32Array): void {
		for (const frame of frames) {
			this.push(frame);
		}
	}

	copy(): Int32Array {
		return this.ids.slice(0, this.count);
	}
}
