import {fromNames, namesOf, select} from '../model/column-types.js';
import type {KeyedColumns} from '../model/schema.js';
import {TupleIndex} from '../model/tuple-index.js';
import type {SlabColumn} from './views.js';

/** Where a record that is removed counts from then on: the tuple in `key` is made that of another record. */
type Moved = (key: Int32Array) => void;

/**
The records of a region of counters, each kept for a tuple, its key. New ones lie beyond the published count, where they
are written at once; the place of one that was removed lies below it, and is written under the lock (`flush`).
*/
export class KeyedRecords {
	/** What `find` and `add` look for. */
	readonly key: Int32Array;
	/** Where each column of the key lies in it. */
	readonly keyAt: Readonly<Record<string, number>>;
	/** Records below the published count that have a key of which the table does not know yet. */
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

	/** Places that were ever in use, and records that there are. */
	get count(): number {
		return this.#index.size;
	}

	get used(): number {
		return this.#index.used;
	}

	/** Id of the record of `key`, or -1. */
	find(): number {
		return this.#index.find();
	}

	/** Adds a record for `key`. */
	add(): number {
		const {count} = this;
		const id = this.#index.add();
		if (id < count) {
			this.#pending.push(id);
		} else {
			this.#writeKey(id);
		}

		return id;
	}

	/** Writes the keys of places that are used again; whether there were any. The lock must be held. */
	flush(): boolean {
		for (const id of this.#pending) {
			this.#writeKey(id);
		}

		return this.#pending.splice(0).length > 0;
	}

	/**
	Removes the records with one of these (1 by index) at a field of their key: their counters are added to the record of
	the key that `move` makes of theirs. The lock must be held, and nothing be pending.
	*/
	merge(wanted: Uint8Array, fields: readonly number[], move: Moved): void {
		const {key} = this;
		for (let id = 0, {count} = this; id < count; id++) {
			if (fields.some(field => this.#index.get(id, field) >= 0 && wanted[this.#index.get(id, field)] === 1) && this.#isThere(id)) {
				this.#readKey(id);
				this.#index.remove(id);
				move(key);
				const found = this.find();
				const into = found < 0 ? this.#index.add() : found;
				this.#moveCounters(id, into);
				this.#writeKey(into);
			}
		}
	}

	#isThere(id: number): boolean {
		this.#readKey(id);
		return this.find() === id;
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
