import {wordAt} from '../decode/word.js';

/** Registers needed to unwind; addresses are exact, other words only below 2^53. */
export type Registers = {
	readonly pc: number;
	readonly sp: number;
	readonly fp: number;
	readonly rax: number;
	readonly rbx: number;
	readonly r13: number;
};

/** The frame at which a walk continues: its code address, stack pointer and frame pointer. */
export type Cursor = {pc: number; sp: number; fp: number};

/** Bytes of struct user_regs_struct on x86-64 (Linux arch/x86/include/asm/user_64.h). */
export const registersBytes = 27 * 8;

const index = {
	r13: 2, fp: 4, rbx: 5, rax: 10, pc: 16, sp: 19,
};

/** Decodes what PTRACE_GETREGS wrote. */
export function decodeRegisters(bytes: Uint8Array): Registers {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const word = (at: number) => wordAt(view, at * 8);
	return {
		pc: word(index.pc), sp: word(index.sp), fp: word(index.fp), rax: word(index.rax), rbx: word(index.rbx), r13: word(index.r13),
	};
}
