import {wordOf} from '../../target/word.js';
import {type Registers} from '../../unwind/stack.js';
import {recordRegisters} from './perf-calls.js';

/** Bytes of a page; the first page of a ring has its head and tail. */
export const pageBytes = 4096;

/** Words of struct perf_event_mmap_page (linux/perf_event.h), by index. */
const headWord = 1024 / 8;
const tailWord = 1032 / 8;

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

	/** Copies and removes all records; returns those of one process if `pid` is given. */
	take(pid?: number): Records {
		// The kernel writes records before the head; we write the tail after our reads.
		const head = Atomics.load(this.#words, headWord);
		const tail = this.#words[tailWord];
		const {length} = this.#data;
		const bytes = Number(head - tail);
		const first = Number(tail % BigInt(length));
		const records: ThreadRecord[] = [];
		let lost = 0;
		for (let at = 0; at < bytes;) {
			const start = first + at;
			const size = this.#half(start + 4) >>> 16;
			if (size < headBytes || size % 8 !== 0 || at + size > bytes || bytes > length) {
				lost++;
				break;
			}

			const type = this.#half(start);
			if (type === recordType.sample && (pid === undefined || this.#half(start + headBytes) === pid)) {
				const record = this.#sampleAt(start, size);
				if (record) {
					records.push(record);
				}
			} else if (type === recordType.lost && size >= headBytes + 16) {
				lost += this.#word(start + headBytes + 8);
			}

			at += size;
		}

		Atomics.store(this.#words, tailWord, head);
		return {records, lost};
	}

	/**
	Decodes a sample: pid and tid; time; register ABI, registers; size of the stack, stack, valid bytes of it. Undefined
	for an exiting thread, which has no registers.
	*/
	#sampleAt(start: number, size: number): ThreadRecord | undefined {
		const ids = start + headBytes;
		const stackAt = start + stackOffset;
		const reserved = size < stackOffset || this.#word(ids + 16) !== abi64 ? 0 : this.#word(stackAt - 8);
		if (reserved === 0 || reserved % 8 !== 0 || stackOffset + reserved + 8 > size) {
			return undefined;
		}

		const registers: Partial<Record<keyof Registers, number>> = {};
		for (const [index, name] of recordRegisters.entries()) {
			registers[name] = this.#word(ids + 24 + (8 * index));
		}

		return {
			isInKernel: (this.#half(start + 4) & cpuModeMask) === kernelMode, pid: this.#half(ids), tid: this.#half(ids + 4), timeNs: this.#word(ids + 8), periodNs: 0, registers: registers as Registers,
			stack: this.#bytes(stackAt % this.#data.length, Math.min(reserved, this.#word(stackAt + reserved))),
		};
	}

	/** A copy of bytes of the ring, which may wrap around. */
	#bytes(start: number, length: number): Uint8Array {
		const bytes = new Uint8Array(length);
		const first = this.#data.subarray(start, start + length);
		bytes.set(first);
		bytes.set(this.#data.subarray(0, length - first.length), first.length);
		return bytes;
	}

	#half(at: number): number {
		return this.#view.getUint32(at % this.#data.length, true);
	}

	#word(at: number): number {
		return wordOf(this.#half(at), this.#half(at + 4));
	}
}

/** Record types (linux/perf_event.h). */
const recordType = {lost: 2, sample: 9} as const;

/** Bits of the header's misc that say where the thread was (PERF_RECORD_MISC_CPUMODE_MASK, _KERNEL). */
const cpuModeMask = 7;
const kernelMode = 1;

/** Bytes of a record's header: type, misc, size. */
const headBytes = 8;

/** Offset of the stack in a sample: after the ids, the register ABI, the registers and the stack's size. */
const stackOffset = headBytes + 24 + (8 * recordRegisters.length) + 8;

/** PERF_SAMPLE_REGS_ABI_64: registers of a 64-bit thread. */
const abi64 = 2;

/** One record of a running thread. */
export type ThreadRecord = {
	/** The thread was in the kernel, for a system call or an interrupt. */
	readonly isInKernel: boolean;
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
	/** Records that did not fit, of any process. */
	readonly lost: number;
};
