import {otherFrame} from '../model/frame.js';
import {
	contentionColumns, counterColumns, eventColumns, eventKinds, squaredUsOf, type KeyedColumns,
} from '../model/schema.js';
import {fromNames, namesOf, select, units} from '../model/column-types.js';
import {lockKinds} from '../model/sample.js';
import {TupleIndex} from '../util/tuple-index.js';
import type {DictionaryWriter} from './dictionary.js';
import {otherNode} from './table-layout.js';
import type {ThreadWriter} from './thread-writer.js';
import type {SlabColumn, TableViews} from './views.js';

/**
The rows of a region of the table, each a key (a tuple, whose id is the row's slot) with sums. Readers see rows
below the published count: the key of a new row at the end is written at once; in a reused slot, under the lock
(`flush`).
*/
class KeyedRows extends TupleIndex {
	/** Index in `key` of each of its columns. */
	readonly keyAt: Readonly<Record<string, number>>;
	/** Rows in reused slots whose keys are not in the table yet. */
	readonly #pending: number[] = [];
	readonly #keyColumns: readonly SlabColumn[];
	readonly #sumColumns: readonly SlabColumn[];

	constructor(columns: KeyedColumns, region: Readonly<Record<string, SlabColumn>>, expected: number) {
		const keys = select(columns, {role: 'key'});
		super(keys.length, expected);
		this.keyAt = fromNames(keys, (_, index) => index);
		this.#keyColumns = keys.map(name => region[name]);
		this.#sumColumns = namesOf(columns).filter(name => columns[name].role === 'sum').map(name => region[name]);
	}

	/** Adds a row for `key` and returns its id. */
	override add(): number {
		const slots = this.size;
		const id = super.add();
		if (id < slots) {
			this.#pending.push(id);
		} else {
			this.#writeKey(id);
		}

		return id;
	}

	/** Writes the keys of new rows in reused slots; returns whether there were any. The lock must be held. */
	flush(): boolean {
		for (const id of this.#pending) {
			this.#writeKey(id);
		}

		return this.#pending.splice(0).length > 0;
	}

	/**
	Replaces threads in keys: `isReplaced` is 1 for each that becomes `by`, in the key columns `threadColumns`. Rows
	that get the same key are merged. The lock must be held, and no key may be pending.
	*/
	replaceThreads(isReplaced: Uint8Array, by: number, threadColumns: readonly string[]): void {
		const fields = threadColumns.map(name => this.keyAt[name]);
		// A key has -1 for an unknown thread, which `isReplaced` does not have.
		const isAffected = (id: number) => fields.some(field => isReplaced[this.get(id, field)] === 1);
		for (let id = 0, slots = this.size; id < slots; id++) {
			if (!isAffected(id)) {
				continue;
			}

			this.#readKey(id);
			// A free slot keeps its last key, which no longer leads to it.
			if (this.find() === id) {
				this.remove(id);
				for (const field of fields) {
					this.key[field] = isReplaced[this.key[field]] === 1 ? by : this.key[field];
				}

				const existing = this.find();
				const into = existing < 0 ? super.add() : existing;
				this.#moveSums(id, into);
				this.#writeKey(into);
			}
		}
	}

	#readKey(id: number): void {
		for (let field = 0; field < this.key.length; field++) {
			this.key[field] = this.get(id, field);
		}
	}

	#moveSums(from: number, into: number): void {
		if (from === into) {
			return;
		}

		for (const column of this.#sumColumns) {
			column.add(into, column.get(from));
			column.set(from, 0);
		}
	}

	#writeKey(id: number): void {
		for (let field = 0; field < this.#keyColumns.length; field++) {
			this.#keyColumns[field].set(id, this.get(id, field));
		}
	}
}

/** Reserved for the pseudo thread "(other)" at the stack "(other)": at least one per state. */
const reservedCounters = 8;

/**
Writes the counters: ticks and CPU time by thread, stack and state.

When free counters become few, ticks that need a new counter count for the pseudo thread "(other)" at their own stack.
When almost none are free, they count at the stack "(other)". So the hottest lines stay exact longest.
*/
export class CounterWriter {
	readonly rows: KeyedRows;
	readonly #views: TableViews;
	readonly #dictionary: DictionaryWriter;
	readonly #threads: ThreadWriter;

	constructor(views: TableViews, dictionary: DictionaryWriter, threads: ThreadWriter) {
		this.#views = views;
		this.#dictionary = dictionary;
		this.#threads = threads;
		this.rows = new KeyedRows(counterColumns, views.regions.counters, 4096);
	}

