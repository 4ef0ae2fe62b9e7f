/*
Detects incomplete frames of compiled methods: at entry, before the frame is built, and at exit, after it is removed.
Both are short instruction sequences, decoded here for their effect on the stack pointer (HotSpot:
MacroAssembler::verified_entry, C1_MacroAssembler::build_frame; epilogues in x86_64.ad and c1_LIRAssembler_x86.cpp).
*/

/**
An incomplete frame: bytes on the stack above the return address, and whether the caller's frame pointer is saved in the
word above it.
*/
export type PartialFrame = {readonly depth: number; readonly isFpSaved: boolean};

type Instruction = {readonly length: number; readonly effect?: 'push' | 'pop' | 'allocate' | 'save' | 'return'; readonly bytes?: number};

/** Maximum length of a decoded prologue, bytes. */
const prologueLimit = 128;

/** Maximum instructions between removing a frame and the return. */
const epilogueSteps = 6;

/** The frame at an offset after a method's entry; undefined if an instruction in between is not of a prologue. */
export function decodePrologue(code: Uint8Array, offset: number): PartialFrame | undefined {
	let at = 0;
	let depth = 0;
	let isFpSaved = false;
	while (at < offset) {
		const instruction = at < prologueLimit ? decode(code, at) : undefined;
		if (!instruction) {
			return undefined;
		}

		const {effect, bytes = 0} = instruction;
		if (effect === 'pop' || effect === 'return') {
			return undefined;
		}

		depth += effect === 'push' ? 8 : bytes;
		isFpSaved ||= effect === 'push' || effect === 'save';
		at += instruction.length;
	}

	return at === offset ? {depth, isFpSaved} : undefined;
}

/**
The frame if the code from here on only polls for a safepoint and returns; undefined if the frame is still complete.
*/
export function decodeEpilogue(code: Uint8Array): PartialFrame | undefined {
	let depth = 0;
	let isFpSaved = false;
	for (let at = 0, step = 0; step < epilogueSteps; step++) {
		const instruction = decode(code, at);
		if (!instruction) {
			return undefined;
		}

		if (instruction.effect === 'return') {
			return {depth, isFpSaved};
		}

		if (instruction.effect === 'pop' && depth === 0) {
			depth = 8;
			isFpSaved = true;
		} else if (instruction.effect !== undefined) {
			return undefined;
		}

		at += instruction.length;
	}

	return undefined;
}

/** Decodes an instruction of a prologue or epilogue (Intel SDM volume 2); undefined for any other. */
function decode(code: Uint8Array, at: number): Instruction | undefined {
	const [a, b, c] = [code[at], code[at + 1], code[at + 2]];
	switch (a) {
		case 0x55: { // push rbp
			return {length: 1, effect: 'push'};
		}

		case 0x5D: { // pop rbp
			return {length: 1, effect: 'pop'};
		}

		case 0xC3: { // ret
			return {length: 1, effect: 'return'};
		}

		case 0x90: { // nop
			return {length: 1};
		}

		case 0x66: {
			// nop with one or two prefixes, or a long one with a prefix.
			if (b === 0x90 || (b === 0x66 && c === 0x90)) {
				return {length: b === 0x90 ? 2 : 3};
			}

			return b === 0x0F ? longNop(code, at + 1, 1) : undefined;
		}

		case 0x0F: {
			// The jump to the slow path of a poll: ja rel32.
			return b === 0x87 ? {length: 6} : longNop(code, at, 0);
		}

		case 0x77: { // ja rel8
			return {length: 2};
		}

		case 0x89: {
			// The stack bang: mov [rsp - disp32], eax.
			return b === 0x84 && c === 0x24 ? {length: 7} : undefined;
		}

		case 0x85: {
			// The poll of 8: test [rip + disp32], eax.
			return b === 0x05 ? {length: 6} : undefined;
		}

		case 0xC5: { // vzeroupper
			return b === 0xF8 && c === 0x77 ? {length: 3} : undefined;
		}

		case 0x41: {
			// The poll of 10 to 15: test [reg], eax; the guard at entry is compared in 41 81 7F disp8 imm32.
			if (b === 0x81 && (c === 0x7F || c === 0xBF)) {
				return {length: c === 0x7F ? 8 : 11};
			}

			return b === 0x85 ? {length: 3} : undefined;
		}

		case 0x4D: // mov reg, [r15 + disp]
		case 0x49: { // cmp rsp, [r15 + disp], mov
			return wide(b, c);
		}

		case 0x48: {
			return withRexW(code, at);
		}

		default: {
			return undefined;
		}
	}
}

function wide(opcode: number, operand: number): Instruction | undefined {
	if (opcode !== 0x8B && opcode !== 0x3B) {
		return undefined;
	}

	return operand >> 6 === 1 ? {length: 4} : (operand >> 6 === 2 ? {length: 7} : undefined);
}

function withRexW(code: Uint8Array, at: number): Instruction | undefined {
	const [b, c, d, e] = [code[at + 1], code[at + 2], code[at + 3], code[at + 4]];
	if (b === 0x83 && c === 0xEC) { // sub rsp, imm8
		return {length: 4, effect: 'allocate', bytes: d};
	}

	if (b === 0x81 && c === 0xEC) { // sub rsp, imm32
		return {length: 7, effect: 'allocate', bytes: (d | (e << 8) | (code[at + 5] << 16) | (code[at + 6] << 24)) >>> 0};
	}

	if (b === 0x89 && c === 0x6C && d === 0x24) { // mov [rsp + disp8], rbp
		return {length: 5, effect: 'save'};
	}

	if (b === 0x89 && c === 0xAC && d === 0x24) { // mov [rsp + disp32], rbp
		return {length: 8, effect: 'save'};
	}

	return (b === 0x8B && c === 0xEC) || (b === 0x89 && c === 0xE5) ? {length: 3} : undefined; // mov rbp, rsp
}

/** A multi-byte nop [operand]; `prefix`: number of bytes before it. */
function longNop(code: Uint8Array, at: number, prefix: number): Instruction | undefined {
	if (code[at] !== 0x0F || code[at + 1] !== 0x1F) {
		return undefined;
	}

	const lengths = new Map([[0x00, 3], [0x40, 4], [0x44, 5], [0x80, 7], [0x84, 8]]);
	const length = lengths.get(code[at + 2]);
	return length === undefined ? undefined : {length: length + prefix};
}
