import {wordOf} from '../decode/word.js';
import {
	decodeRecords, headBytes, recordType, stackOffset, type Records, type ThreadRecord,
} from './records.js';

/** Bytes of a page; the first page of a ring has its head and tail. */
export const pageBytes = 4096;

/** Words of struct perf_event_mmap_page (linux/perf_event.h), by index. */
const headWord = 1024 / 8;
const tailWord = 1032 / 8;

const nothing: Records = {records: [], lost: 0};

/** Our side of a ring of records: a control page, then a power of two of bytes. */
export class Ring {
	readonly #words: BigUint64Array;
	readonly #data: Uint8Array;
	readonly #view: DataView;

	/** `memory`: the mapped ring, which must be mapped during `take`. */
	constructor(memory: ArrayBuffer) {
		this.#words = new BigUint64Array(memory, 0, pageBytes / 8);
		this.#data = new Uint8Array(memory, pageBytes);
		this.#view = new DataView(memory, pageBytes);
	}

	/** Copies and removes all records. */
	take(): Records {
		// The kernel writes records before the head; we write the tail after our reads.
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
	Copies and removes all records, and returns those of a process. Of others, only the header and the process id are
	read.
	*/
	takeOf(pid: number): Records & {readonly bytes: number} {
		const head = Atomics.load(this.#words, headWord);
		const tail = this.#words[tailWord];
		const bytes = Number(head - tail);
		const first = Number(tail % BigInt(this.#data.length));
		const records: ThreadRecord[] = [];
		let lost = 0;
		for (let at = 0; at < bytes;) {
			const start = (first + at) % this.#data.length;
			const size = this.#view.getUint16(start + 6, true);
			if (size < headBytes || size % 8 !== 0 || at + size > bytes) {
				lost++;
				break;
			}

			const isSample = this.#view.getUint32(start, true) === recordType.sample;
			if (!isSample || this.#half(start + headBytes) === pid) {
				const decoded = decodeRecords(this.#piece(start, size));
				records.push(...decoded.records);
				// A sample of an exiting thread has no registers; it was not lost for lack of room.
				lost += isSample ? 0 : decoded.lost;
			}

			at += size;
		}

		Atomics.store(this.#words, tailWord, head);
		return {records, lost, bytes};
	}

	/** A copy of a record without the unused room after its stack: the kernel reserves the size requested. */
	#piece(start: number, size: number): Uint8Array {
		const reserved = size >= stackOffset + 8 ? this.#word(start + stackOffset - 8) : 0;
		const used = stackOffset + reserved + 8 <= size ? this.#word(start + stackOffset + reserved) : Infinity;
		if (!(used < reserved)) {
			return this.#bytes(start, size, new Uint8Array(size));
		}

		const bytes = new Uint8Array(stackOffset + used + 8);
		this.#bytes(start, stackOffset + used, bytes);
		const view = new DataView(bytes.buffer);
		view.setUint16(6, bytes.length, true);
		for (const at of [stackOffset - 8, stackOffset + used]) {
			view.setUint32(at, used, true);
			view.setUint32(at + 4, 0, true);
		}

		return bytes;
	}

	/** Copies bytes of the ring, which may wrap around. */
	#bytes(start: number, length: number, into: Uint8Array): Uint8Array {
		const first = this.#data.subarray(start, Math.min(this.#data.length, start + length));
		into.set(first);
		into.set(this.#data.subarray(0, length - first.length), first.length);
		return into;
	}

	#half(at: number): number {
		return this.#view.getUint32(at % this.#data.length, true);
	}

	#word(at: number): number {
		return wordOf(this.#half(at), this.#half(at + 4));
	}

	#copy(from: bigint, to: bigint): Uint8Array | undefined {
		const size = this.#data.length;
		const length = Number(to - from);
		if (!(length > 0 && length <= size)) {
			return undefined;
		}

		return this.#bytes(Number(from % BigInt(size)), length, new Uint8Array(length));
	}
}
