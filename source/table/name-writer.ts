import {cut, maxNameLength} from '../model/text.js';
import {
	firstName, nameLengthBytes, noName, otherName, otherNameId,
} from './layout.js';
import type {TableViews} from './views.js';

/** Most bytes of UTF-8 that a name takes: three for each of its UTF-16 units. */
const maxBytes = 3 * maxNameLength;

/** Bytes that may be in use beyond twice those of all names, before the names are moved together. */
const unusedBytes = 16_384;

/**
The writing side of the names of threads. A name has a place as long as any thread's record has it; then the place is
for another one, and its version is raised. Everything changes under the lock only, so that no reader takes one name for
another; and there are at most as many names as records, however often threads change theirs.
*/
export class NameWriter {
	/** Places that were ever in use. */
	count = 0;
	/** Bytes written since the names were last moved together, those given up and the skipped ends of slabs included. */
	byteCount = 0;
	readonly #views: TableViews;
	/** Names by id, of those in use; and ids by name. */
	readonly #texts = ['', otherName];
	readonly #ids = new Map([['', noName], [otherName, otherNameId]]);
	/** By id: its bytes, and how many records have it. */
	readonly #lengths = [0, 0];
	readonly #users = [0, 0];
	/** Ids that no record has any more. */
	readonly #free: number[] = [];
	#bytesInUse = 0;
	readonly #encoder = new TextEncoder();
	readonly #encoded = new Uint8Array(nameLengthBytes + maxBytes);

	constructor(views: TableViews) {
		this.#views = views;
	}

	/**
	The id of a name, for a record that had the name `old` until now; that of "(other)" where there is no room for it.
	The lock is held.
	*/
	change(old: number, text: string): number {
		const kept = cut(text);
		if (this.#texts[old] === kept) {
			return old;
		}

		this.#release(old);
		return this.#use(kept);
	}

	#use(text: string): number {
		const known = this.#ids.get(text);
		if (known !== undefined) {
			this.#users[known]++;
			return known;
		}

		const id = this.#free.at(-1) ?? firstName + this.count;
		const length = this.#encode(text);
		const place = id - firstName;
		if (!this.#views.growFor('names', place) || !this.#hasRoomFor(length)) {
			return otherNameId;
		}

		if (place === this.count) {
			this.count++;
		} else {
			this.#free.pop();
		}

		this.#ids.set(text, id);
		this.#texts[id] = text;
		this.#users[id] = 1;
		this.#lengths[id] = length;
		this.#bytesInUse += length;
		// After room was made: other names may have been encoded in between.
		this.#encode(text);
		this.#write(place, length);
		this.#views.regions.names.version.add(place, 1);
		return id;
	}

	#release(id: number): void {
		if (id < firstName || --this.#users[id] > 0) {
			return;
		}

		this.#ids.delete(this.#texts[id]);
		this.#texts[id] = '';
		this.#bytesInUse -= this.#lengths[id];
		this.#free.push(id);
	}

	/** Whether the bytes find room, moving all names together where too much lies between them. */
	#hasRoomFor(length: number): boolean {
		const isLoose = this.byteCount > (2 * this.#bytesInUse) + unusedBytes;
		if (!isLoose && this.#views.growFor('nameBytes', this.#startOf(length) + length - 1)) {
			return true;
		}

		this.byteCount = 0;
		for (const [text, id] of this.#ids) {
			if (id >= firstName) {
				this.#write(id - firstName, this.#encode(text));
			}
		}

		return this.#views.growFor('nameBytes', this.#startOf(length) + length - 1);
	}

	/** Makes the bytes of a name, behind the number of them. */
	#encode(text: string): number {
		const {written} = this.#encoder.encodeInto(text, this.#encoded.subarray(nameLengthBytes));
		this.#encoded[0] = written & 0xFF;
		this.#encoded[1] = written >> 8;
		return nameLengthBytes + written;
	}

	/** Where the bytes begin. */
	#startOf(length: number): number {
		return this.#views.regions.nameBytes.value.startFor(this.byteCount, length);
	}

	/** Writes what is encoded as the name at a place. */
	#write(place: number, length: number): void {
		const {names, nameBytes} = this.#views.regions;
		const start = this.#startOf(length);
		nameBytes.value.part(start, length).set(this.#encoded.subarray(0, length));
		names.start.set(place, start);
		this.byteCount = start + length;
	}
}
