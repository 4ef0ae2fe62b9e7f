import {wordAt} from '../decode/word.js';
import {type Registers} from '../stacks/registers.js';
import {recordRegisters} from './attributes.js';

/** Types of records (linux/perf_event.h). */
export const recordType = {lost: 2, sample: 9} as const;

/** Bytes of a record's head: type, misc, size. */
export const headBytes = 8;

/** Where the stack begins in a sample: behind the ids, which registers there are, the registers and the stack's room. */
export const stackOffset = headBytes + 16 + (8 * recordRegisters.length) + 8;

/** PERF_SAMPLE_REGS_ABI_64: what a record of a 64-bit thread says of its registers. */
const abi64 = 2;

/** A record: where a thread was. */
export type ThreadRecord = {
	/** Its process. */
	readonly pid: number;
	/** Thread id as our side knows it. */
	readonly tid: number;
	/** The thread's own registers; of one in a system call those that it came there with. */
	readonly registers: Registers;
	/** The stack from `registers.sp` on, as far as it was copied. */
	readonly stack: Uint8Array;
};

/** What a piece of a ring holds. */
export type Records = {
	/** In the order of time. */
	readonly records: readonly ThreadRecord[];
	/** Records for which the ring had no room, and those that could not be read. */
	readonly lost: number;
};

/**
Decodes the records of a ring, one after the other; what is no whole record ends it. The stacks are views of `bytes`.
Never throws.
*/
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

/**
The parts of a sample: pid and tid; which registers, the registers; bytes of stack, the stack, how much of it is valid.
*/
function sampleOf(bytes: Uint8Array, view: DataView, start: number, end: number): ThreadRecord | undefined {
	const registersAt = start + 16;
	const sizeAt = registersAt + (8 * recordRegisters.length);
	const stackAt = sizeAt + 8;
	if (stackAt > end || wordAt(view, start + 8) !== abi64) {
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
		pid: view.getUint32(start, true), tid: view.getUint32(start + 4, true), registers: registers as Registers,
		stack: bytes.subarray(stackAt, stackAt + Math.min(size, wordAt(view, stackAt + size))),
	};
}
