import {fromNames} from '../../../../model/column-types.js';
import {wordOf} from '../../target/memory.js';
import {type Registers} from '../../arch/architecture.js';
import {clockRecord, pageBytes, recordRegisters, type RecordLayout} from './perf-calls.js';

/** Word indices in struct perf_event_mmap_page (linux/perf_event.h). */
const headWord = 1024 / 8;
const tailWord = 1032 / 8;

/** Reads a ring of records: a control page, then the data, a power of two of bytes. */
export class Ring {
	readonly #words: BigUint64Array;
	readonly #data: Uint8Array;
	readonly #view: DataView;
	readonly #layout: RecordLayout;
	/** Offset of the stack in a sample: after the ids, the register ABI, the registers and the stack's size. */
	readonly #stackOffset: number;

	/** `memory`: the mapped ring, which must be mapped during `take`. */
	constructor(memory: ArrayBuffer, layout = clockRecord) {
		this.#layout = layout;
		this.#stackOffset = headerBytes + 24 + (8 * layout.count) + 8;
		this.#words = new BigUint64Array(memory, 0, pageBytes / 8);
		this.#data = new Uint8Array(memory, pageBytes);
		this.#view = new DataView(memory, pageBytes);
	}

	/** Removes all records and returns copies, only those of one process if `pid` is given. */
	take(pid?: number): Records {
		// The kernel writes records before the head; we write the tail after our reads.
		const head = Atomics.load(this.#words, headWord);
		const tail = this.#words[tailWord];
		const {length} = this.#data;
		const bytes = Number(head - tail);
		const first = Number(tail % BigInt(length));
		const records: PerfRecord[] = [];
		let lost = 0;
		for (let at = 0; at < bytes;) {
			const start = first + at;
			const size = this.#u32(start + 4) >>> 16;
			// The data is invalid, or the head is further than a ring ahead: the record sizes cannot be trusted.
			if (size < headerBytes || size % 8 !== 0 || at + size > bytes || bytes > length) {
				lost++;
				break;
			}

			const type = this.#u32(start);
			if (type === recordType.sample && (pid === undefined || this.#u32(start + headerBytes) === pid)) {
				const record = this.#sampleAt(start, size);
				if (record) {
					records.push(record);
				}
			} else if (type === recordType.lost && size >= headerBytes + 16) {
				// After the event's id.
				lost += this.#word(start + headerBytes + 8);
			}

			at += size;
		}

		Atomics.store(this.#words, tailWord, head);
		return {records, lost};
	}

	/** Decodes a sample, see `sampleType`; undefined for an exiting thread, which has no registers. */
	#sampleAt(start: number, size: number): PerfRecord | undefined {
		const ids = start + headerBytes;
		const stackOffset = this.#stackOffset;
		const stackAt = start + stackOffset;
		const reserved = size < stackOffset || this.#word(ids + 16) !== abi64 ? 0 : this.#word(stackAt - 8);
		if (reserved === 0 || reserved % 8 !== 0 || stackOffset + reserved + 8 > size) {
			return undefined;
		}

		const registers = ids + 24;
		return {
			isInKernel: (this.#u32(start + 4) & cpuModeMask) === kernelMode,
			pid: this.#u32(ids),
			tid: this.#u32(ids + 4),
			timeNs: this.#word(ids + 8),
			periodNs: 0,
			registers: fromNames(recordRegisters, name =>
				this.#address(registers + (8 * this.#layout.registers[name]))) as Registers,
			general: this.#layout.general.map(place => this.#word(registers + (8 * place))),
			stack: this.#bytes(stackAt % this.#data.length, Math.min(reserved, this.#word(stackAt + reserved))),
		};
	}

	/** Copies bytes of the data, which may wrap around. */
	#bytes(start: number, length: number): Uint8Array {
		const bytes = new Uint8Array(length);
		const first = this.#data.subarray(start, start + length);
		bytes.set(first);
		bytes.set(this.#data.subarray(0, length - first.length), first.length);
		return bytes;
	}

	#u32(at: number): number {
		return this.#view.getUint32(at % this.#data.length, true);
	}

	#word(at: number): number {
		return wordOf(this.#u32(at), this.#u32(at + 4));
	}

	/** Returns a word without its upper 16 bits, see `addressAt`. */
	#address(at: number): number {
		return wordOf(this.#u32(at), this.#u32(at + 4) & 0xFF_FF);
	}
}

/** Record types (linux/perf_event.h). */
const recordType = {lost: 2, sample: 9} as const;

/** CPU mode in the header's misc field (PERF_RECORD_MISC_CPUMODE_MASK, _KERNEL). */
const cpuModeMask = 7;
const kernelMode = 1;

/** Bytes of a record's header: type, misc, size. */
const headerBytes = 8;

/** PERF_SAMPLE_REGS_ABI_64: registers of a 64-bit thread. */
const abi64 = 2;

/** A sample that the kernel recorded (PERF_RECORD_SAMPLE). */
export type PerfRecord = {
	/** The thread was in the kernel, in a system call or an interrupt. */
	readonly isInKernel: boolean;
	readonly pid: number;
	/** Thread id in our pid namespace. */
	readonly tid: number;
	/** CLOCK_MONOTONIC. */
	readonly timeNs: number;
	/** CPU time that the record represents; set after it was taken from the ring. */
	periodNs: number;
	/** User registers; in a system call, those on entry. */
	readonly registers: Registers;
	/** The general registers, as instructions encode them; only of breakpoints. */
	readonly general: readonly number[];
	/** The copied stack from `registers.sp` on. */
	readonly stack: Uint8Array;
};

export type Records = {
	/** By time. */
	readonly records: readonly PerfRecord[];
	/** Number of records, of any process, that did not fit. */
	readonly lost: number;
};
