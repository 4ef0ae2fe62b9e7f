import {wordAt, isAddress, type Memory} from './memory.js';

const pageBytes = 4096;

/** Maximum number of cached pages; each address can be cached in one slot only. */
const slots = 256;

/** The pages of the cache that was used last: with sessions of many JVMs, pages of their own would take much memory. */
const pages: {readonly bytes: Uint8Array; user?: PageCache} = {bytes: new Uint8Array(slots * pageBytes)};

/**
Caches pages of the target's memory until `clear`, or until another cache is used, since values that are read together
often share one.
*/
class PageCache {
	/** Number of pages read. */
	reads = 0;
	readonly #memory: Memory;
	/** Of each slot: the address of its page (-1: none), and the number of readable bytes. */
	readonly #starts = new Float64Array(slots).fill(-1);
	readonly #lengths = new Uint16Array(slots);

	constructor(memory: Memory) {
		this.#memory = memory;
	}

	clear(): void {
		this.#starts.fill(-1);
	}

	/** Copies bytes at an address to the start of `into`; returns false if they are unreadable or in two pages. */
	copy(address: number, into: Uint8Array, length: number): boolean {
		const slot = this.#loadPage(address);
		const inPage = address % pageBytes;
		// Negated so that an address that is NaN fails.
		if (!(inPage + length <= this.#lengths[slot])) {
			return false;
		}

		const from = (slot * pageBytes) + inPage;
		for (let byte = 0; byte < length; byte++) {
			into[byte] = pages.bytes[from + byte];
		}

		return true;
	}

	/** Returns the readable bytes from an address to the end of its page; valid until the next call. */
	restOfPage(address: number): Uint8Array {
		const slot = this.#loadPage(address);
		const start = slot * pageBytes;
		return pages.bytes.subarray(start + (address % pageBytes), start + this.#lengths[slot]);
	}

	#loadPage(address: number): number {
		if (pages.user !== this) {
			this.clear();
			pages.user = this;
		}

		const start = address - (address % pageBytes);
		const slot = (start / pageBytes) % slots;
		if (this.#starts[slot] !== start) {
			this.reads++;
			this.#lengths[slot] = this.#memory.read(start, pages.bytes, slot * pageBytes, pageBytes);
			this.#starts[slot] = start;
		}

		return slot;
	}
}

/** Thrown when data in the target is unreadable or implausible, which is normal because the target is running. */
export class Unreadable extends Error {}

/** The only instance, since it is thrown often and its stack trace is useless. */
const unreadable = new Unreadable('not readable in the target');

/** Throws `Unreadable`: data in the target failed a check. */
export function fail(): never {
	throw unreadable;
}

/** Returns the result of `read`, or `otherwise` if it throws `Unreadable`. */
export function ifReadable<T>(read: () => T, otherwise: T): T {
	try {
		return read();
	} catch (error) {
		if (error instanceof Unreadable) {
			return otherwise;
		}

		throw error;
	}
}

/** Names in HotSpot's tables are below 100 bytes. */
const maxCStringBytes = 256;

const maxReadBytes = 1 << 22;

/** Reads little-endian values from the target's memory; every method throws `Unreadable`. */
export class Reader {
	readonly #bytes = new Uint8Array(maxCStringBytes);
	readonly #view = new DataView(this.#bytes.buffer);

	readonly #pages: PageCache;
	#usesPages = false;
	#reads = 0;

	constructor(readonly memory: Memory) {
		this.#pages = new PageCache(memory);
	}

	/** Number of reads of the target's memory. */
	get reads(): number {
		return this.#reads + this.#pages.reads;
	}

	/**
	Calls `read` with the page cache in use: single values and strings may be as old as the last `forgetPages`, so the
	caller must check that no object has moved since.
	*/
	withPages<T>(read: () => T): T {
		const before = this.#usesPages;
		this.#usesPages = true;
		try {
			return read();
		} finally {
			this.#usesPages = before;
		}
	}

	forgetPages(): void {
		this.#pages.clear();
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

	/** Reads a 64-bit word, exact below 2^53, as all addresses are. */
	word(address: number): number {
		this.#fetch(address, 8);
		return wordAt(this.#view, 0);
	}

	/** Reads a 64-bit word exactly, for tagged pointers. */
	bigWord(address: number): bigint {
		this.#fetch(address, 8);
		return this.#view.getBigUint64(0, true);
	}

	/** Reads a word that must be an address. */
	pointer(address: number): number {
		const word = this.word(address);
		return isAddress(word) ? word : fail();
	}

	bytes(address: number, length: number): Uint8Array {
		if (!(length >= 0 && length <= maxReadBytes)) {
			fail();
		}

		const bytes = new Uint8Array(length);
		if (length > 0) {
			this.fill(address, bytes, 0, length);
		}

		return bytes;
	}

	/** Reads into a buffer at `offset`. */
	fill(address: number, into: Uint8Array, offset: number, length: number): void {
		this.#reads++;
		if (this.memory.read(address, into, offset, length) !== length) {
			fail();
		}
	}

	/** Reads a zero-terminated Latin-1 string of at most 255 bytes; empty for a null pointer. */
	cString(address: number): string {
		if (address === 0) {
			return '';
		}

		const inPage = this.#usesPages ? this.#pages.restOfPage(address) : this.#bytes.subarray(0, 0);
		const length = inPage.indexOf(0);
		if (length !== -1 && length < maxCStringBytes) {
			return Buffer.from(inPage.subarray(0, length)).toString('latin1');
		}

		// Most strings are short, and a long read may cross into an unmapped page.
		for (const length of [40, maxCStringBytes]) {
			this.#reads++;
			const got = this.memory.read(address, this.#bytes, 0, length);
			const end = this.#bytes.subarray(0, got).indexOf(0);
			if (end !== -1) {
				return String.fromCodePoint(...this.#bytes.subarray(0, end));
			}
		}

		return fail();
	}

	#fetch(address: number, length: number): void {
		if (!(this.#usesPages && this.#pages.copy(address, this.#bytes, length))) {
			this.fill(address, this.#bytes, 0, length);
		}
	}
}
