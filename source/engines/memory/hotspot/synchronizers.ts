import {type Heap} from './heap.js';
import {has} from './layout.js';
import {type Vm} from './vm.js';

/** Maximum superclasses searched for the owner field. */
const superLimit = 8;

/**
Fields that tell who holds a synchronizer, of AbstractOwnableSynchronizer, ReentrantReadWriteLock.Sync,
AbstractQueuedSynchronizer or AbstractQueuedLongSynchronizer.
*/
export type SynchronizerOffsets = Record<(typeof synchronizerFields)[number][0], number>;
const synchronizerFields = [
	['owner', {field: 'exclusiveOwnerThread', signature: 'Ljava/lang/Thread;'}],
	['firstReader', {field: 'firstReader', signature: 'Ljava/lang/Thread;'}],
	['state', {field: 'state', signature: 'I'}],
	['longState', {field: 'state', signature: 'J'}],
] as const;

/** Synchronizers of java.util.concurrent, by class. */
export class Synchronizers {
	/** Field offsets; NaN for missing fields. If a class is unloaded and replaced, the object found is not a thread. */
	readonly #offsets = new Map<number, SynchronizerOffsets>();
	readonly #vm: Vm;
	readonly #heap: Heap;

	constructor(vm: Vm, heap: Heap) {
		this.#vm = vm;
		this.#heap = heap;
	}

	/** Field offsets of a synchronizer's class. Throws `Unreadable`. */
	offsetsOf(klass: number): SynchronizerOffsets {
		let offsets = this.#offsets.get(klass);
		if (offsets === undefined) {
			offsets = {
				owner: Number.NaN, firstReader: Number.NaN, state: Number.NaN, longState: Number.NaN,
			};
			for (let at = klass, depth = 0; at !== 0 && depth < superLimit && !has(offsets.owner); depth++) {
				for (const [name, {field, signature}] of synchronizerFields) {
					offsets[name] = has(offsets[name]) ? offsets[name] : this.#heap.fieldOffset(at, field, signature) ?? Number.NaN;
				}

				at = this.#vm.reader.word(at + this.#vm.layout.fields.klassSuper);
			}

			this.#offsets.set(klass, offsets);
		}

		return offsets;
	}
}
