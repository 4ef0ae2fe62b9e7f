import {type Vm} from './vm.js';

/** What `HeapClock.now` says while objects may be moving. */
export const moving = -1;

/**
Tells whether addresses of Java objects hold: collectors that stop the world move objects only while they are active,
and count each time.
*/
export class HeapClock {
	readonly #vm: Vm;
	readonly #heap: number;

	constructor(vm: Vm) {
		this.#vm = vm;
		this.#heap = vm.reader.pointer(vm.layout.fields.collectedHeap);
	}

	/**
	The number of collections so far: the same before and after means that nothing moved meanwhile. `moving` while one
	is at work, and always with collectors that move objects beside the program.
	*/
	now(): number {
		const {reader, layout: {fields}, collector} = this.#vm;
		if (collector !== 'stop-the-world') {
			return moving;
		}

		try {
			// The count goes up when a collection begins; it is read before the mark, which is set before that.
			const count = reader.u32(this.#heap + fields.totalCollections);
			return reader.u8(this.#heap + fields.collectionActive) === 0 ? count : moving;
		} catch {
			return moving;
		}
	}

	/**
	A collector that stops the world is at work, and the program is not. Collectors that work beside it are not known to
	be.
	*/
	isStopping(): boolean {
		return this.#vm.collector === 'stop-the-world' && this.now() === moving;
	}
}
