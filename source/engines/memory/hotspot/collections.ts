import {type Vm} from './vm.js';

/** Value of `HeapClock.now` while objects may be moving. */
export const moving = -1;

/**
Tells whether addresses of Java objects are still valid: stop-the-world collectors count their collections, and move
objects only during one.
*/
export class HeapClock {
	readonly #vm: Vm;
	readonly #heap: number;

	constructor(vm: Vm) {
		this.#vm = vm;
		this.#heap = vm.reader.pointer(vm.layout.fields.collectedHeap);
	}

	/**
	Number of collections: if equal before and after, no object moved meanwhile. `moving` during one, and always with
	concurrent collectors.
	*/
	now(): number {
		const {reader, layout: {fields}, collector} = this.#vm;
		if (collector !== 'stop-the-world') {
			return moving;
		}

		try {
			// The count increases when a collection begins, after the flag is set; so read the count first.
			const count = reader.u32(this.#heap + fields.totalCollections);
			return reader.u8(this.#heap + fields.collectionActive) === 0 ? count : moving;
		} catch {
			return moving;
		}
	}

	/** Whether a stop-the-world collection is running; false for concurrent collectors. */
	isStopping(): boolean {
		return this.#vm.collector === 'stop-the-world' && this.now() === moving;
	}
}
