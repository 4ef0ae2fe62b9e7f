/* Lengths and jump targets of the x86-64 instructions that HotSpot emits (Intel SDM volume 2, appendix A); not APX. */

/** Length in bytes and, for a relative jump (not a call), the distance from its end to the target. */
type Instruction = {readonly length: number; readonly jump?: number};

/** A table of bytes with 1 for members: an instruction is looked up several times. */
function byteSet(members: readonly number[]): Uint8Array {
	const table = new Uint8Array(256);
	for (const member of members) {
		table[member] = 1;
	}

	return table;
}

const prefixes = byteSet([0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65, 0x66, 0x67, 0xF0, 0xF2, 0xF3]);

/** One-byte opcodes that are invalid in 64-bit mode, or prefixes of unknown encodings (APX: D5). */
const invalid = byteSet([
	0x06,
	0x07,
	0x0E,
	0x16,
	0x17,
	0x1E,
	0x1F,
	0x27,
	0x2F,
	0x37,
	0x3F,
	0x60,
	0x61,
	0x82,
	0x9A,
	0xCE,
	0xD4,
	0xD5,
	0xD6,
	0xEA,
]);

/** Two-byte opcodes (after 0F) without a ModRM byte; and with an immediate, also in the first map of VEX and EVEX. */
const bareTwoByte = byteSet([
	0x05,
	0x06,
	0x07,
	0x08,
	0x09,
	0x0B,
	0x30,
	0x31,
	0x32,
	0x33,
	0x34,
	0x35,
	0x37,
	0x77,
	0xA0,
	0xA1,
	0xA2,
	0xA8,
	0xA9,
	0xAA,
	0xC8,
	0xC9,
	0xCA,
	0xCB,
	0xCC,
	0xCD,
	0xCE,
	0xCF,
]);
const twoByteWithImmediate = byteSet([0x70, 0x71, 0x72, 0x73, 0xA4, 0xAC, 0xBA, 0xC2, 0xC4, 0xC5, 0xC6]);

/** One-byte opcodes with ModRM and an immediate: of the operands' size, or of one byte; and with an immediate only. */
const operandAndImmediate = byteSet([0x69, 0x81, 0xC7]);
const operandAndByte = byteSet([0x6B, 0x80, 0x83, 0xC0, 0xC1, 0xC6]);
const immediateOnly = byteSet([0x68, 0xA9]);

/**
Bytes after opcodes without a ModRM byte: a MOV of al or rax from or to an address has eight, one of an immediate to an
8-bit register (B0 to B7) has one.
*/
const fixedBytes = new Uint8Array(256);
for (const [opcode, bytes] of [
	...Array.from({length: 8}, (_, register) => [0xB0 + register, 1] as const),
	[0x6A, 1],
	[0xA0, 8],
	[0xA1, 8],
	[0xA2, 8],
	[0xA3, 8],
	[0xA8, 1],
	[0xC2, 2],
	[0xC8, 3],
	[0xCA, 2],
	[0xCD, 1],
	[0xE4, 1],
	[0xE5, 1],
	[0xE6, 1],
	[0xE7, 1],
	[0xE8, 4],
] as const) {
	fixedBytes[opcode] = bytes;
}

const maxInstructionBytes = 15;

/** Decodes the instruction at an index; returns undefined if it is unknown or truncated. */
export function decodeInstruction(code: Uint8Array, start: number): Instruction | undefined {
	const length = instructionLength(code, start);
	return length === 0 ? undefined : {length, jump: jumpDistance(code, start, start + length)};
}

/** Returns the bytes of the instruction at an index; 0 if it is unknown or truncated. */
export function instructionLength(code: Uint8Array, start: number): number {
	const at = opcodeAt(code, start);
	// REX, 40 to 4F: bit 3 (W) selects 64-bit operands.
	const rex = at > start && code[at - 1] >> 4 === 4 ? code[at - 1] : 0;
	const is64Bit = (rex & 8) !== 0;
	const jumpBytes = jumpBytesOf(code, at);
	const end = jumpBytes === 0
		? otherEnd(code, at, is64Bit, !is64Bit && has16BitPrefix(code, start, at))
		: at + (code[at] === 0x0F ? 2 : 1) + jumpBytes;
	return end === undefined || end > code.length || end - start > maxInstructionBytes ? 0 : end - start;
}

