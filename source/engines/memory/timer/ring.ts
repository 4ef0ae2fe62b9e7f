import {
	decodeRecords, headBytes, recordType, type Records, type ThreadRecord,
} from './records.js';

/** Bytes of a page; a ring's first one says how far it is written and read. */
export const pageBytes = 4096;

/** Words of struct perf_event_mmap_page (linux/perf_event.h), by index. */
const headWord = 1024 / 8;
const tailWord = 1032 / 8;

const nothing: Records = {records: [], lost: 0};

/** Our side of a ring that the kernel writes records to: a page of its own, then a power of two of bytes. */
export class Ring {
	readonly #words: BigUint64Array;
	readonly #data: Uint8Array;
	readonly #view: DataView;

	/** `memory`: the mapped ring; nothing is read of it after the last `take`. */
	constructor(memory: ArrayBuffer) {
		this.#words = new BigUint64Array(memory, 0, pageBytes / 8);
		this.#data = new Uint8Array(memory, pageBytes);
		this.#view = new DataView(memory, pageBytes);
	}

	/** Takes out all records that are there, as a copy of their own, and gives the room back to the kernel. */
	take(): Records {
		// The kernel's writes are seen before the head that says so; ours of the tail comes after our reads.
		const head = Atomics.load(this.#words, headWord);
		const tail = this.#words[tailWord];
		if (head === tail) {
			return nothing;
		}

		const bytes = this.#copy(tail, head);
		Atomics.store(this.#words, tailWord, head);
		return bytes ? decodeRecords(bytes) : {records: [], lost: 1};
	}

	/**
	The same for a ring with records of several processes: those of this one. Of the others nothing but the head and the
	process's id is read.
	*/
	takeOf(pid: number): Records & {readonly bytes: number} {
		const head = Atomics.load(this.#words, headWord);
		const tail = this.#words[tailWord];
		const records: ThreadRecord[] = [];
		let lost = 0;
		for (let at = tail; at < head;) {
			const start = Number(at % BigInt(this.#data.length));
			const size = this.#view.getUint16(start + 6, true);
			if (size < headBytes || at + BigInt(size) > head) {
				lost++;
				break;
			}

			const isSample = this.#view.getUint32(start, true) === recordType.sample;
			const isOthers = isSample && this.#view.getUint32((start + headBytes) % this.#data.length, true) !== pid;
			const copy = isOthers ? undefined : this.#copy(at, at + BigInt(size));
			if (copy) {
				const decoded = decodeRecords(copy);
				records.push(...decoded.records);
				// A thread on its way out has no registers left: that is no want of room.
				lost += isSample ? 0 : decoded.lost;
			}

			at += BigInt(size);
		}

		Atomics.store(this.#words, tailWord, head);
		return {records, lost, bytes: Number(head - tail)};
	}

	#copy(from: bigint, to: bigint): Uint8Array | undefined {
		const size = this.#data.length;
		const length = Number(to - from);
		if (!(length > 0 && length <= size)) {
			return undefined;
		}

		const bytes = new Uint8Array(length);
		const start = Number(from % BigInt(size));
		const first = this.#data.subarray(start, Math.min(size, start + length));
		bytes.set(first);
		bytes.set(this.#data.subarray(0, length - first.length), first.length);
		return bytes;
	}
}
