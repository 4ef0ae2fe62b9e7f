import {type Registers} from '../../../../../source/engines/memory/unwind/stack.js';

/** A sample as the kernel writes it: rax, rbx, rbp, rsp, rip and r13, then the stack. */
export type DrawnRecord = {readonly pid?: number; readonly tid: number; readonly timeNs?: number; readonly registers: Registers; readonly stack: Uint8Array; readonly reserved: number};

const sample = 9;
const lost = 2;

/** A record of a thread; `reserved`: bytes that its stack has room for. */
export function sampleBytes({pid = 1, tid, timeNs = 0, registers, stack, reserved}: DrawnRecord): Uint8Array {
	const {rax, rbx, fp, sp, pc, r13} = registers;
	const words = [timeNs, 2, rax, rbx, fp, sp, pc, r13, reserved];
	const bytes = new Uint8Array(8 + 8 + (8 * words.length) + reserved + 8);
	const view = new DataView(bytes.buffer);
	head(view, sample, bytes.length);
	view.setUint32(8, pid, true);
	view.setUint32(12, tid, true);
	for (const [index, word] of words.entries()) {
		view.setBigUint64(16 + (8 * index), BigInt(word), true);
	}

	bytes.set(stack, 16 + (8 * words.length));
	view.setBigUint64(bytes.length - 8, BigInt(stack.length), true);
	return bytes;
}

/** A record of a thread that has no user registers (any more), and so no stack. */
export function emptySampleBytes(): Uint8Array {
	const bytes = new Uint8Array(8 + 8 + 8 + 8);
	head(new DataView(bytes.buffer), sample, bytes.length);
	return bytes;
}

export function lostBytes(count: number): Uint8Array {
	const bytes = new Uint8Array(8 + 16 + 8);
	const view = new DataView(bytes.buffer);
	head(view, lost, bytes.length);
	view.setBigUint64(16, BigInt(count), true);
	return bytes;
}

function head(view: DataView, type: number, size: number): void {
	view.setUint32(0, type, true);
	view.setUint16(6, size, true);
}
