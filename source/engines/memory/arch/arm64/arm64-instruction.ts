/* The A64 instructions by which loops, frames and calls are found (Arm ARM, C4 and C6). All have four bytes. */
import {type Instructions} from '../architecture.js';

export const instructionBytes = 4;

/** Registers by number: frame pointer, link register, and stack pointer or zero. */
export const fpNumber = 29;
export const lrNumber = 30;
export const spNumber = 31;

/** Returns the instruction at an index; past the end 0, which is not an instruction. */
export function instructionAt(code: Uint8Array, at: number): number {
	return at + instructionBytes > code.length
		? 0
		: (code[at] | (code[at + 1] << 8) | (code[at + 2] << 16) | (code[at + 3] << 24)) >>> 0;
}

/** Returns a signed field of an instruction: `count` bits from bit `from` on. */
export function signedField(word: number, from: number, count: number): number {
	return (word << (32 - from - count)) >> (32 - count);
}

/** B and BL. */
const isB = (word: number) => word >>> 26 === 0b00_0101;
export const isBl = (word: number) => word >>> 26 === 0b10_0101;

/** BLR; BR; RET: perhaps with authentication. */
export const isBlr = (word: number) => (word & 0xFE_FF_F0_00) >>> 0 === 0xD6_3F_00_00;
const isBr = (word: number) => (word & 0xFE_FF_F0_00) >>> 0 === 0xD6_1F_00_00;
export const isRet = (word: number) => (word & 0xFF_FF_F0_00) >>> 0 === 0xD6_5F_00_00;

/** Whether no instruction follows: RET, BR, exceptions but system calls (BRK, HLT, DCPS), UDF. */
function hasNoSuccessor(word: number): boolean {
	return isRet(word) || isBr(word) || (word >>> 24 === 0xD4 && (word & 0xE0_00_1F) !== 1) || word >>> 16 === 0;
}

/** Returns a direct jump's distance from the instruction itself, in bytes; undefined for another instruction. */
function jumpOf(word: number): number | undefined {
	if (isB(word)) {
		return 4 * signedField(word, 0, 26);
	}

	// B.cond and BC.cond; CBZ and CBNZ.
	const opcode = word >>> 24;
	if (opcode === 0x54 || (opcode & 0x7E) === 0x34) {
		return 4 * signedField(word, 5, 19);
	}

	// TBZ and TBNZ.
	return (opcode & 0x7E) === 0x36 ? 4 * signedField(word, 5, 14) : undefined;
}

export const instructions: Instructions = {
	length: (code, at) => at + instructionBytes <= code.length ? instructionBytes : 0,
	jumpDistance(code, at) {
		const distance = jumpOf(instructionAt(code, at));
		return distance === undefined ? undefined : distance - instructionBytes;
	},
	isUnconditional: (code, at) => isB(instructionAt(code, at)),
	isEnd: (code, at) => hasNoSuccessor(instructionAt(code, at)),
};

/** `jump`: distance from the instruction to its target, if it is a direct jump; `isEnd`: it has no known successor. */
type Successors = {readonly jump?: number; readonly isAlways: boolean; readonly isEnd: boolean};

/** Returns where an instruction goes on. */
export function successorsOf(word: number): Successors {
	return {jump: jumpOf(word), isAlways: isB(word), isEnd: hasNoSuccessor(word)};
}
