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
		if (state >= stateCount) {
			throw new Error(`no thread state has code ${state}`);
		}

		const found = this.#find(thread, node, state);
		if (found >= 0) {
			return found;
		}

		// A quarter of a slab is kept for stacks of the pseudo thread.
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

	/** Moves one tick of a sample, of `ticks` left at `from`; (n - 1) squared is n squared + 1 - 2n. The lock is held. */
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

	/** Whether `reserved` counters are still free after one is added, if need be by growing the table. */
	#hasRoom(reserved: number): boolean {
		const {slots, used} = this.records;
		return slots - used > reserved || this.#views.growFor('counters', slots + reserved);
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
		const {slots, used} = this.records;
		let found = this.records.find();
		if (found < 0 && slots - used <= lockKinds.length && !this.#views.growFor('contention', slots + lockKinds.length)) {
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
