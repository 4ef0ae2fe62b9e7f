/** The hash table is at most half full: a failed lookup probes two slots on average. */
const slotsPerEntry = 2;

/**
Gives tuples of `width` integers ids from 0 on; the id of a removed tuple is reused for the next one added. A hash table
with open addressing in typed arrays, so that lookups allocate nothing. Callers write the tuple to `key`, then call
`find`,
`add` or `intern`.
*/
export class TupleIndex {
	readonly key: Int32Array;
	/** Number of ids ever used, those of removed tuples included. */
	size = 0;
	readonly #width: number;
	/** Random, so that a target cannot choose tuples that all collide. */
	readonly #seed = Math.trunc(Math.random() * (2 ** 32));
	#tuplesById: Int32Array;
	/** Id + 1, or 0 if free. */
	#slots: Int32Array;
	readonly #freeIds: number[] = [];

	/** `expected`: number of tuples for which there is room before the arrays grow. */
	constructor(width: number, expected = 1024) {
		this.#width = width;
		this.key = new Int32Array(width);
		const size = 2 ** Math.ceil(Math.log2(expected));
		this.#tuplesById = new Int32Array(size * width);
		this.#slots = new Int32Array(size * slotsPerEntry);
	}

	/** Returns the id of the tuple in `key`; -1 if it is absent. */
	find(): number {
		return this.#slots[this.#slotOf(this.key, 0)] - 1;
	}

	/** Adds the tuple in `key`, which must not be present, and returns its id. */
	add(): number {
		const free = this.#freeIds.pop();
		const id = free ?? this.size++;
		const width = this.#width;
		if (id * width === this.#tuplesById.length) {
			this.#grow();
		}

		this.#tuplesById.set(this.key, id * width);
		this.#slots[this.#slotOf(this.key, 0)] = id + 1;
		return id;
	}

	/** Number of tuples. */
	get used(): number {
		return this.size - this.#freeIds.length;
	}

	remove(id: number): void {
		const slots = this.#slots;
		const mask = slots.length - 1;
		let hole = this.#slotOf(this.#tuplesById, id * this.#width);
		// A lookup ends at a free slot, so an entry whose lookup passes the hole moves into it and leaves the next
		// hole.
		for (let at = (hole + 1) & mask; slots[at] !== 0; at = (at + 1) & mask) {
			const preferred = this.#hashOf(this.#tuplesById, (slots[at] - 1) * this.#width) & mask;
			if (((at - preferred) & mask) >= ((at - hole) & mask)) {
				slots[hole] = slots[at];
				hole = at;
			}
		}

		slots[hole] = 0;
		this.#freeIds.push(id);
	}

	/** Returns the id of the tuple in `key`, adding it if absent. */
	intern(): number {
		const id = this.find();
		return id === -1 ? this.add() : id;
	}

	/** Returns a field of all tuples by their ids plus `offset`; before these, zeros. */
	column(field: number, offset = 0): Int32Array {
		const column = new Int32Array(offset + this.size);
		for (let id = 0; id < this.size; id++) {
			column[offset + id] = this.#tuplesById[(id * this.#width) + field];
		}

		return column;
	}

	get(id: number, field: number): number {
		return this.#tuplesById[(id * this.#width) + field];
	}

	/** Returns the slot of the tuple at `from[at]`, or the free slot where it belongs. */
	#slotOf(from: Int32Array, at: number): number {
		const width = this.#width;
		const slots = this.#slots;
		const tuples = this.#tuplesById;
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

	/** Doubles the capacity; only called when no id is free. */
	#grow(): void {
		const old = this.#tuplesById;
		this.#tuplesById = new Int32Array(old.length * 2);
		this.#tuplesById.set(old);
		this.#slots = new Int32Array(this.#slots.length * 2);
		for (let id = 0; id * this.#width < old.length; id++) {
			this.#slots[this.#slotOf(old, id * this.#width)] = id + 1;
		}
	}
}
