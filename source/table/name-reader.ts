import {
	firstName, nameLengthBytes, noName, otherName,
} from './layout.js';
import type {TableViews} from './views.js';

/** Bytes of names that there is room for at first. */
const firstBytes = 4096;

/** The reading side of the names of threads: a private text for each record, read anew when it has another name. */
export class NameReader {
	readonly #views: TableViews;
	/** By record, with the number of each name. */
	readonly #texts: string[] = [];
	readonly #serials: number[] = [];
	/** Bytes of the names that were new in the last copy, their records, and where those of each end; -1 for "(other)". */
	#bytes = Buffer.alloc(firstBytes);
	readonly #records: number[] = [];
	readonly #ends: number[] = [];
	#last: readonly string[] = [];

	constructor(views: TableViews) {
		this.#views = views;
	}

	/** Copies the bytes of the names that are new among the first `count` records. The lock is held. */
	copy(count: number): void {
		const {name, nameSerial} = this.#views.regions.threads;
		this.#records.length = 0;
		this.#ends.length = 0;
		for (let record = 0, end = 0; record < count; record++) {
			const serial = nameSerial.get(record);
			if (serial !== this.#serials[record]) {
				this.#serials[record] = serial;
				this.#records.push(record);
				const id = name.get(record);
				end = id < firstName ? end : this.#copyBytes(id - firstName, end);
				this.#ends.push(id < firstName && id !== noName ? -1 : end);
			}
		}
	}

	/** The names of the first `count` records, as copied last; the same list as before if none of them changed. */
	named(count: number): readonly string[] {
		let start = 0;
		for (const [index, record] of this.#records.entries()) {
			const end = this.#ends[index];
			this.#texts[record] = end < 0 ? otherName : this.#bytes.toString('utf8', start, end);
			start = Math.max(start, end);
		}

		if (this.#records.length > 0 || this.#last.length !== count) {
			this.#last = this.#texts.slice(0, count);
		}

		this.#records.length = 0;
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
