import {type Memory} from './memory.js';
import {Ranges} from './ranges.js';
import {type Ahead, ifReadable, type Reader} from './reader.js';

/** Initial room, in words. */
const firstWords = 256;

/** Wants the words of a step, yields, and can then read them to find the next ones. */
export type Chain = Generator<undefined, void>;

/** Words of the target's memory that will be needed soon, read together. */
export class ReadAhead implements Ahead {
	/** The words of this step, of which the first has number `#step`. */
	readonly #wanted: Ranges;
	#step = 0;
	/** Number of the word at an address; for each word its bytes read, and its two halves. */
	readonly #numbers = new Map<number, number>();
	#lengths = new Uint8Array(firstWords);
	#halves = new Uint32Array(2 * firstWords);

	constructor(memory: Memory) {
		this.#wanted = new Ranges(memory);
	}

	/** Removes all words. */
	clear(): void {
		this.#wanted.clear();
		this.#numbers.clear();
		this.#step = 0;
	}

	/**
	Advances all chains together, step by step, to their ends. A chain ends early if a word it needs is unreadable.
	*/
	follow(reader: Reader, chains: readonly Chain[]): void {
		for (let left = chains; left.length > 0;) {
			left = reader.withAhead(this, () => left.filter(chain => ifReadable(() => !chain.next().done, false)));
			this.read();
		}
	}

	/** Adds a word of four or eight bytes to the step, unless it is there already. */
	want(address: number, length: 4 | 8): void {
		if (this.#numbers.has(address)) {
			return;
		}

		const number = this.#step + this.#wanted.add(address, length);
		if (number === this.#lengths.length) {
			this.#grow();
		}

		this.#numbers.set(address, number);
		this.#lengths[number] = 0;
	}

	/** Reads the words of the step, and leaves out unreadable ones. */
	read(): void {
		const wanted = this.#wanted;
		wanted.read();
		for (let range = 0; range < wanted.count; range++) {
			if (wanted.isRead(range)) {
				const number = this.#step + range;
				const length = wanted.lengthOf(range);
				this.#lengths[number] = length;
				this.#halves[2 * number] = wanted.half(range, 0);
				this.#halves[(2 * number) + 1] = length === 8 ? wanted.half(range, 4) : 0;
			}
		}

		this.#step += wanted.count;
		wanted.clear();
	}

	take(address: number, into: Uint8Array, length: number): boolean {
		const number = this.#numbers.get(address);
		if (number === undefined || length > this.#lengths[number]) {
			return false;
		}

		for (let byte = 0, half = this.#halves[2 * number]; byte < length; byte++, half >>>= 8) {
			half = byte === 4 ? this.#halves[(2 * number) + 1] : half;
			into[byte] = half;
		}

		return true;
	}

	#grow(): void {
		const lengths = new Uint8Array(2 * this.#lengths.length);
		lengths.set(this.#lengths);
		this.#lengths = lengths;
		const halves = new Uint32Array(2 * lengths.length);
		halves.set(this.#halves);
		this.#halves = halves;
	}
}
