import {otherFrame} from '../model/frame.js';
import {contentionColumns, counterColumns, squaredUsOf, type KeyedColumns} from '../model/schema.js';
import {fromNames, namesOf, select, units} from '../model/column-types.js';
import {lockKinds} from '../model/sample.js';
import {TupleIndex} from '../model/tuple-index.js';
import type {DictionaryWriter} from './dictionary.js';
import {otherNode} from './layout.js';
import type {ThreadWriter} from './thread-writer.js';
import type {SlabColumn, TableViews} from './views.js';

/** Changes the key of a removed record, in place, to the key of the record that takes over its sums. */
type Rekey = (key: Int32Array) => void;

/**
The records of a region of the table, each a key with sums. Readers see records below the published count: the key of a
new record at the end is written at once; in a reused slot, under the lock (`flush`).
*/
class KeyedRecords {
	/** The key that `find` and `add` use. */
	readonly key: Int32Array;
	readonly keyAt: Readonly<Record<string, number>>;
	/** Records in reused slots whose keys are not in the table yet. */
	readonly #pending: number[] = [];
	readonly #index: TupleIndex;
	readonly #keys: readonly SlabColumn[];
	readonly #sums: readonly SlabColumn[];

	constructor(columns: KeyedColumns, region: Readonly<Record<string, SlabColumn>>, expected: number) {
		const keys = select(columns, {role: 'key'});
		this.keyAt = fromNames(keys, (_, index) => index);
		this.#keys = keys.map(name => region[name]);
		this.#sums = namesOf(columns).filter(name => columns[name].role === 'sum').map(name => region[name]);
		this.#index = new TupleIndex(keys.length, expected);
		this.key = this.#index.key;
	}

	/** Number of slots ever used. */
	get slots(): number {
		return this.#index.size;
	}

	/** Number of records; `slots - used` slots are free for reuse. */
	get used(): number {
		return this.#index.used;
	}

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
	Removes records: `isRemoved` is 1 for the value of one of the `fields` in their key. Adds their sums to the record with
	the key changed by `rekey`. The lock must be held, and no key may be pending.
	*/
	merge(isRemoved: Uint8Array, fields: readonly number[], rekey: Rekey): void {
		const {key} = this;
		for (let id = 0, {slots} = this; id < slots; id++) {
			if (!fields.some(field => isRemoved[this.#index.get(id, field)] === 1)) {
				continue;
			}

			this.#readKey(id);
			// A free slot keeps its last key, which no longer leads to it.
			if (this.find() === id) {
				this.#index.remove(id);
				rekey(key);
				const found = this.find();
				const into = found < 0 ? this.#index.add() : found;
				this.#moveSums(id, into);
				this.#writeKey(into);
			}
		}
	}

	#readKey(id: number): void {
		for (let field = 0; field < this.key.length; field++) {
			this.key[field] = this.#index.get(id, field);
		}
	}

	#moveSums(from: number, into: number): void {
		if (from === into) {
			return;
		}

		for (const column of this.#sums) {
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

/** Reserved for the pseudo thread "(other)" at the stack "(other)": at least one per state. */
const reservedCounters = 8;

/**
Writes the counters: ticks and CPU time by thread, stack and state.

When counters run out, new ones first lose their thread: they count for the pseudo thread "(other)" at their own stack.
When those run out too, new ones lose their stack, so the hottest lines stay exact longest.
*/
export class CounterWriter {
	readonly records: KeyedRecords;
	readonly #views: TableViews;
	readonly #dictionary: DictionaryWriter;
	readonly #threads: ThreadWriter;

	constructor(views: TableViews, dictionary: DictionaryWriter, threads: ThreadWriter) {
		this.#views = views;
		this.#dictionary = dictionary;
		this.#threads = threads;
		this.records = new KeyedRecords(counterColumns, views.regions.counters, 4096);
	}

	/** Returns the counter of a thread record, a stack's node and a state, adding it if absent (see `KeyedRecords`). */
	findOrAdd(thread: number, node: number, state: number): number {
		const {key, keyAt} = this.records;
		key[keyAt.thread] = thread;
		key[keyAt.node] = node;
		key[keyAt.state] = state;
		const found = this.records.find();
		if (found >= 0) {
			return found;
		}

		// Keep a quarter of a slab for the pseudo thread, so that further stacks are still told apart.
		if (thread !== this.#threads.other) {
			return this.#hasRoom(reservedCounters + (this.#views.shape.counters / 4))
				? this.records.add()
				: this.findOrAdd(this.#threads.recordOfOther(), node, state);
		}

		return node === otherNode || this.#hasRoom(reservedCounters)
			? this.records.add()
			: this.findOrAdd(thread, otherNode, state);
	}

	/** Whether a counter has lost its thread or its stack to "(other)". */
	isOther(counter: number): boolean {
		const {thread, node} = this.#views.regions.counters;
		return thread.get(counter) === this.#threads.other || this.#dictionary.frameOf(node.get(counter)) === otherFrame;
	}

	/** Adds the ticks of a sample, and their square for the sampling error. The lock is held. */
	addTicks(counter: number, ticks: number): void {
		this.#addSquared(counter, ticks, ticks * ticks);
	}

	/** Moves one of a sample's `ticks` at `from` to `to`, as its own piece: (n - 1)² is n² + 1 - 2n. The lock is held. */
	moveTick(from: number, to: number, ticks: number): void {
		this.#addSquared(from, -1, 1 - (2 * ticks));
		this.#addSquared(to, 1, 1);
	}

	/** Adds CPU nanoseconds from `observations` of equal length. The lock is held. */
	addCpu(counter: number, ns: number, observations = 1): void {
		const {cpuNs, squaredUs} = this.#views.regions.counters;
		cpuNs.add(counter, ns);
		squaredUs.add(counter, squaredUsOf(ns, observations));
	}

	/** Whether `reserved` counters are still free after one is added, if need be by growing the table. */
	#hasRoom(reserved: number): boolean {
		const {slots, used} = this.records;
		return slots - used > reserved || this.#views.growFor('counters', slots + reserved);
	}

	#addSquared(counter: number, ticks: number, squaredTicks: number): void {
		const columns = this.#views.regions.counters;
		columns.ticks.add(counter, ticks);
		columns.squaredTicks.add(counter, squaredTicks);
	}
}

/** Writes the contention records: which thread blocks which. */
export class ContentionWriter {
	readonly records: KeyedRecords;
	readonly #views: TableViews;

	constructor(views: TableViews) {
		this.#views = views;
		this.records = new KeyedRecords(contentionColumns, views.regions.contention, 256);
	}

	/** Returns the record of `records.key`, added if absent; in a full table, one of "(other)" for the kind of lock. */
	findOrAdd(recordOfOther: () => number): number {
		const {slots, used} = this.records;
		let found = this.records.find();
		if (found < 0 && slots - used <= lockKinds.length && !this.#views.growFor('contention', slots + lockKinds.length)) {
			const {key, keyAt} = this.records;
			const kind = key[keyAt.lockKind];
			// Only the thread, the stack and the kind of lock have a value.
			key.set(select(contentionColumns, {role: 'key'}).map(name => units[contentionColumns[name].unit].none));
			key[keyAt.thread] = recordOfOther();
			key[keyAt.node] = otherNode;
			key[keyAt.lockKind] = kind;
			found = this.records.find();
		}

		return found < 0 ? this.records.add() : found;
	}

	addTicks(record: number, ticks: number): void {
		this.#views.regions.contention.ticks.add(record, ticks);
	}
}