	/** Returns the counter of a thread, a stack's node and a state, adding it if absent, or one of "(other)". */
	findOrAdd(thread: number, node: number, state: number): number {
		const {key, keyAt} = this.rows;
		key[keyAt.thread] = thread;
		key[keyAt.node] = node;
		key[keyAt.state] = state;
		const found = this.rows.find();
		if (found >= 0) {
			return found;
		}

		if (thread !== this.#threads.other) {
			// A quarter of a slab is kept for the pseudo thread, so that further stacks are still told apart.
			return this.#hasRoom(reservedCounters + (this.#views.shape.counters / 4))
				? this.rows.add()
				: this.findOrAdd(this.#threads.threadOfOther(), node, state);
		}

		return node === otherNode || this.#hasRoom(reservedCounters)
			? this.rows.add()
			: this.findOrAdd(thread, otherNode, state);
	}

	/** Whether a counter has lost its thread or its stack to "(other)". */
	isOther(counter: number): boolean {
		const {thread, node} = this.#views.regions.counters;
		return thread.get(counter) === this.#threads.other
			|| this.#dictionary.frameOf(node.get(counter)) === otherFrame;
	}

	/** Adds the ticks of a sample, and their square for the sampling error. The lock is held. */
	addTicks(counter: number, ticks: number): void {
		this.#addSquared(counter, ticks, ticks * ticks);
	}

	/** Moves one of a sample's `ticks` to another counter, where it is an observation of its own. The lock is held. */
	moveTick(from: number, to: number, ticks: number): void {
		this.#addSquared(from, -1, ((ticks - 1) ** 2) - (ticks ** 2));
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
		const {size, used} = this.rows;
		return size - used > reserved || this.#views.growFor('counters', size + reserved);
	}

	#addSquared(counter: number, ticks: number, squaredTicks: number): void {
		const columns = this.#views.regions.counters;
		columns.ticks.add(counter, ticks);
		columns.squaredTicks.add(counter, squaredTicks);
	}
}

/** Writes the rows of events. */
export class EventWriter {
	readonly rows: KeyedRows;
	readonly #views: TableViews;

	constructor(views: TableViews) {
		this.#views = views;
		this.rows = new KeyedRows(eventColumns, views.regions.events, 256);
	}

	/**
	Returns the row of a thread, a stack's node and a kind, added if absent; in a full table, that of the kind, the
	thread "(other)" and the stack "(other)". `threadOfOther` returns that thread.
	*/
	findOrAdd(thread: number, node: number, kind: number, threadOfOther: () => number): number {
		const {rows} = this;
		const {size, used, key, keyAt} = rows;
		key[keyAt.thread] = thread;
		key[keyAt.node] = node;
		key[keyAt.kind] = kind;
		const found = rows.find();
		// One row for each kind is kept for "(other)".
		if (found >= 0) {
			return found;
		}

		if (size - used > eventKinds.length || this.#views.growFor('events', size + eventKinds.length)) {
			return rows.add();
		}

		key[keyAt.thread] = threadOfOther();
		key[keyAt.node] = otherNode;
		return rows.intern();
	}

	/** Adds what events count for. The lock is held. */
	add(row: number, amount: number, squares: number): void {
		const columns = this.#views.regions.events;
		columns.amount.add(row, amount);
		columns.squares.add(row, squares);
	}
}

/** Writes the rows of contention: which thread blocks which. */
export class ContentionWriter {
	readonly rows: KeyedRows;
	readonly #views: TableViews;

	constructor(views: TableViews) {
		this.#views = views;
		this.rows = new KeyedRows(contentionColumns, views.regions.contention, 256);
	}

	/**
	Returns the row of `rows.key`, added if absent; in a full table, that of the same kind of lock and the thread
	"(other)". `threadOfOther` returns that thread.
	*/
	findOrAdd(threadOfOther: () => number): number {
		const {rows} = this;
		const found = rows.find();
		if (found >= 0) {
			return found;
		}

		// One row for each kind of lock is kept for "(other)".
		const {size, used, key, keyAt} = rows;
		if (size - used > lockKinds.length || this.#views.growFor('contention', size + lockKinds.length)) {
			return rows.add();
		}

		const lockKind = key[keyAt.lockKind];
		key.set(select(contentionColumns, {role: 'key'}).map(name => units[contentionColumns[name].unit].none));
		key[keyAt.thread] = threadOfOther();
		key[keyAt.node] = otherNode;
		key[keyAt.lockKind] = lockKind;
		return rows.intern();
	}

	addTicks(row: number, ticks: number): void {
		this.#views.regions.contention.ticks.add(row, ticks);
	}
}
