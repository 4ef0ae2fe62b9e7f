import {wordAt} from '../decode/word.js';
import {isAddress, type Memory} from './memory.js';

/** What a read that did not succeed throws: expected at any time, since the target runs on while it is read. */
export class Unreadable extends Error {}

/** One instance for all: it is thrown often, and a stack trace of ours says nothing about the target. */
const unreadable = new Unreadable('not readable in the target');

/** Ends the decoding of something in the target that cannot be what it was taken for. */
export function fail(): never {
	throw unreadable;
}

/** Longest C string read from the target, bytes: type and field names of HotSpot's tables stay below 100. */
export const cStringLimit = 256;

/** Most bytes in one read: larger ones come from a length that lies. */
const bytesLimit = 1 << 22;

/** Words that were read before they are asked for (`ReadAhead`). */
export type Ahead = {
	/** Copies what was read at an address to the beginning of `into`; false where nothing was, or not so many bytes. */
	take(address: number, into: Uint8Array, length: number): boolean;
};

/** Little-endian values of the target's memory; every method throws `Unreadable` where it cannot be read. */
export class Reader {
	/** How often the target itself was read so far; what was read ahead does not count. */
	reads = 0;
	readonly #bytes = new Uint8Array(cStringLimit);
	readonly #view = new DataView(this.#bytes.buffer);

	#ahead: Ahead | undefined;

	constructor(readonly memory: Memory) {}

	/** What `read` gives when numbers that were read ahead count as read now. */
	withAhead<T>(ahead: Ahead | undefined, read: () => T): T {
		const outer = this.#ahead;
		this.#ahead = ahead;
		try {
			return read();
		} finally {
			this.#ahead = outer;
		}
	}

	u8(address: number): number {
		this.#fetch(address, 1);
		return this.#bytes[0];
	}

	u16(address: number): number {
		this.#fetch(address, 2);
		return this.#view.getUint16(0, true);
	}

	u32(address: number): number {
		this.#fetch(address, 4);
		return this.#view.getUint32(0, true);
	}

	i32(address: number): number {
		this.#fetch(address, 4);
		return this.#view.getInt32(0, true);
	}

	/** A word as a number; exact below 2^53, which every address is. */
	word(address: number): number {
		this.#fetch(address, 8);
		return wordAt(this.#view, 0);
	}

	/** A word in full, for tagged pointers. */
	bigWord(address: number): bigint {
		this.#fetch(address, 8);
		return this.#view.getBigUint64(0, true);
	}

	/** A word that must be an address. */
	pointer(address: number): number {
		const word = this.word(address);
		return isAddress(word) ? word : fail();
	}

	/** Exactly `length` bytes, in an array of their own. */
	bytes(address: number, length: number): Uint8Array {
		if (!(length >= 0 && length <= bytesLimit)) {
			fail();
		}

		this.reads++;
		const bytes = new Uint8Array(length);
		return length === 0 || this.memory.read(address, bytes, 0, length) === length ? bytes : fail();
	}

	/** Fills `into` from `offset` with exactly `length` bytes. */
	fill(address: number, into: Uint8Array, offset: number, length: number): void {
		this.reads++;
		if (this.memory.read(address, into, offset, length) !== length) {
			fail();
		}
	}

	/** A zero-terminated string of at most 255 bytes, as Latin-1; the empty string for a null pointer. */
	cString(address: number): string {
		if (address === 0) {
			return '';
		}

		// Strings are read in two steps: most are short, and a long read may cross into a page that is not mapped.
		for (const length of [40, cStringLimit]) {
			this.reads++;
			const got = this.memory.read(address, this.#bytes, 0, length);
			const end = this.#bytes.subarray(0, got).indexOf(0);
			if (end !== -1) {
				return String.fromCodePoint(...this.#bytes.subarray(0, end));
			}
		}

		return fail();
	}

	#fetch(address: number, length: number): void {
		if (this.#ahead?.take(address, this.#bytes, length)) {
			return;
		}

		this.reads++;
		if (this.memory.read(address, this.#bytes, 0, length) !== length) {
			fail();
		}
	}
}
