import {otherFrame} from '../model/frame.js';
import {counterColumns, squaredUsOf, contentionColumns} from '../model/schema.js';
import {stateCount} from '../model/thread-state.js';
import {select, units} from '../model/column-types.js';
import {lockKinds} from '../model/sample.js';
import type {DictionaryWriter} from './dictionary.js';
import {KeyedRecords} from './keyed-records.js';
import {otherNode} from './layout.js';
import type {ThreadWriter} from './thread-writer.js';
import type {TableViews} from './views.js';

/** Reserved for the pseudo thread "(other)" at the stack "(other)": at least one per state. */
const reservedCounters = 8;

/**
Writes the counters: ticks and CPU time by thread, stack and state.

When they run out, new ones first lose their thread (they count for the pseudo thread "(other)" at their own stack) and
only then their stack, so the hottest lines stay exact longest.
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
		if (state >= stateCount) {
			throw new Error(`no thread state has code ${state}`);
		}

		const found = this.#find(thread, node, state);
		if (found >= 0) {
			return found;
		}

		if (thread !== this.#threads.other) {
			return this.#hasRoom(reservedCounters + (this.#views.shape.counters >> 2))
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

	/** Adds the ticks of a sample. The lock is held. */
	addTicks(counter: number, ticks: number): void {
		this.#addBoth(counter, ticks, ticks * ticks);
	}

	/** Moves one tick of a sample to another counter; `ticks` of that sample are still at `from`. The lock is held. */
	moveTick(from: number, to: number, ticks: number): void {
		this.#addBoth(from, -1, 1 - (2 * ticks));
		this.#addBoth(to, 1, 1);
	}

	/** Adds CPU nanoseconds, observed in `pieces` of equal length. The lock is held. */
	addCpu(counter: number, ns: number, pieces = 1): void {
		const {cpuNs, squaredUs} = this.#views.regions.counters;
		cpuNs.add(counter, ns);
		squaredUs.add(counter, squaredUsOf(ns, pieces));
	}

	/** Whether room for `reserved` records is left after one is added. */
	#hasRoom(reserved: number): boolean {
		const {count, used} = this.records;
		return count - used > reserved || this.#views.growFor('counters', count + reserved);
	}

	#addBoth(counter: number, ticks: number, squares: number): void {
		const columns = this.#views.regions.counters;
		columns.ticks.add(counter, ticks);
		columns.squaredTicks.add(counter, squares);
	}

	#find(thread: number, node: number, state: number): number {
		const {key, keyAt} = this.records;
		key[keyAt.thread] = thread;
		key[keyAt.node] = node;
		key[keyAt.state] = state;
		return this.records.find();
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

	/** Returns the record of `records.key`, adding it if absent; without room, that of "(other)" and the kind of lock. */
	findOrAdd(recordOfOther: () => number): number {
		const {count, used} = this.records;
		let found = this.records.find();
		if (found < 0 && count - used <= lockKinds.length && !this.#views.growFor('contention', count + lockKinds.length)) {
			const {key, keyAt} = this.records;
			const kind = key[keyAt.lockKind];
			key.set(select(contentionColumns, {role: 'key'}).map(name => units[contentionColumns[name].unit].none));
			key[keyAt.thread] = recordOfOther();
			key[keyAt.node] = otherNode;
			key[keyAt.lockKind] = kind;
			found = this.records.find();
		}

		return found < 0 ? this.records.add() : found;
	}

	/** Adds ticks to a record. The lock is held. */
	addTicks(record: number, ticks: number): void {
		this.#views.regions.contention.ticks.add(record, ticks);
	}
}
