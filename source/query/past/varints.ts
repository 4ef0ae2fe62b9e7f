/** So many bits of a number go into a byte; the highest bit says that more come. */
const bits = 7;
const more = 1 << bits;

/** Numbers below this are split by the operators of 32-bit integers, which are faster. */
const small = 2 ** 28;

/** Whole numbers as bytes, small ones in few (LEB128). Up to 2^53. */
export class VarintWriter {
	#bytes = new Uint8Array(1024);
	#length = 0;

	/** Adds a number, 0 or more. */
	unsigned(value: number): void {
		if (this.#length + 8 > this.#bytes.length) {
			const longer = new Uint8Array(this.#bytes.length * 2);
			longer.set(this.#bytes);
			this.#bytes = longer;
		}

		let rest = value;
		while (rest >= small) {
			this.#bytes[this.#length++] = (rest % more) | more;
			rest = Math.floor(rest / more);
		}

		for (; rest >= more; rest >>>= bits) {
			this.#bytes[this.#length++] = (rest & (more - 1)) | more;
		}

		this.#bytes[this.#length++] = rest;
	}

	/** Adds a number of either sign, small ones of both in few bytes ("zigzag"). */
	signed(value: number): void {
		this.unsigned(value < 0 ? (value * -2) - 1 : value * 2);
	}

	/** What was added since the last call. */
	take(): Uint8Array {
		const taken = this.#bytes.slice(0, this.#length);
		this.#length = 0;
		return taken;
	}
}

/** Reads what a VarintWriter wrote. */
export class VarintReader {
	readonly #bytes: Uint8Array;
	#at = 0;

	constructor(bytes: Uint8Array) {
		this.#bytes = bytes;
	}

	unsigned(): number {
		let byte = this.#bytes[this.#at++];
		if (byte < more) {
			return byte;
		}

		let value = byte - more;
		let scale = more;
		do {
			byte = this.#bytes[this.#at++];
			value += (byte & (more - 1)) * scale;
			scale *= more;
		} while (byte >= more);

		return value;
	}

	signed(): number {
		const value = this.unsigned();
		return value % 2 === 0 ? value / 2 : (value + 1) / -2;
	}
}
