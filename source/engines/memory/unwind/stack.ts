import {wordAt, wordOf, type Memory} from '../target/memory.js';
import {fail} from '../target/reader.js';

/** Enough for some 7,000 interpreted frames; a deeper stack is truncated. */
const stackBytesLimit = 1 << 20;

/** A copy of part of a thread's stack, read by address. */
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
		const length = Math.min(base - low, limit);
		this.#begin(low, length);
		if (memory.read(low, this.#bytes, 0, length) !== length) {
			fail();
		}

		this.high = low + length;
		this.isTruncated = this.high < base;
	}

	/** Copies the bytes of a stack from an address on, up to its base. Throws `Unreadable` if there are none. */
	set(low: number, bytes: Uint8Array, base: number): void {
		const length = Math.floor(Math.min(base - low, bytes.length, stackBytesLimit) / 8) * 8;
		this.#begin(low, length);
		this.#bytes.set(bytes.subarray(0, length));
		this.high = low + length;
		this.isTruncated = this.high < base;
	}

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

	/** Returns the low half of the word at an address as a signed number; throws `Unreadable` outside the copy. */
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

	/** Empties the copy, and makes room. Throws `Unreadable` if nothing can be copied. */
	#begin(low: number, length: number): void {
		this.low = low;
		this.high = low;
		// Not `length <= 0`, which is false for NaN.
		if (!(length > 0) || low % 8 !== 0) {
			fail();
		}

		if (length > this.#bytes.length) {
			this.#bytes = new Uint8Array(2 ** Math.ceil(Math.log2(length)));
			this.#words = new Uint32Array(this.#bytes.buffer);
		}
	}
}

/** The JVM's own dumps stop at 1,024 frames (MaxJavaStackTraceDepth); a stack of 1 MB holds some 20,000 small ones. */
const frameLimit = 16_384;

/** Frame ids of one stack, innermost first, in memory that is reused for the next stack. */
export class FrameBuffer {
	count = 0;
	ids = new Int32Array(1024);

	/** Appends a frame; returns false if the buffer is full. */
	push(frame: number): boolean {
		if (this.count === this.ids.length) {
			if (this.count >= frameLimit) {
				return false;
			}

			const larger = new Int32Array(this.count * 2);
			larger.set(this.ids);
			this.ids = larger;
		}

		this.ids[this.count++] = frame;
		return true;
	}

	copy(): Int32Array {
		return this.ids.slice(0, this.count);
	}
}

/** Registers needed to unwind; addresses are exact, other words only below 2^53. */
export type Registers = {
	readonly pc: number;
	readonly sp: number;
	readonly fp: number;
	readonly rax: number;
	readonly rbx: number;
	readonly r13: number;
};

/** Bytes of struct user_regs_struct on x86-64 (Linux arch/x86/include/asm/user_64.h). */
export const registersBytes = 27 * 8;

const registerIndex = {r13: 2, fp: 4, rbx: 5, rax: 10, pc: 16, sp: 19};

/** Decodes the registers written by PTRACE_GETREGS. */
export function decodeRegisters(bytes: Uint8Array): Registers {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const word = (at: number) => wordAt(view, at * 8);
	return {
		pc: word(registerIndex.pc), sp: word(registerIndex.sp), fp: word(registerIndex.fp), rax: word(registerIndex.rax), rbx: word(registerIndex.rbx), r13: word(registerIndex.r13),
	};
}
