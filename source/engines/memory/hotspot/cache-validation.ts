import {type Memory} from '../target/memory.js';
import {Ranges} from '../target/ranges.js';

/** A cached part of the target, which may have been replaced by something else. */
export type Checkable = {
	/** The last round in which it was requested and valid, and the last in which it was validated. */
	round: number;
	sureRound: number;
	/** Adds the bytes that identify it to ranges to be read together; returns the first index. */
	addTo(ranges: Ranges): number;
	/** Whether these bytes are unchanged. */
	isSameIn(ranges: Ranges, first: number): boolean;
};

/**
Validates cached items once a round (a sample): those of the previous round in one read, because most are needed again,
the others one by one.
*/
export class CacheValidation<T extends Checkable> {
	#round = 0;
	/** Items of this round; and of the previous one, until they are validated. */
	#asked: T[] = [];
	#before: T[] = [];
	readonly #ranges: Ranges;

	constructor(memory: Memory) {
		this.#ranges = new Ranges(memory);
	}

	nextRound(): void {
		this.#round++;
		const free = this.#before;
		this.#before = this.#asked;
		this.#asked = free;
		free.length = 0;
	}

	/** Adds an item that was just read. */
	isNew(item: T): void {
		item.round = this.#round;
		item.sureRound = this.#round;
		this.#asked.push(item);
	}

	isSame(item: T): boolean {
		if (item.round === this.#round) {
			return true;
		}

		if (this.#before.length > 0) {
			this.#read(this.#before);
			this.#before.length = 0;
		}

		if (item.sureRound !== this.#round) {
			this.#read([item]);
		}

		if (item.sureRound !== this.#round) {
			return false;
		}

		item.round = this.#round;
		this.#asked.push(item);
		return true;
	}

	#read(items: readonly T[]): void {
		const ranges = this.#ranges;
		ranges.clear();
		for (const item of items) {
			item.addTo(ranges);
		}

		ranges.read();
		let first = 0;
		const perItem = ranges.count / items.length;
		for (const item of items) {
			if (item.isSameIn(ranges, first)) {
				item.sureRound = this.#round;
			}

			first += perItem;
		}
	}
}
