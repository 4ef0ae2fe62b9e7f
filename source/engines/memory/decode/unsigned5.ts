import {fail} from '../target/reader.js';

/**
Reads HotSpot's UNSIGNED5 numbers (unsigned5.hpp; before 20 compressedStream.hpp): up to five bytes, the low part first,
six bits in each from the second on; a byte of 192 or more continues the number. `excluded`: number of byte values not
used as digits, 1 since 20 (JDK-8292758), 0 before. Throws `Unreadable` at the end of the bytes.
*/
export class Unsigned5 {
	position: number;
	readonly #bytes: Uint8Array;
	readonly #excluded: number;

	constructor(bytes: Uint8Array, excluded: number, position = 0) {
		this.#bytes = bytes;
		this.#excluded = excluded;
		this.position = position;
	}

	/** Reads an unsigned 32-bit number. */
	next(): number {
		let sum = 0;
		let scale = 1;
		for (let index = 0; index < 5; index++) {
			const byte = this.byte();
			if (byte < this.#excluded) {
				fail();
			}

			sum += (byte - this.#excluded) * scale;
			scale *= 64;
			if (byte < 192) {
				break;
			}
		}

		return sum >>> 0;
	}

	/** Reads a signed, zig-zag encoded number. */
	nextSigned(): number {
		const value = this.next();
		return (value >>> 1) ^ -(value & 1);
	}

	byte(): number {
		if (!(this.position >= 0 && this.position < this.#bytes.length)) {
			fail();
		}

		return this.#bytes[this.position++];
	}
}
