/** Slots are at most half full: a miss looks at two slots on average. */
const slotsPerEntry = 2;

/**
Dense ids for tuples of `width` integers: the first tuple added has id 0, the next 1; the id of a removed tuple goes to
the next one added. Open addressing on typed arrays, so that looking up a tuple allocates nothing. Callers put the tuple
into `key`, then call `find`, `add` or `intern`.
*/
export class TupleIndex {
	readonly key: Int32Array;
	/** Ids that were ever in use. */
	size = 0;
	readonly #width: number;
	/** Where hashes begin: a target must not be able to choose tuples that all fall into one place. */
	readonly #seed = Math.trunc(Math.random() * (2 ** 32));
	/** Tuples by id. */
	#tuples: Int32Array;
	/** Id + 1, or 0. */
	#slots: Int32Array;
	/** Ids of tuples that were removed. */
	readonly #free: number[] = [];

	constructor(width: number, expected = 1024) {
		this.#width = width;
		this.key = new Int32Array(width);
		const size = 2 ** Math.ceil(Math.log2(expected));
		this.#tuples = new Int32Array(size * width);
		this.#slots = new Int32Array(size * slotsPerEntry);
	}

	/** Id of the tuple in `key`, or -1. */
	find(): number {
		return this.#slots[this.#slotOf(this.key, 0)] - 1;
	}

	/** Adds the tuple in `key`, which must not be there yet, and returns its id. */
	add(): number {
		const free = this.#free.pop();
		const id = free ?? this.size++;
		const width = this.#width;
		if (id * width === this.#tuples.length) {
			this.#grow();
		}

		this.#tuples.set(this.key, id * width);
		this.#slots[this.#slotOf(this.key, 0)] = id + 1;
		return id;
	}

	/** Tuples that are there. */
	get used(): number {
		return this.size - this.#free.length;
	}

	/** Removes tuple `id`, which must be there. */
	remove(id: number): void {
		const slots = this.#slots;
		const mask = slots.length - 1;
		let hole = this.#slotOf(this.#tuples, id * this.#width);
		// Those behind it that would no longer be found move up.
		for (let at = (hole + 1) & mask; slots[at] !== 0; at = (at + 1) & mask) {
			const first = this.#hashOf(this.#tuples, (slots[at] - 1) * this.#width) & mask;
			if (((at - first) & mask) >= ((at - hole) & mask)) {
				slots[hole] = slots[at];
				hole = at;
			}
		}

		slots[hole] = 0;
		this.#free.push(id);
	}

	/** Id of the tuple in `key`, which is added if it is not there. */
	intern(): number {
		const id = this.find();
		return id === -1 ? this.add() : id;
	}

	/** Field `field` of all tuples, by id, after `offset` zeros. */
	column(field: number, offset = 0): Int32Array {
		const column = new Int32Array(offset + this.size);
		for (let id = 0; id < this.size; id++) {
			column[offset + id] = this.#tuples[(id * this.#width) + field];
		}

		return column;
	}

	/** Field `field` of tuple `id`. */
	get(id: number, field: number): number {
		return this.#tuples[(id * this.#width) + field];
	}

	/** The slot that holds the tuple at `at` of `from`, or the free one where it belongs. */
	#slotOf(from: Int32Array, at: number): number {
		const width = this.#width;
		const slots = this.#slots;
		const tuples = this.#tuples;
		const mask = slots.length - 1;
		for (let slot = this.#hashOf(from, at) & mask; ; slot = (slot + 1) & mask) {
			const id = slots[slot] - 1;
			if (id < 0) {
				return slot;
			}

			let field = 0;
			while (field < width && tuples[(id * width) + field] === from[at + field]) {
				field++;
			}

			if (field === width) {
				return slot;
			}
		}
	}

	#hashOf(from: Int32Array, at: number): number {
		const width = this.#width;
		let hash = this.#seed;
		for (let field = 0; field < width; field++) {
			hash = Math.imul(hash ^ from[at + field], 0x9E_37_79_B1);
			hash ^= hash >>> 15;
		}

		return hash;
	}

	/** Doubles the room; no tuple is free then. */
	#grow(): void {
		const old = this.#tuples;
		this.#tuples = new Int32Array(old.length * 2);
		this.#tuples.set(old);
		this.#slots = new Int32Array(this.#slots.length * 2);
		for (let id = 0; id * this.#width < old.length; id++) {
			this.#slots[this.#slotOf(old, id * this.#width)] = id + 1;
		}
	}
}
