import {wordOf} from '../decode/word.js';
import {isAddress, type Memory} from './memory.js';
import {placesAtOnce, vectorBytes} from './vm-reads.js';

/** Buffers begin with room for so many places. */
const firstPlaces = 256;

/** Below this, reading one after the other is as fast. */
const leastAtOnce = 3;

/**
Places in the target's memory, all of the same length, that are read together: at some tenth of a microsecond each, a
seventh of what a read of its own costs. No more atomic than single reads are. The call goes by the process's id, and
after an exec would read another program: what it read counts only if the memory that was opened is there behind it.
*/
export class Places {
	count = 0;
	/** What was read of all places, one after the other, as bytes and as 32-bit words. */
	bytes: Uint8Array;
	words: Uint32Array;
	/** Bytes of each place. */
	readonly length: number;
	readonly #memory: Memory;
	#vectors: Uint32Array;
	#vectorBytes: Uint8Array;
	#isRead: Uint8Array;

	/** `length`: bytes of each place, a multiple of four. */
	constructor(memory: Memory, length: number) {
		this.#memory = memory;
		this.length = length;
		this.bytes = new Uint8Array(firstPlaces * length);
		this.words = new Uint32Array(this.bytes.buffer);
		this.#vectors = new Uint32Array(firstPlaces * vectorBytes / 4);
		this.#vectorBytes = new Uint8Array(this.#vectors.buffer);
		this.#isRead = new Uint8Array(firstPlaces);
	}

	/** Forgets all places. */
	clear(): void {
		this.count = 0;
	}

	/** Adds a place and gives its number. */
	add(address: number): number {
		if (this.count === this.#isRead.length) {
			this.#grow();
		}

		const at = this.count * vectorBytes / 4;
		const isAllowed = isAddress(address);
		this.#vectors[at] = isAllowed ? address % 0x1_00_00_00_00 : 0;
		this.#vectors[at + 1] = isAllowed ? Math.floor(address / 0x1_00_00_00_00) : 0;
		this.#vectors[at + 2] = this.length;
		this.#vectors[at + 3] = 0;
		return this.count++;
	}

	/** Reads all places, anew each time. */
	read(): void {
		this.#isRead.fill(0, 0, this.count);
		let next = 0;
		let sure = -1;
		while (next < this.count) {
			const asked = Math.min(placesAtOnce, this.count - next);
			const done = asked < leastAtOnce ? -1 : this.#readFrom(next, asked);
			if (done < 0) {
				break;
			}

			this.#isRead.fill(1, next, next + done);
			next += done;
			sure = done > 0 ? next - 1 : sure;
			if (done < asked) {
				this.#readOne(next++);
			}
		}

		if (sure >= 0 && !this.#readOne(sure)) {
			this.#isRead.fill(0, 0, next);
		}

		for (; next < this.count; next++) {
			this.#readOne(next);
		}
	}

	/** Whether a place could be read the last time. */
	isRead(place: number): boolean {
		return this.#isRead[place] === 1;
	}

	/** The 8-byte word at an offset (a multiple of four) of a place, exact below 2^53. */
	word(place: number, offset: number): number {
		const at = ((place * this.length) + offset) / 4;
		return wordOf(this.words[at], this.words[at + 1]);
	}

	/** The 4-byte word at an offset (a multiple of four) of a place. */
	half(place: number, offset: number): number {
		return this.words[((place * this.length) + offset) / 4];
	}

	/** How many places from `first` on were read at once, up to one that cannot be; -1 where that is not to be had. */
	#readFrom(first: number, count: number): number {
		const length = count * this.length;
		const got = this.#memory.readMany?.(this.#vectorBytes, first, count, this.bytes, first * this.length, length) ?? -1;
		return got < 0 ? -1 : Math.floor(got / this.length);
	}

	#readOne(place: number): boolean {
		const at = place * vectorBytes / 4;
		const address = wordOf(this.#vectors[at], this.#vectors[at + 1]);
		const isRead = this.#memory.read(address, this.bytes, place * this.length, this.length) === this.length;
		this.#isRead[place] = isRead ? 1 : 0;
		return isRead;
	}

	#grow(): void {
		const size = this.count * 2;
		this.bytes = new Uint8Array(size * this.length);
		this.words = new Uint32Array(this.bytes.buffer);
		const vectors = new Uint32Array(size * vectorBytes / 4);
		vectors.set(this.#vectors);
		this.#vectors = vectors;
		this.#vectorBytes = new Uint8Array(vectors.buffer);
		this.#isRead = new Uint8Array(size);
	}
}
