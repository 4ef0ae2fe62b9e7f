import {maxNameLength, printable} from './text.js';

/** A character takes four bytes at most; one more than are shown says that there are more. */
const maxTextBytes = 4 * (maxNameLength + 1);
/** Characters of all texts together. */
const mostCharacters = 4 * 1024 * 1024;

/** Numbers below this are split by the operators of 32-bit integers, which are faster. */
const small = 2 ** 28;

/** Reads what `Bytes` wrote, or somebody else: throws RangeError for what is cut off or out of bounds. */
export class Numbers {
	readonly #bytes: Uint8Array;
	readonly #decoder = new TextDecoder();
	#at = 0;
	#characters = 0;

	constructor(bytes: Uint8Array) {
		this.#bytes = bytes;
	}

	number(): number {
		const first = this.#bytes[this.#at++];
		if (first < 128) {
			return first;
		}

		let value = first - 128;
		for (let factor = 128; ; factor *= 128) {
			const byte = this.#bytes[this.#at++];
			if (byte === undefined || factor > 2 ** 63) {
				throw new RangeError('a report that is cut off');
			}

			value += (byte % 128) * factor;
			if (byte < 128) {
				return Math.min(value, Number.MAX_SAFE_INTEGER);
			}
		}
	}

	/** A number of either sign. */
	signed(): number {
		const value = this.number();
		return value % 2 === 0 ? value / 2 : (value + 1) / -2;
	}

	/** A number less than `limit`. */
	below(limit: number): number {
		const value = this.number();
		if (value >= limit) {
			throw new RangeError('a number that is too large');
		}

		return value;
	}

	text(): string {
		const length = this.below(this.#bytes.length + 1);
		this.expect(length);
		const start = this.#at;
		this.#at += length;
		const text = printable(this.#decoder.decode(this.#bytes.subarray(start, start + Math.min(length, maxTextBytes))));
		this.#characters += text.length;
		if (this.#characters > mostCharacters) {
			throw new RangeError('too many names');
		}

		return text;
	}

	list<Item>(limit: number, read: () => Item): Item[] {
		return Array.from({length: this.below(limit + 1)}, read);
	}

	/** A list of which each begins with a number that is not 0, as the end is. */
	listToZero<Item>(limit: number, read: (first: number) => Item): Item[] {
		const items: Item[] = [];
		for (let first = this.number(); first > 0; first = this.number()) {
			if (items.length === limit) {
				throw new RangeError('too many of them');
			}

			items.push(read(first));
		}

		return items;
	}

	/** The bytes that `read` goes over. */
	span(read: () => void): Uint8Array {
		const start = this.#at;
		read();
		return this.#bytes.subarray(start, this.#at);
	}

	/** So many bytes must be left. */
	expect(count: number): void {
		if (count > this.#bytes.length - this.#at) {
			throw new RangeError('a report that is cut off');
		}
	}
}

/** Of a number in bytes of seven bits. */
const mostNumberBytes = 10;

/** Whole numbers up to 2^53 as bytes, seven bits each, the lowest first (LEB128). */
export class Bytes {
	#bytes = new Uint8Array(4096);
	#length = 0;

	/** Adds a number, 0 or more. */
	number(value: number): void {
		if (this.#length + mostNumberBytes > this.#bytes.length) {
			const larger = new Uint8Array(this.#bytes.length * 2);
			larger.set(this.#bytes);
			this.#bytes = larger;
		}

		let rest = value;
		for (; rest >= small; rest = Math.floor(rest / 128)) {
			this.#bytes[this.#length++] = (rest % 128) + 128;
		}

		for (; rest > 127; rest >>>= 7) {
			this.#bytes[this.#length++] = (rest & 127) + 128;
		}

		this.#bytes[this.#length++] = rest;
	}

	/** Adds a number of either sign, small ones of both in few bytes ("zigzag"). */
	signed(value: number): void {
		this.number(value < 0 ? (value * -2) - 1 : value * 2);
	}

	/** What was added since the last call. */
	take(): Uint8Array {
		const taken = this.#bytes.slice(0, this.#length);
		this.#length = 0;
		return taken;
	}
}
