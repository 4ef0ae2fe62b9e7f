import {type Ranges} from '../process/ranges.js';
import {type Vm} from './vm.js';

/** What `HeapClock.now` says while objects may be moving. */
export const moving = -1;

/**
Tells whether addresses of Java objects are still valid: collectors that stop the world move objects only while they are
active, and they count their collections.
*/
export class HeapClock {
	readonly #vm: Vm;
	readonly #heap: number;

	constructor(vm: Vm) {
		this.#vm = vm;
		this.#heap = vm.reader.pointer(vm.layout.fields.collectedHeap);
	}

	/**
	The number of collections so far: if it is the same before and after, nothing moved meanwhile. `moving` while one is
	at work, and always with collectors that move objects concurrently with the program.
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

	/** Adds what the clock consists of to what is read together, and gives its number there (see `taken`). */
	addTo(ranges: Ranges): number {
		const {layout: {fields}} = this.#vm;
		const active = this.#heap + fields.collectionActive;
		const first = ranges.add(this.#heap + fields.totalCollections, 4);
		ranges.add(active - (active % 4), 4);
		return first;
	}

	/** What `now` says, of what was read together. */
	taken(ranges: Ranges, first: number): number {
		if (this.#vm.collector !== 'stop-the-world' || !ranges.isRead(first) || !ranges.isRead(first + 1)) {
			return moving;
		}

		const active = (this.#heap + this.#vm.layout.fields.collectionActive) % 4;
		return (ranges.half(first + 1, 0) >>> (active * 8)) % 256 === 0 ? ranges.half(first, 0) : moving;
	}

	/**
	A collector that stops the world is at work, and the program is not. Of concurrent collectors this is not known.
	*/
	isStopping(): boolean {
		return this.#vm.collector === 'stop-the-world' && this.now() === moving;
	}
}
