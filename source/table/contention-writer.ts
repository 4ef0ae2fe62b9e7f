import {fromNames, select, units} from '../model/column-types.js';
import {lockKinds} from '../model/sample.js';
import {contentionColumns} from '../model/schema.js';
import {KeyedRecords} from './keyed-records.js';
import {otherNode} from './layout.js';
import type {TableViews} from './views.js';

const keyNames = select(contentionColumns, {role: 'key'});

/** Where each column of a record's key lies in `key`. */
export const contentionKeyAt = Object.freeze(fromNames(keyNames, (_, index) => index));

/** Who is held up by whom: a record for each key. */
export class ContentionWriter {
	readonly records: KeyedRecords;
	/** What `place` looks for. */
	readonly key: Int32Array;
	readonly #views: TableViews;

	constructor(views: TableViews) {
		this.#views = views;
		this.records = new KeyedRecords(contentionColumns, views.regions.contention, 256);
		this.key = this.records.key;
	}

	/**
	The record with `key`, a new one when it is met for the first time; where there is no room, that of the pseudo thread
	"(other)" which waits for a lock of the same kind.
	*/
	findOrAdd(other: () => number): number {
		const {count, used} = this.records;
		let found = this.records.find();
		if (found < 0 && count - used <= lockKinds.length && !this.#views.growFor('contention', count + lockKinds.length)) {
			const {key} = this;
			const kind = key[contentionKeyAt.lockKind];
			key.set(keyNames.map(name => units[contentionColumns[name].unit].none));
			key[contentionKeyAt.thread] = other();
			key[contentionKeyAt.node] = otherNode;
			key[contentionKeyAt.lockKind] = kind;
			found = this.records.find();
		}

		return found < 0 ? this.records.add() : found;
	}

	/** Adds ticks to a record. The lock is held. */
	addTicks(record: number, ticks: number): void {
		this.#views.regions.contention.ticks.add(record, ticks);
	}
}
