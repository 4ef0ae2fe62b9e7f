import {printable} from '../text.js';

/** Numbers of seven bits a byte, the lowest first, and texts with their length. */
export class Numbers {
	readonly #bytes: Uint8Array;
	readonly #decoder = new TextDecoder();
	#at = 0;

	constructor(bytes: Uint8Array) {
		this.#bytes = bytes;
	}

	number(): number {
		let value = 0;
		for (let factor = 1; ; factor *= 128) {
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
		this.#at += length;
		return printable(this.#decoder.decode(this.#bytes.subarray(this.#at - length, this.#at)));
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

	/** So many bytes must be left. */
	expect(count: number): void {
		if (count > this.#bytes.length - this.#at) {
			throw new RangeError('a report that is cut off');
		}
	}
}
