import {fail} from '../target/reader.js';

/**
Reads HotSpot's UNSIGNED5 numbers (unsigned5.hpp; before 20 compressedStream.hpp): up to five bytes, low part first, six
bits each from the second on; a byte of 192 or more continues the number. Since 20 (JDK-8292758) the byte 0 is not a
digit, and `excluded` is 1; before, 0. Throws `Unreadable` at the end of the bytes.
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

	/** An unsigned number of 32 bits. */
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

	/** A signed number, zig-zag coded. */
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
