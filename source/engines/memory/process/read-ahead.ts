import {type Memory} from './memory.js';
import {Ranges} from './ranges.js';
import {type Ahead, type Reader, Unreadable} from './reader.js';

/** Room at first, in words; doubled as needed. */
const firstWords = 256;

/** Wants words of a step, yields, and has them then: one leads to the next, as a field to an object, that to its class. */
export type Chain = Generator<undefined, void>;

/** Words of the target's memory that are known to be asked for soon, read together. */
export class ReadAhead implements Ahead {
	/** The words of this step; the first of them is the one that `#step` is the number of. */
	readonly #wanted: Ranges;
	#step = 0;
	/** The number of the word at an address, and what was read of each: how many bytes, and these in two halves. */
	readonly #numbers = new Map<number, number>();
	#lengths = new Uint8Array(firstWords);
	#halves = new Uint32Array(2 * firstWords);

	constructor(memory: Memory) {
		this.#wanted = new Ranges(memory);
	}

	/** Forgets all. */
	clear(): void {
		this.#wanted.clear();
		this.#numbers.clear();
		this.#step = 0;
	}

	/**
	Follows chains to their ends, a step of all of them at a time. One ends early where what it stands on cannot be read.
	*/
	follow(reader: Reader, chains: readonly Chain[]): void {
		for (let left = chains; left.length > 0;) {
			left = reader.withAhead(this, () => left.filter(chain => goesOn(chain)));
			this.read();
		}
	}

	/** Adds a word of four or eight bytes to the step, if it is not there yet. */
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

	/** Reads the words of the step. Those that cannot be read are not there. */
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

function goesOn(chain: Chain): boolean {
	try {
		return !chain.next().done;
	} catch (error) {
		if (error instanceof Unreadable) {
			return false;
		}

		throw error;
	}
}
