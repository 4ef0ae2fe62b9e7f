import {firstName, nameLengthBytes, otherName} from './layout.js';
import type {TableViews} from './views.js';

/** Bytes of names that there is room for at first. */
const firstBytes = 4096;

/**
The reading side of the names of threads: a private text for each place, read anew when the place is another name's. No
text is kept longer: a snapshot has those that its threads had.
*/
export class NameReader {
	readonly #views: TableViews;
	/** By id, and the version of each place. */
	readonly #texts = ['', otherName];
	readonly #versions: number[] = [];
	/** Bytes of the names that were new in the last copy, their ids, and where those of each end. */
	#bytes = Buffer.alloc(firstBytes);
	readonly #ids: number[] = [];
	readonly #ends: number[] = [];
	#last: readonly string[] = [];

	constructor(views: TableViews) {
		this.#views = views;
	}

	/** Copies the bytes of the names that are new among the first `count` places. The lock is held. */
	copy(count: number): void {
		const {names} = this.#views.regions;
		this.#ids.length = 0;
		this.#ends.length = 0;
		for (let place = 0, end = 0; place < count; place++) {
			const version = names.version.get(place);
			if (version !== this.#versions[place]) {
				this.#versions[place] = version;
				end = this.#copyBytes(names.start.get(place), end);
				this.#ids.push(firstName + place);
				this.#ends.push(end);
			}
		}
	}

	/** The names with the first `count` of these ids, as copied last; the same list as before if none of them changed. */
	named(ids: Int32Array, count: number): readonly string[] {
		let start = 0;
		for (const [index, id] of this.#ids.entries()) {
			const end = this.#ends[index];
			this.#texts[id] = this.#bytes.toString('utf8', start, end);
			start = end;
		}

		this.#ids.length = 0;
		const last = this.#last;
		let same = 0;
		while (same < count && last[same] === this.#texts[ids[same]]) {
			same++;
		}

		if (same < count || last.length !== count) {
			this.#last = Array.from({length: count}, (_, index) => this.#texts[ids[index]]);
		}

		return this.#last;
	}

	#copyBytes(start: number, to: number): number {
		const {value} = this.#views.regions.nameBytes;
		const length = value.get(start) + (value.get(start + 1) << 8);
		const end = to + length;
		if (end > this.#bytes.length) {
			const longer = Buffer.alloc(2 ** Math.ceil(Math.log2(end)));
			longer.set(this.#bytes);
			this.#bytes = longer;
		}

		this.#bytes.set(value.part(start + nameLengthBytes, length), to);
		return end;
	}
}
