/**
Longest text kept: a line with a class, a method and a file name of a hundred characters each fits; longer ones are
parsed again each time.
*/
export const maxCachedLength = 1024;

/** Bytes of text kept for each possible entry: the lines of most programs need less than half of that. */
const bytesForEntry = 256;

/** Slots looked at before a text counts as absent: bounds what texts that were made to collide can cost. */
const maxProbes = 16;

/** Factor of the FNV-1a hash. */
const fnvPrime = 16_777_619;

const newline = 10;

/**
Remembers what texts (bytes) stand for, so that a text seen before allocates nothing: a hash finds it, and a comparison
of all its bytes confirms it. Each text also remembers which one followed it last time; for the lines of a stack that
guess is mostly right, and saves the hash. When the cache is full, everything is forgotten at once and learnt again.
*/
export class LineCache {
	/** What the entry stands for, as given to `add`. */
	value: Int32Array;
	/** A second number, as given to `add`. */
	extra: Int32Array;
	/** How often everything was forgotten; entries of an earlier generation must not be used. */
	generation = 0;
	/** After `findLine`: where the line ends (index of its line feed, or the limit). */
	lineEnd = 0;

	readonly #maxEntries: number;
	readonly #slots: Int32Array;
	#bytes: Uint8Array;
	#used = 0;
	#count = 0;
	#start: Int32Array;
	#length: Int32Array;
	#hash: Int32Array;
	#next: Int32Array;

	/**
	`maxEntries`, a power of two, also bounds the memory: about 150 bytes an entry for texts of 100 bytes, and at most
	twice that.
	*/
	constructor(maxEntries: number) {
		this.#maxEntries = maxEntries;
		this.#slots = new Int32Array(maxEntries * 2);
		this.#bytes = new Uint8Array(1 << 14);
		this.value = new Int32Array(256);
		this.extra = new Int32Array(256);
		this.#start = new Int32Array(256);
		this.#length = new Int32Array(256);
		this.#hash = new Int32Array(256);
		this.#next = new Int32Array(256);
	}

	/** The entry of the text, or -1. */
	find(bytes: Uint8Array, start: number, end: number): number {
		let hash = 0;
		for (let at = start; at < end; at++) {
			hash = Math.imul(hash ^ bytes[at], fnvPrime);
		}

		return this.#lookUp(bytes, start, end, hash);
	}

	/**
	The entry of the line that starts here, or -1; `previous` is the entry before it in the stack or -1. Sets `lineEnd`.
	*/
	findLine(bytes: Uint8Array, start: number, limit: number, previous: number): number {
		if (previous >= 0) {
			const guess = this.#next[previous];
			if (guess >= 0 && this.#isLine(bytes, start, limit, guess)) {
				return guess;
			}
		}

		let hash = 0;
		let end = start;
		for (; end < limit; end++) {
			const byte = bytes[end];
			if (byte === newline) {
				break;
			}

			hash = Math.imul(hash ^ byte, fnvPrime);
		}

		this.lineEnd = end;
		const found = this.#lookUp(bytes, start, end, hash);
		if (found >= 0 && previous >= 0) {
			this.#next[previous] = found;
		}

		return found;
	}

	/** The entry if the line that starts here has its text; otherwise -1. Sets `lineEnd` when it is. */
	guessLine(bytes: Uint8Array, start: number, limit: number, entry: number): number {
		return entry >= 0 && entry < this.#count && this.#isLine(bytes, start, limit, entry) ? entry : -1;
	}

	/** Adds a text that `find` did not find; returns its entry, or -1 when it is too long to keep. */
	add(bytes: Uint8Array, start: number, end: number, value: number, extra = 0): number {
		const length = end - start;
		if (length > maxCachedLength) {
			return -1;
		}

		if (this.#count === this.#maxEntries || this.#used + length > this.#maxEntries * bytesForEntry) {
			this.#forgetAll();
		}

		let hash = 0;
		for (let at = start; at < end; at++) {
			hash = Math.imul(hash ^ bytes[at], fnvPrime);
		}

		const slot = this.#freeSlot(hash);
		if (slot < 0) {
			return -1;
		}

		this.#grow(length);
		const entry = this.#count++;
		this.#bytes.set(bytes.subarray(start, end), this.#used);
		this.#start[entry] = this.#used;
		this.#length[entry] = length;
		this.#hash[entry] = hash;
		this.#next[entry] = -1;
		this.value[entry] = value;
		this.extra[entry] = extra;
		this.#used += length;
		this.#slots[slot] = entry + 1;
		return entry;
	}

	#isLine(bytes: Uint8Array, start: number, limit: number, entry: number): boolean {
		const end = start + this.#length[entry];
		if (end >= limit || bytes[end] !== newline || !this.#isSame(bytes, start, end, entry)) {
			return false;
		}

		this.lineEnd = end;
		return true;
	}

	/** Compares from the end: that is where neighbouring lines differ. */
	#isSame(bytes: Uint8Array, start: number, end: number, entry: number): boolean {
		const own = this.#bytes;
		let ownAt = this.#start[entry] + (end - start);
		for (let at = end - 1; at >= start; at--) {
			if (bytes[at] !== own[--ownAt]) {
				return false;
			}
		}

		return true;
	}

	#lookUp(bytes: Uint8Array, start: number, end: number, hash: number): number {
		const mask = this.#slots.length - 1;
		let slot = spread(hash) & mask;
		for (let probe = 0; probe < maxProbes; probe++) {
			const entry = this.#slots[slot] - 1;
			if (entry < 0) {
				return -1;
			}

			if (this.#hash[entry] === hash && this.#length[entry] === end - start && this.#isSame(bytes, start, end, entry)) {
				return entry;
			}

			slot = (slot + 1) & mask;
		}

		return -1;
	}

	#freeSlot(hash: number): number {
		const mask = this.#slots.length - 1;
		let slot = spread(hash) & mask;
		for (let probe = 0; probe < maxProbes; probe++) {
			if (this.#slots[slot] === 0) {
				return slot;
			}

			slot = (slot + 1) & mask;
		}

		return -1;
	}

	#forgetAll(): void {
		this.#slots.fill(0);
		this.#count = 0;
		this.#used = 0;
		this.generation++;
	}

	#grow(length: number): void {
		if (this.#used + length > this.#bytes.length) {
			const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#used + length));
			larger.set(this.#bytes);
			this.#bytes = larger;
		}

		if (this.#count === this.value.length) {
			this.value = doubled(this.value);
			this.extra = doubled(this.extra);
			this.#start = doubled(this.#start);
			this.#length = doubled(this.#length);
			this.#hash = doubled(this.#hash);
			this.#next = doubled(this.#next);
		}
	}
}

/** Mixes the upper bits into the lower ones, which choose the slot. */
function spread(hash: number): number {
	return hash ^ (hash >>> 15);
}

function doubled(array: Int32Array): Int32Array {
	const larger = new Int32Array(array.length * 2);
	larger.set(array);
	return larger;
}
