import {type Registers} from '../../../../../source/engines/memory/arch/architecture.js';

/** A sample as the kernel writes it: rax, rbx, rbp, rsp, rip and r13, then the stack. */
export type DrawnRecord = {
	readonly pid?: number;
	readonly tid: number;
	readonly timeNs?: number;
	readonly registers: Registers;
	readonly stack: Uint8Array;
	readonly reserved: number;
};

const sample = 9;
const lost = 2;

/** A record of a thread; `reserved`: bytes that its stack has room for. */
export function sampleBytes(
	{pid = 1, tid, timeNs = 0, registers, stack, reserved}: DrawnRecord,
): Uint8Array {
	const {rax, rbx, fp, sp, pc, r13} = registers;
	const bytes = recordBytes(
		sample,
		[pid + (tid * (2 ** 32)), timeNs, 2, rax, rbx, fp, sp, pc, r13, reserved],
		reserved + 8,
	);
	bytes.set(stack, bytes.length - 8 - reserved);
	new DataView(bytes.buffer).setBigUint64(bytes.length - 8, BigInt(stack.length), true);
	return bytes;
}

/** A record of a thread that has no user registers (any more), and so no stack. */
export const emptySampleBytes = () => recordBytes(sample, [0, 0, 0]);

export const lostBytes = (count: number) => recordBytes(lost, [0, count, 0]);

/** A head, words, and room for more bytes. */
function recordBytes(type: number, words: readonly number[], room = 0): Uint8Array {
	const bytes = new Uint8Array(8 + (8 * words.length) + room);
	const view = new DataView(bytes.buffer);
	view.setUint32(0, type, true);
	view.setUint16(6, bytes.length, true);
	for (const [index, word] of words.entries()) {
		view.setBigUint64(8 + (8 * index), BigInt(word), true);
	}

	return bytes;
}
