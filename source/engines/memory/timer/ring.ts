import {wordAt, wordOf} from '../decode/word.js';
import {type Registers} from '../stacks/stack.js';
import {recordRegisters} from './perf-calls.js';

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
	takeOf(pid: number): Records {
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
		return {records, lost};
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

/** Record types (linux/perf_event.h). */
const recordType = {lost: 2, sample: 9} as const;

/** Bytes of a record's header: type, misc, size. */
const headBytes = 8;

/** Offset of the stack in a sample: after the ids, the register ABI, the registers and the stack's size. */
const stackOffset = headBytes + 24 + (8 * recordRegisters.length) + 8;

/** PERF_SAMPLE_REGS_ABI_64: registers of a 64-bit thread. */
const abi64 = 2;

/** One record of a running thread. */
export type ThreadRecord = {
	/** Process id. */
	readonly pid: number;
	/** Thread id in our pid namespace. */
	readonly tid: number;
	/** When it was written, CLOCK_MONOTONIC nanoseconds. */
	readonly timeNs: number;
	/** CPU nanoseconds that it stands for: the event's period at that time, set after it was taken from the ring. */
	periodNs: number;
	/** The thread's user registers; in a system call, those on entry. */
	readonly registers: Registers;
	/** The copied stack from `registers.sp` on. */
	readonly stack: Uint8Array;
};

/** The contents of a ring. */
export type Records = {
	/** Ordered by time. */
	readonly records: readonly ThreadRecord[];
	/** Records that did not fit, or could not be decoded. */
	readonly lost: number;
};

/** Decodes consecutive records up to the first invalid one. Stacks are views of `bytes`. Never throws. */
export function decodeRecords(bytes: Uint8Array): Records {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const records: ThreadRecord[] = [];
	let lost = 0;
	for (let at = 0; at < bytes.length;) {
		const size = at + headBytes <= bytes.length ? view.getUint16(at + 6, true) : 0;
		if (size < headBytes || at + size > bytes.length) {
			lost++;
			break;
		}

		const type = view.getUint32(at, true);
		if (type === recordType.sample) {
			const record = sampleOf(bytes, view, at + headBytes, at + size);
			if (record) {
				records.push(record);
			} else {
				lost++;
			}
		} else if (type === recordType.lost && size >= headBytes + 16) {
			lost += wordAt(view, at + headBytes + 8);
		}

		at += size;
	}

	return {records, lost};
}

/** Decodes a sample: pid and tid; time; register ABI, registers; size of the stack, stack, valid bytes of it. */
function sampleOf(bytes: Uint8Array, view: DataView, start: number, end: number): ThreadRecord | undefined {
	const registersAt = start + 24;
	const sizeAt = registersAt + (8 * recordRegisters.length);
	const stackAt = sizeAt + 8;
	if (stackAt > end || wordAt(view, start + 16) !== abi64) {
		return undefined;
	}

	const size = wordAt(view, sizeAt);
	if (size === 0 || stackAt + size + 8 > end) {
		return undefined;
	}

	const registers: Partial<Record<keyof Registers, number>> = {};
	for (const [index, name] of recordRegisters.entries()) {
		registers[name] = wordAt(view, registersAt + (8 * index));
	}

	return {
		pid: view.getUint32(start, true), tid: view.getUint32(start + 4, true), timeNs: wordAt(view, start + 8), periodNs: 0, registers: registers as Registers,
		stack: bytes.subarray(stackAt, stackAt + Math.min(size, wordAt(view, stackAt + size))),
	};
}
