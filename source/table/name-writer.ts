import {cut, maxNameLength} from '../model/text.js';
import {
	firstName, nameLengthBytes, noName, otherNameId,
} from './layout.js';
import type {TableViews} from './views.js';

/** Most bytes of UTF-8 that a name takes: three for each of its UTF-16 units. */
const maxBytes = 3 * maxNameLength;

/** Bytes written beyond twice those of all names, before the names are moved together. */
const unusedBytes = 16_384;

/**
The writing side of the names of threads: each record has its own, with a number that no name had before. A new name's
bytes are appended; when most are those of names given up, all are moved together, so that names take no more room than
threads do, however often these change theirs. The lock is held.
*/
export class NameWriter {
	/** Bytes written since the names were last moved together, the skipped ends of slabs included. */
	byteCount = 0;
	readonly #views: TableViews;
	/** By record. */
	readonly #texts: Array<string | undefined> = [];
	readonly #encoder = new TextEncoder();
	readonly #encoded = new Uint8Array(nameLengthBytes + maxBytes);
	#made = 0;
	#mostBytes = unusedBytes;

	constructor(views: TableViews) {
		this.#views = views;
	}

	/** Names a record; "(other)" where there is no room. */
	set(record: number, text: string): void {
		const kept = cut(text);
		if (this.#texts[record] === kept) {
			return;
		}

		const {name, nameSerial} = this.#views.regions.threads;
		this.#texts[record] = kept;
		nameSerial.set(record, ++this.#made);
		if (this.byteCount > this.#mostBytes || !this.#write(record, kept)) {
			this.byteCount = 0;
			for (const [other, otherText] of this.#texts.entries()) {
				this.#write(other, otherText ?? '');
			}

			this.#mostBytes = (2 * this.byteCount) + unusedBytes;
		}

		if (name.get(record) === otherNameId) {
			// There may be room when it is named again.
			this.#texts[record] = '';
		}
	}

	/** Appends a name, behind the number of its bytes; false where there is no room. */
	#write(record: number, text: string): boolean {
		const {threads: {name}, nameBytes: {value}} = this.#views.regions;
		if (text === '') {
			name.set(record, noName);
			return true;
		}

		const {written} = this.#encoder.encodeInto(text, this.#encoded.subarray(nameLengthBytes));
		this.#encoded[0] = written & 0xFF;
		this.#encoded[1] = written >> 8;
		const length = nameLengthBytes + written;
		const start = value.startFor(this.byteCount, length);
		if (!this.#views.growFor('nameBytes', start + length - 1)) {
			name.set(record, otherNameId);
			return false;
		}

		value.part(start, length).set(this.#encoded.subarray(0, length));
		name.set(record, firstName + start);
		this.byteCount = start + length;
		return true;
	}
}
