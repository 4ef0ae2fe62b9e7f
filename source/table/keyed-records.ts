import {fromNames, namesOf, select} from '../model/column-types.js';
import type {KeyedColumns} from '../model/schema.js';
import {TupleIndex} from '../model/tuple-index.js';
import type {SlabColumn} from './views.js';

/** Changes the key of a removed record, in place, to that of the record that takes over its counters. */
type Rekey = (key: Int32Array) => void;

/**
The records of a region of counters, each identified by a tuple, its key. New records beyond the published count are
written at once; those in reused slots lie below it and are written under the lock (`flush`).
*/
export class KeyedRecords {
	/** The key that `find` and `add` use. */
	readonly key: Int32Array;
	/** Index of each key column in `key`. */
	readonly keyAt: Readonly<Record<string, number>>;
	/** Records in reused slots whose keys are not in the table yet. */
	readonly #pending: number[] = [];
	readonly #index: TupleIndex;
	readonly #keys: readonly SlabColumn[];
	readonly #counters: readonly SlabColumn[];

	constructor(columns: KeyedColumns, region: Readonly<Record<string, SlabColumn>>, expected: number) {
		const keys = select(columns, {role: 'key'});
		this.keyAt = fromNames(keys, (_, index) => index);
		this.#keys = keys.map(name => region[name]);
		this.#counters = namesOf(columns).filter(name => columns[name].role === 'counter').map(name => region[name]);
		this.#index = new TupleIndex(keys.length, expected);
		this.key = this.#index.key;
	}

	/** Number of slots ever used. */
	get slots(): number {
		return this.#index.size;
	}

	/** Number of slots in use: one for each record. */
	get used(): number {
		return this.#index.used;
	}

	/** Returns the id of the record of `key`, or -1. */
	find(): number {
		return this.#index.find();
	}

	/** Adds a record for `key` and returns its id. */
	add(): number {
		const {slots} = this;
		const id = this.#index.add();
		if (id < slots) {
			this.#pending.push(id);
		} else {
			this.#writeKey(id);
		}

		return id;
	}

	/** Writes the keys of reused slots; returns whether there were any. The lock must be held. */
	flush(): boolean {
		for (const id of this.#pending) {
			this.#writeKey(id);
		}

		return this.#pending.splice(0).length > 0;
	}

	/**
	Removes the records whose key has, in one of `fields`, a value for which `removed` is 1, and adds their counters to the
	record of the key that `rekey` makes of theirs. The lock must be held, and no key may be pending.
	*/
	merge(removed: Uint8Array, fields: readonly number[], rekey: Rekey): void {
		const {key} = this;
		for (let id = 0, {slots} = this; id < slots; id++) {
			if (!fields.some(field => removed[this.#index.get(id, field)] === 1)) {
				continue;
			}

			this.#readKey(id);
			// A free slot keeps its last key, which no longer leads to it.
			if (this.find() === id) {
				this.#index.remove(id);
				rekey(key);
				const found = this.find();
				const into = found < 0 ? this.#index.add() : found;
				this.#moveCounters(id, into);
				this.#writeKey(into);
			}
		}
	}

	#readKey(id: number): void {
		for (let field = 0; field < this.key.length; field++) {
			this.key[field] = this.#index.get(id, field);
		}
	}

	#moveCounters(from: number, into: number): void {
		if (from === into) {
			return;
		}

		for (const column of this.#counters) {
			column.add(into, column.get(from));
			column.set(from, 0);
		}
	}

	#writeKey(id: number): void {
		for (let field = 0; field < this.#keys.length; field++) {
			this.#keys[field].set(id, this.#index.get(id, field));
		}
	}
}
