import {fromNames, select} from '../model/column-types.js';
import {otherFrame} from '../model/frame.js';
import {factColumns} from '../model/schema.js';
import {stateCount} from '../model/thread-state.js';
import {TupleIndex} from '../model/tuple-index.js';
import type {DictionaryWriter} from './dictionary.js';
import {KeyColumns} from './key-columns.js';
import {otherNode} from './layout.js';
import type {ThreadWriter} from './thread-writer.js';
import type {TableViews} from './views.js';

/** What counters are kept for, and where each column lies in the tuple. */
const keyNames = select(factColumns, {role: 'key'});
const keyAt = Object.freeze(fromNames(keyNames, (_, index) => index));

/** Facts kept for the pseudo thread "(other)" at the stack "(other)": one per state. */
const lastFacts = 8;

/**
The facts: how often a thread was met at a stack in a state, and the CPU time that it used there.

When they run out, new ones lose their thread first (they count for the pseudo thread "(other)", at their own stack) and
their stack last: hot lines stay right longest.
*/
export class FactWriter {
	readonly #views: TableViews;
	readonly #dictionary: DictionaryWriter;
	readonly #threads: ThreadWriter;
	readonly #index = new TupleIndex(keyNames.length, 4096);
	readonly #columns: KeyColumns;

	constructor(views: TableViews, dictionary: DictionaryWriter, threads: ThreadWriter) {
		this.#views = views;
		this.#dictionary = dictionary;
		this.#threads = threads;
		this.#columns = new KeyColumns(keyNames.map(name => views.regions.facts[name]));
	}

	get count(): number {
		return this.#index.size;
	}

	/** The fact of a thread record, a stack's node and a state; a new one, beyond the published count, if need be. */
	place(thread: number, node: number, state: number): number {
		if (state >= stateCount) {
			throw new Error(`no thread state has code ${state}`);
		}

		const found = this.#find(thread, node, state);
		if (found >= 0) {
			return found;
		}

		if (thread !== this.#threads.other) {
			return this.#views.growFor('facts', this.count + lastFacts + (this.#views.shape.facts >> 2))
				? this.#add()
				: this.place(this.#threads.recordOfOther(), node, state);
		}

		return node === otherNode || this.#views.growFor('facts', this.count + lastFacts)
			? this.#add()
			: this.place(thread, otherNode, state);
	}

	/** Whether a fact has lost its thread or its stack. */
	isOther(fact: number): boolean {
		const share = this.#views.shape.facts;
		const {thread, node} = this.#views.regions.facts;
		const slab = Math.floor(fact / share);
		return thread[slab][fact % share] === this.#threads.other || this.#dictionary.frameOf(node[slab][fact % share]) === otherFrame;
	}

	/** Counts a fact so many times; below 0 for times that belong elsewhere. The lock is held. */
	addTicks(fact: number, times: number): void {
		const share = this.#views.shape.facts;
		this.#views.regions.facts.ticks[Math.floor(fact / share)][fact % share] += times;
	}

	/** Adds CPU nanoseconds. The lock is held. */
	addCpu(fact: number, ns: number): void {
		const share = this.#views.shape.facts;
		this.#views.regions.facts.cpuNs[Math.floor(fact / share)][fact % share] += ns;
	}

	#find(thread: number, node: number, state: number): number {
		const {key} = this.#index;
		key[keyAt.thread] = thread;
		key[keyAt.node] = node;
		key[keyAt.state] = state;
		return this.#index.find();
	}

	/** Adds the record whose key is in the tuple index. */
	#add(): number {
		const id = this.#index.add();
		this.#columns.write(this.#index.key, id, this.#views.shape.facts);
		return id;
	}
}
