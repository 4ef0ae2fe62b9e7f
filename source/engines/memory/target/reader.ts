import {wordAt} from './word.js';
import {isAddress, type Memory} from './memory.js';

const pageBytes = 4096;

/** Pages kept; a page whose place is taken is read again. */
const places = 256;

/** Pages of the target's memory as they were when first read since `clear`: what is needed together often shares one. */
class RecentPages {
	/** Number of pages read so far. */
	reads = 0;
	readonly #memory: Memory;
	readonly #bytes = new Uint8Array(places * pageBytes);
	/** Address of the page in each place, -1 for none, and how many of its bytes could be read. */
	readonly #starts = new Float64Array(places).fill(-1);
	readonly #lengths = new Uint16Array(places);

	constructor(memory: Memory) {
		this.#memory = memory;
	}

	/** Removes all pages. */
	clear(): void {
		this.#starts.fill(-1);
	}

	/** Copies bytes at an address to the start of `into`; false if they cannot be read or are in two pages. */
	take(address: number, into: Uint8Array, length: number): boolean {
		const place = this.#placeOf(address);
		const inPage = address % pageBytes;
		if (!(inPage + length <= this.#lengths[place])) {
			return false;
		}

		const from = (place * pageBytes) + inPage;
		for (let byte = 0; byte < length; byte++) {
			into[byte] = this.#bytes[from + byte];
		}

		return true;
	}

	/** The readable bytes from an address to the end of its page; valid until the next call. */
	rest(address: number): Uint8Array {
		const place = this.#placeOf(address);
		const start = place * pageBytes;
		return this.#bytes.subarray(start + (address % pageBytes), start + this.#lengths[place]);
	}

	/** The place of the page with an address, which is read if it is not there. */
	#placeOf(address: number): number {
		const start = address - (address % pageBytes);
		const place = (start / pageBytes) % places;
		if (this.#starts[place] !== start) {
			this.reads++;
			this.#lengths[place] = this.#memory.read(start, this.#bytes, place * pageBytes, pageBytes);
			this.#starts[place] = start;
		}

		return place;
	}
}

/** Thrown when a read fails, which is normal because the target runs meanwhile. */
export class Unreadable extends Error {}

/** A single instance, since it is thrown often and its stack trace is of no use. */
const unreadable = new Unreadable('not readable in the target');

/** Rejects something in the target that is not what it was taken for. */
export function fail(): never {
	throw unreadable;
}

/** The result of `read`, or `otherwise` if it throws `Unreadable`. */
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

/** Maximum length of a C string in the target, bytes; names in HotSpot's tables are below 100. */
const cStringLimit = 256;

/** Maximum bytes in one read; a larger length is garbage. */
const bytesLimit = 1 << 22;

/** Reads little-endian values from the target's memory; every method throws `Unreadable`. */
export class Reader {
	readonly #bytes = new Uint8Array(cStringLimit);
	readonly #view = new DataView(this.#bytes.buffer);

	readonly #pages: RecentPages;
	#usesPages = false;
	#reads = 0;

	constructor(readonly memory: Memory) {
		this.#pages = new RecentPages(memory);
	}

	/** Number of reads of the target so far. */
	get reads(): number {
		return this.#reads + this.#pages.reads;
	}

	/**
	Calls `read`, whose values are read by the page and may be as old as the last `forgetPages`: the caller checks that
	objects did not move meanwhile.
	*/
	withPages<T>(read: () => T): T {
		this.#usesPages = true;
		try {
			return read();
		} finally {
			this.#usesPages = false;
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

	/** A word as a number; exact below 2^53, as all addresses are. */
	word(address: number): number {
		this.#fetch(address, 8);
		return wordAt(this.#view, 0);
	}

	/** A full 64-bit word, for tagged pointers. */
	bigWord(address: number): bigint {
		this.#fetch(address, 8);
		return this.#view.getBigUint64(0, true);
	}

	/** A word that must be an address. */
	pointer(address: number): number {
		const word = this.word(address);
		return isAddress(word) ? word : fail();
	}

	/** Exactly `length` bytes, in a new array. */
	bytes(address: number, length: number): Uint8Array {
		if (!(length >= 0 && length <= bytesLimit)) {
			fail();
		}

		this.#reads++;
		const bytes = new Uint8Array(length);
		return length === 0 || this.memory.read(address, bytes, 0, length) === length ? bytes : fail();
	}

	/** Fills `into` from `offset` with exactly `length` bytes. */
	fill(address: number, into: Uint8Array, offset: number, length: number): void {
		this.#reads++;
		if (this.memory.read(address, into, offset, length) !== length) {
			fail();
		}
	}

	/** A zero-terminated string of at most 255 bytes, as Latin-1; empty for a null pointer. */
	cString(address: number): string {
		if (address === 0) {
			return '';
		}

		const inPage = this.#usesPages ? this.#pages.rest(address) : this.#bytes.subarray(0, 0);
		const length = inPage.indexOf(0);
		if (length !== -1 && length < cStringLimit) {
			return Buffer.from(inPage.subarray(0, length)).toString('latin1');
		}

		// Most strings are short, and a long read may cross into an unmapped page.
		for (const length of [40, cStringLimit]) {
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
		if (this.#usesPages && this.#pages.take(address, this.#bytes, length)) {
			return;
		}

		this.#reads++;
		if (this.memory.read(address, this.#bytes, 0, length) !== length) {
			fail();
		}
	}
}
