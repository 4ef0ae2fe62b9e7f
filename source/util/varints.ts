import {maxNameLength, printable, type Printable} from './printable.js';

/** UTF-8 has at most four bytes a character; one character beyond the limit shows that the text was longer. */
const maxTextBytes = 4 * (maxNameLength + 1);
/** Maximum length of all texts of one reader, by default. */
const maxTotalCharacters = 4 * 1024 * 1024;

/** Numbers below this are split with 32-bit integer operators, which are faster. */
const int32Limit = 2 ** 28;

/** Reads what `VarintWriter` writes. Methods throw RangeError if the untrusted input is truncated or out of bounds. */
export class VarintReader {
	readonly #bytes: Uint8Array;
	readonly #decoder = new TextDecoder();
	readonly #maxCharacters: number;
	#at = 0;
	#characters = 0;

	constructor(bytes: Uint8Array, maxCharacters = maxTotalCharacters) {
		this.#bytes = bytes;
		this.#maxCharacters = maxCharacters;
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
				throw new RangeError('truncated data');
			}

			value += (byte % 128) * factor;
			if (byte < 128) {
				return Math.min(value, Number.MAX_SAFE_INTEGER);
			}
		}
	}

	signed(): number {
		const value = this.number();
		return value % 2 === 0 ? value / 2 : (value + 1) / -2;
	}

	/** Reads a number that `VarintWriter.exact` wrote. */
	exact(): number {
		const value = this.number();
		if (value !== float64Follows) {
			return value / 2;
		}

		const {buffer, byteOffset} = this.bytes(8);
		return new DataView(buffer, byteOffset).getFloat64(0, true);
	}

	/** Returns the next `length` bytes, by default all that are left. */
	bytes(length = this.#bytes.length - this.#at): Uint8Array {
		this.requireBytes(length);
		this.#at += length;
		return this.#bytes.subarray(this.#at - length, this.#at);
	}

	/** Returns bytes that `VarintWriter.byteString` wrote, fewer than `limit`. */
	byteString(limit = Infinity): Uint8Array {
		return this.bytes(this.below(limit));
	}

	/** Returns a byte string, of fewer bytes than `limit`, as text that is not made printable. */
	byteStringText(limit: number): string {
		return this.#decoder.decode(this.byteString(limit));
	}

	/** Returns a number that must be below `limit`. */
	below(limit: number): number {
		const value = this.number();
		if (value >= limit) {
			throw new RangeError('number out of bounds');
		}

		return value;
	}

	/** Returns a byte string as printable text, at most as long as a name. */
	text(): Printable {
		const bytes = this.byteString();
		const text = printable(this.#decoder.decode(bytes.subarray(0, maxTextBytes)));
		this.#characters += text.length;
		if (this.#characters > this.#maxCharacters) {
			throw new RangeError('too many names');
		}

		return text;
	}

	/** Reads at most `maxLength` items, whose number precedes them. */
	list<Item>(maxLength: number, read: () => Item): Item[] {
		return Array.from({length: this.below(maxLength + 1)}, read);
	}

	/** Reads at most `maxLength` items that each begin with a number above 0, up to a 0. `read` gets that number. */
	listToZero<Item>(maxLength: number, read: (first: number) => Item): Item[] {
		const items: Item[] = [];
		for (let first = this.number(); first > 0; first = this.number()) {
			if (items.length === maxLength) {
				throw new RangeError('too many items');
			}

			items.push(read(first));
		}

		return items;
	}

	/** Returns the bytes that `read` consumes. */
	span(read: () => void): Uint8Array {
		const start = this.#at;
		read();
		return this.#bytes.subarray(start, this.#at);
	}

	requireBytes(count: number): void {
		if (count > this.#bytes.length - this.#at) {
			throw new RangeError('truncated data');
		}
	}
}

/**
`exact` doubles whole numbers below `maxDoubled`, so it never writes them as 1. A 1 precedes 8 bytes of any other.
*/
const float64Follows = 1;
const maxDoubled = 2 ** 51;

const maxNumberBytes = 10;

/** Writes whole numbers up to 2^53 in bytes of seven bits each, the lowest first (LEB128). */
export class VarintWriter {
	#bytes = new Uint8Array(4096);
	#length = 0;

	number(value: number): void {
		this.#makeRoom(maxNumberBytes);
		let rest = value;
		for (; rest >= int32Limit; rest = Math.floor(rest / 128)) {
			this.#bytes[this.#length++] = (rest % 128) + 128;
		}

		for (; rest > 127; rest >>>= 7) {
			this.#bytes[this.#length++] = (rest & 127) + 128;
		}

		this.#bytes[this.#length++] = rest;
	}

	/** Adds a number of either sign, in few bytes if it is near 0 ("zigzag"). */
	signed(value: number): void {
		this.number(value < 0 ? (value * -2) - 1 : value * 2);
	}

	/** Adds any number, without loss. */
	exact(value: number): void {
		if (Number.isInteger(value) && value >= 0 && value < maxDoubled) {
			this.number(value * 2);
			return;
		}

		this.number(float64Follows);
		const double = new Uint8Array(8);
		new DataView(double.buffer).setFloat64(0, value, true);
		this.bytes(double);
	}

	bytes(bytes: Uint8Array): void {
		this.#makeRoom(bytes.length);
		this.#bytes.set(bytes, this.#length);
		this.#length += bytes.length;
	}

	/** Adds bytes, or a text in UTF-8, with its length in front. */
	byteString(content: Uint8Array | string): void {
		const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
		this.number(bytes.length);
		this.bytes(bytes);
	}

	/** Returns the bytes added since the last call. */
	take(): Uint8Array {
		const taken = this.#bytes.slice(0, this.#length);
		this.#length = 0;
		return taken;
	}

	#makeRoom(length: number): void {
		if (this.#length + length > this.#bytes.length) {
			const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + length));
			larger.set(this.#bytes.subarray(0, this.#length));
			this.#bytes = larger;
		}
	}
}