/** Returns the distance from the end of an instruction to the target if it is a relative jump, otherwise undefined. */
export function jumpDistance(code: Uint8Array, start: number, end: number): number | undefined {
	const jumpBytes = jumpBytesOf(code, opcodeAt(code, start));
	return jumpBytes === 0 ? undefined : (jumpBytes === 1 ? code[end - 1] << 24 >> 24 : int32(code, end - 4));
}

/** Returns the index of the opcode, after the prefixes. */
function opcodeAt(code: Uint8Array, start: number): number {
	let at = start;
	while (prefixes[code[at]] === 1) {
		at++;
	}

	return code[at] >> 4 === 4 ? at + 1 : at;
}

function has16BitPrefix(code: Uint8Array, start: number, end: number): boolean {
	for (let at = start; at < end; at++) {
		if (code[at] === 0x66) {
			return true;
		}
	}

	return false;
}

/** Returns the bytes of a jump's displacement; 0 for another instruction. `at`: the opcode. */
function jumpBytesOf(code: Uint8Array, at: number): number {
	const opcode = code[at];
	// 0F 80 to 8F: Jcc rel32.
	if (opcode === 0x0F) {
		return code[at + 1] >> 4 === 8 ? 4 : 0;
	}

	// JMP rel32.
	if (opcode === 0xE9) {
		return 4;
	}

	// Jcc, JMP, LOOP and JRCXZ rel8.
	return opcode >> 4 === 7 || opcode === 0xEB || (opcode >= 0xE0 && opcode <= 0xE3) ? 1 : 0;
}

/** Returns the end of an instruction that is not a jump; undefined if invalid. `at`: the opcode. */
function otherEnd(code: Uint8Array, at: number, is64Bit: boolean, is16Bit: boolean): number | undefined {
	const opcode = code[at];
	// VEX of two or three bytes, EVEX.
	if (opcode === 0xC5 || opcode === 0xC4 || opcode === 0x62) {
		return vectorEnd(code, at);
	}

	if (opcode === 0x0F) {
		return twoByteEnd(code, at + 1);
	}

	return at < code.length ? oneByteEnd(code, at, is64Bit, is16Bit) : undefined;
}

/** Returns the signed little-endian 32-bit number at an index. */
export function int32(code: Uint8Array, at: number): number {
	return code[at] | (code[at + 1] << 8) | (code[at + 2] << 16) | (code[at + 3] << 24);
}

/** Returns the index after the ModRM byte at an index and its SIB byte and displacement. */
function operandEnd(code: Uint8Array, at: number): number {
	const mode = code[at] >> 6;
	const register = code[at] & 7;
	if (mode === 3) {
		return at + 1;
	}

	const hasSib = register === 4;
	const base = hasSib ? code[at + 1] & 7 : register;
	// Mode 0 has a displacement only with "base" 5: no base, or rip.
	const displacement = mode === 1 ? 1 : (mode === 2 || base === 5 ? 4 : 0);
	return at + 1 + (hasSib ? 1 : 0) + displacement;
}

/** Returns the end of a VEX or EVEX instruction: prefix, opcode, ModRM, in some maps an immediate. */
function vectorEnd(code: Uint8Array, at: number): number | undefined {
	const [prefixLength, map] = code[at] === 0xC5
		? [2, 1]
		: (code[at] === 0xC4 ? [3, code[at + 1] & 31] : [4, code[at + 1] & 7]);
	// Map 4 is APX.
	if (map < 1 || map > 6 || map === 4) {
		return undefined;
	}

	const opcode = code[at + prefixLength];
	// VZEROUPPER and VZEROALL have no operands.
	if (map === 1 && opcode === 0x77 && code[at] !== 0x62) {
		return at + prefixLength + 1;
	}

	const hasImmediate = map === 3 || (map === 1 && twoByteWithImmediate[opcode] === 1);
	return operandEnd(code, at + prefixLength + 1) + (hasImmediate ? 1 : 0);
}

