import {fromNames, select, units} from '../model/column-types.js';
import {lockKinds} from '../model/sample.js';
import {contentionColumns} from '../model/schema.js';
import {TupleIndex} from '../model/tuple-index.js';
import {KeyColumns} from './key-columns.js';
import {otherNode} from './layout.js';
import type {TableViews} from './views.js';

const keyNames = select(contentionColumns, {role: 'key'});

/** Where each column of a record's key lies in `key`. */
export const contentionKeyAt = Object.freeze(fromNames(keyNames, (_, index) => index));

/** Who is held up by whom: a record for each key. */
export class ContentionWriter {
	/** What `place` looks for. */
	readonly key: Int32Array;
	readonly #views: TableViews;
	readonly #index = new TupleIndex(keyNames.length, 256);
	readonly #columns: KeyColumns;

	constructor(views: TableViews) {
		this.#views = views;
		this.key = this.#index.key;
		this.#columns = new KeyColumns(keyNames.map(name => views.regions.contention[name]));
	}

	get count(): number {
		return this.#index.size;
	}

	/**
	The record with `key`, a new one beyond the published count when it is met for the first time; where there is no
	room, that of the pseudo thread "(other)" which waits for a lock of the same kind.
	*/
	place(other: () => number): number {
		let found = this.#index.find();
		if (found < 0 && !this.#views.growFor('contention', this.#index.size + lockKinds.length)) {
			const {key} = this;
			const kind = key[contentionKeyAt.lockKind];
			key.set(keyNames.map(name => units[contentionColumns[name].unit].none));
			key[contentionKeyAt.thread] = other();
			key[contentionKeyAt.node] = otherNode;
			key[contentionKeyAt.lockKind] = kind;
			found = this.#index.find();
		}

		return found < 0 ? this.#add() : found;
	}

	/** Counts a record so many times. The lock is held. */
	addTicks(record: number, times: number): void {
		const share = this.#views.shape.contention;
		this.#views.regions.contention.ticks[Math.floor(record / share)][record % share] += times;
	}

	#add(): number {
		const id = this.#index.add();
		this.#columns.write(this.key, id, this.#views.shape.contention);
		return id;
	}
}
