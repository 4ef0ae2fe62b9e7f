/* Follows code to find out how far the stack pointer is below where it was, or will be (Intel SDM volume 2). */
import {type CodeReader, type TopFrameState} from '../architecture.js';
import {decodeInstruction, int32} from './x64-instruction.js';

const instructionBytes = 16;

/** Maximum instructions followed; a stub that restores all registers, vectors included, has some 120. */
const maxInstructions = 256;

/** What an instruction does to the stack pointer: pops bytes (pushes: negative), leaves the code, or is unknown. */
type Effect = {readonly pops: number; readonly isFp?: boolean} | 'exit' | 'unknown';

const none: Effect = {pops: 0};

/**
Returns a stub's frame: its depth is what it pops between an address and its return, or its jump to an address in a
register; the caller's frame pointer is saved if it is popped last. Undefined if the code cannot be followed.
*/
export function stubFrame(codeAt: CodeReader, pc: number): TopFrameState | undefined {
	const code = new CodeWindow(codeAt);
	// Branches that are not taken at first; all paths pop the same.
	const paths = [{at: pc, depth: 0, isFpSaved: false}];
	const visited = new Set<number>();
	for (let path = paths.pop(); path; path = paths.pop()) {
		let {at, depth, isFpSaved} = path;
		while (!visited.has(at) && visited.size < maxInstructions) {
			visited.add(at);
			const instruction = code.instructionAt(at);
			if (instruction === undefined || instruction.effect === 'unknown') {
				break;
			}

			const {effect, end, target, isConditional} = instruction;
			if (effect === 'exit') {
				return {depth, isFpSaved};
			}

			depth += effect.pops;
			isFpSaved = effect.pops === 0 ? isFpSaved : effect.isFp ?? false;
			if (target !== undefined && isConditional) {
				paths.push({at: target, depth, isFpSaved});
			}

			at = target === undefined || isConditional ? end : target;
		}
	}

	return undefined;
}

/**
Returns the bytes of temporary values that a compiled method has on the stack at an address, below its frame: what it
pops from there on, until it frees the frame. `frameBytes`: the frame's without return address and frame pointer.
*/
export function pushedOnFrame(codeAt: CodeReader, pc: number, frameBytes: number): number {
	const code = new CodeWindow(codeAt);
	let [at, depth, highest] = [pc, 0, 0];
	for (let step = 0; step < maxInstructions; step++) {
		const instruction = code.instructionAt(at);
		if (!instruction || typeof instruction.effect === 'string') {
			break;
		}

		const {effect, end, target, isConditional, next} = instruction;
		const freesFrame = frameBytes === 0 ? effect.isFp : effect.pops === frameBytes && next === popFp;
		if (freesFrame) {
			break;
		}

		depth += effect.pops;
		highest = Math.max(highest, depth);
		at = target === undefined || isConditional ? end : target;
	}

	return highest;
}

/** An instruction: its effect, its end, the byte there, and where it jumps to. */
type Step = {
	readonly effect: Effect;
	readonly end: number;
	readonly next: number;
	readonly target?: number;
	readonly isConditional: boolean;
};

/** Decodes instructions of the target, which are read in pieces. */
class CodeWindow {
	#bytes: Uint8Array = new Uint8Array();
	#start = 0;

	constructor(readonly codeAt: CodeReader) {}

	/** Returns the instruction at an address; undefined if it cannot be decoded. */
	instructionAt(at: number): Step | undefined {
		if (at < this.#start || at + instructionBytes > this.#start + this.#bytes.length) {
			this.#bytes = this.codeAt(at);
			this.#start = at;
		}

		const code = this.#bytes.subarray(at - this.#start);
		const instruction = decodeInstruction(code, 0);
		if (!instruction) {
			return undefined;
		}

		const {length, jump} = instruction;
		return {
			effect: effectOf(code),
			end: at + length,
			next: code[length],
			target: jump === undefined ? undefined : at + length + jump,
			isConditional: code[0] !== 0xEB && code[0] !== 0xE9,
		};
	}
}

/** pop rbp. */
const popFp = 0x5D;

/** Returns what the instruction at the start of these bytes does to the stack pointer. */
function effectOf(bytes: Uint8Array): Effect {
	const rex = bytes[0] >> 4 === 4 ? bytes[0] : 0;
	const code = rex === 0 ? bytes : bytes.subarray(1);
	const [opcode, operand] = code;
	// 50 to 57, 9C and 68 or 6A: PUSH of a register, the flags, an immediate; 58 to 5F and 9D: POP.
	if ((opcode >= 0x50 && opcode <= 0x57) || [0x9C, 0x68, 0x6A].includes(opcode)) {
		return {pops: -8};
	}

	if ((opcode >= 0x58 && opcode <= 0x5F) || opcode === 0x9D) {
		return {pops: 8, isFp: opcode === popFp && (rex & 1) === 0};
	}

	return endOf(opcode, operand) ?? ((rex & 8) !== 0 && (rex & 1) === 0 ? arithmeticEffect(code) : none);
}

/** Returns the effect of an instruction after which the code goes on elsewhere; undefined for any other instruction. */
function endOf(opcode: number, operand: number): Effect | undefined {
	// RET, JMP to a register.
	if (opcode === 0xC3 || (opcode === 0xFF && operand >= 0xE0 && operand <= 0xE7)) {
		return 'exit';
	}

	// LEAVE, INT3, HLT, UD2, RET with arguments, JMP to an address in memory.
	const isUd2 = opcode === 0x0F && operand === 0x0B;
	const isIndirectJump = opcode === 0xFF && (operand & 0x38) === 0x20;
	return [0xC9, 0xCC, 0xF4, 0xC2].includes(opcode) || isUd2 || isIndirectJump ? 'unknown' : undefined;
}

/** Returns the effect of a 64-bit instruction without its REX prefix; ADD, SUB, LEA and MOV may set the pointer. */
function arithmeticEffect(code: Uint8Array): Effect {
	const [opcode, operand, scale] = code;
	if (opcode === 0x83 || opcode === 0x81) {
		const bytes = opcode === 0x83 ? code[2] << 24 >> 24 : int32(code, 2);
		return immediateEffect(operand, bytes);
	}

	// LEA rsp, [rsp + displacement].
	if (opcode === 0x8D && scale === 0x24 && (operand === 0x64 || operand === 0xA4)) {
		return {pops: operand === 0x64 ? code[3] << 24 >> 24 : int32(code, 3)};
	}

	// MOV rsp, register.
	const isMove = (opcode === 0x89 && (operand & 0xC7) === 0xC4) || (opcode === 0x8B && (operand & 0xF8) === 0xE0);
	return isMove ? 'unknown' : none;
}

/** Returns the effect of arithmetic with an immediate. ModRM's lowest three bits select the register: 4 is rsp. */
function immediateEffect(operand: number, immediate: number): Effect {
	if (operand < 0xC0 || (operand & 7) !== 4) {
		return none;
	}

	switch (operand & 0x38) {
		case 0: {
			// ADD.
			return {pops: immediate};
		}

		case 0x28: {
			// SUB.
			return {pops: -immediate};
		}

		default: {
			// CMP changes nothing; AND aligns the stack pointer.
			return (operand & 0x38) === 0x38 ? none : 'unknown';
		}
	}
}