/** Returns the end of a two-byte instruction, not a jump. `at`: the byte after 0F. */
function twoByteEnd(code: Uint8Array, at: number): number {
	const opcode = code[at];
	// Three-byte opcodes; those in the map of 3A have an immediate.
	if (opcode === 0x38 || opcode === 0x3A) {
		return operandEnd(code, at + 2) + (opcode === 0x3A ? 1 : 0);
	}

	return bareTwoByte[opcode] === 1 ? at + 1 : operandEnd(code, at + 1) + (twoByteWithImmediate[opcode] === 1 ? 1 : 0);
}

/** Returns the end of a one-byte instruction, not a jump; undefined if invalid. */
function oneByteEnd(code: Uint8Array, at: number, is64Bit: boolean, is16Bit: boolean): number | undefined {
	const opcode = code[at];
	const immediate = is16Bit ? 2 : 4;
	if (invalid[opcode] === 1) {
		return undefined;
	}

	if (opcode < 0x40) {
		return arithmeticEnd(code, at, immediate);
	}

	if (hasOnlyOperand(opcode)) {
		return operandEnd(code, at + 1);
	}

	if (operandAndImmediate[opcode] === 1) {
		return operandEnd(code, at + 1) + immediate;
	}

	if (operandAndByte[opcode] === 1) {
		return operandEnd(code, at + 1) + 1;
	}

	if (opcode === 0xF6 || opcode === 0xF7) {
		return groupEnd(code, at, opcode === 0xF6 ? 1 : immediate);
	}

	// MOV of an immediate to a register.
	if (opcode >= 0xB8 && opcode <= 0xBF) {
		return at + 1 + (is64Bit ? 8 : immediate);
	}

	return at + 1 + (immediateOnly[opcode] === 1 ? immediate : fixedBytes[opcode]);
}

/** Returns the end of an arithmetic instruction: four forms have a ModRM byte, two an immediate. */
function arithmeticEnd(code: Uint8Array, at: number, immediate: number): number {
	const form = code[at] & 7;
	return form < 4 ? operandEnd(code, at + 1) : at + 1 + (form === 4 ? 1 : immediate);
}

/** Returns the end of an instruction of the group of F6 and F7, in which only TEST has an immediate. */
function groupEnd(code: Uint8Array, at: number, immediate: number): number {
	const isTest = ((code[at + 1] >> 3) & 7) < 2;
	return operandEnd(code, at + 1) + (isTest ? immediate : 0);
}

/**
Whether an opcode other than arithmetic has a ModRM byte and no immediate: MOVSXD; TEST to POP; shifts, x87; INC to
PUSH.
*/
function hasOnlyOperand(opcode: number): boolean {
	return opcode === 0x63
		|| (opcode >= 0x84 && opcode <= 0x8F)
		|| (opcode >= 0xD0 && opcode <= 0xDF && opcode !== 0xD7)
		|| opcode >= 0xFE;
}

/** Whether an instruction other than a direct jump has no known successor: RET, HLT, UD2 or an indirect jump. */
export function isEnd(code: Uint8Array, at: number): boolean {
	return code[at] === 0xC3 || code[at] === 0xC2 || code[at] === 0xF4 || (code[at] === 0x0F && code[at + 1] === 0x0B)
		|| isIndirectJump(code, at);
}

/** Whether a direct jump is always taken: jmp rel8 or jmp rel32. */
export function isUnconditionalJump(code: Uint8Array, at: number): boolean {
	return code[at] === 0xEB || code[at] === 0xE9;
}

/** Whether an instruction, perhaps after a REX prefix, is FF /4 or FF /5: a near or far indirect jump. */
function isIndirectJump(code: Uint8Array, at: number): boolean {
	const opcodeAt = code[at] >> 4 === 4 ? at + 1 : at;
	const form = (code[opcodeAt + 1] >> 3) & 7;
	return code[opcodeAt] === 0xFF && (form === 4 || form === 5);
}
