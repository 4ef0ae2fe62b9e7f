import {wordAt} from '../decode/word.js';
import {type Registers} from '../stacks/registers.js';
import {recordRegisters} from './attributes.js';

/** Record types (linux/perf_event.h). */
export const recordType = {lost: 2, sample: 9} as const;

/** Bytes of a record's header: type, misc, size. */
export const headBytes = 8;

/** Offset of the stack in a sample: after the ids, the register ABI, the registers and the stack's size. */
export const stackOffset = headBytes + 24 + (8 * recordRegisters.length) + 8;

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
