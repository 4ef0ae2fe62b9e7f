import {type Memory} from '../process/memory.js';
import {Ranges} from '../process/ranges.js';

/** Something that was read of the target, and where something else may be by now. */
export type Checkable = {
	/** The last round in which it was asked for and still the same, and the last in which it was known to be. */
	round: number;
	sureRound: number;
	/** Adds what tells to what is read together, and gives its number there. */
	addTo(ranges: Ranges): number;
	/** Whether it is still the same, by what was read. */
	isSameIn(ranges: Ranges, first: number): boolean;
};

/**
Checks once a round (a sample) that things are still what they were: those of the round before in one reading, as most
of them are asked for again, the others one by one.
*/
export class Rechecks<T extends Checkable> {
	#round = 0;
	/** Those of this round, and of the one before while they were not read again. */
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

	/** Takes something as the same in this round, as it was just read. */
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
