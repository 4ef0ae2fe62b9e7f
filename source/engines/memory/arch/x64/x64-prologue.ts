/*
Finds the return address in incomplete frames of compiled methods: at entry, before the frame is built, and at exit,
after it is removed. Both are short instruction sequences, decoded here for their effect on the stack pointer (HotSpot:
MacroAssembler::verified_entry, C1_MacroAssembler::build_frame; epilogues in x86_64.ad and c1_LIRAssembler_x86.cpp).
*/
import {type TopFrameState} from '../architecture.js';
import {decodeInstruction, int32} from './x64-instruction.js';

type Effect = 'none' | 'push' | 'pop' | 'allocate' | 'save' | 'return';

/** The instructions of prologues and epilogues, by their first bytes (Intel SDM volume 2). */
const instructions: ReadonlyArray<readonly [bytes: RegExp, effect: Effect]> = [
	[/^55/, 'push'], // push rbp
	[/^5d/, 'pop'], // pop rbp
	[/^c3/, 'return'],
	[/^488[31]ec/, 'allocate'], // sub rsp, immediate
	[/^4889[6a]c24/, 'save'], // mov [rsp + displacement], rbp
	[/^488bec|^4889e5/, 'none'], // mov rbp, rsp
	[/^(?:66){0,2}90|^(?:66)?0f1f/, 'none'], // nop
	[/^898424/, 'none'], // the stack bang: mov [rsp - displacement], eax
	[/^c5f877/, 'none'], // vzeroupper
	[/^77|^0f87/, 'none'], // ja: to the slow path of a poll
	[/^8505/, 'none'], // the poll of 8: test [rip + displacement], eax
	[/^4185/, 'none'], // the poll of 10 to 15: test [reg], eax
	[/^4181[7b]f/, 'none'], // the guard at entry: cmp [r15 + displacement], immediate
	[/^4[9d][83]b[4-9ab]/, 'none'], // mov reg, [r15 + displacement]; cmp rsp, [r15 + displacement]
];

/** Bytes that tell these instructions apart. */
const patternBytes = 4;

const maxPrologueBytes = 128;
const maxEpilogueInstructions = 6;

/** Returns the frame at an offset after a method's entry; undefined if an instruction before it is not a prologue's. */
export function decodePrologue(code: Uint8Array, offset: number): TopFrameState | undefined {
	let at = 0;
	let depth = 0;
	let isFpSaved = false;
	while (at < offset) {
		const instruction = at < maxPrologueBytes ? instructionAt(code, at) : undefined;
		if (!instruction || instruction.effect === 'pop' || instruction.effect === 'return') {
			return undefined;
		}

		const {effect, end} = instruction;
		if (effect === 'push') {
			depth += 8;
		} else if (effect === 'allocate') {
			// An immediate of one byte or of four.
			depth += code[at + 1] === 0x83 ? code[end - 1] : int32(code, end - 4) >>> 0;
		}

		isFpSaved ||= effect === 'push' || effect === 'save';
		at = end;
	}

	return at === offset ? {depth, isFpSaved} : undefined;
}

/** Returns the frame if the code from here on only polls for a safepoint and returns; otherwise undefined. */
export function decodeEpilogue(code: Uint8Array): TopFrameState | undefined {
	let at = 0;
	let isPopped = false;
	for (let step = 0; step < maxEpilogueInstructions; step++) {
		const instruction = instructionAt(code, at);
		if (instruction?.effect === 'return') {
			return {depth: isPopped ? 8 : 0, isFpSaved: isPopped};
		}

		const isPop: boolean = instruction?.effect === 'pop' && !isPopped;
		if (!instruction || (instruction.effect !== 'none' && !isPop)) {
			return undefined;
		}

		isPopped ||= isPop;
		at = instruction.end;
	}

	return undefined;
}

function instructionAt(code: Uint8Array, at: number): {readonly effect: Effect; readonly end: number} | undefined {
	const bytes = Buffer.from(code.subarray(at, at + patternBytes)).toString('hex');
	const effect = instructions.find(([pattern]) => pattern.test(bytes))?.[1];
	const length = effect && decodeInstruction(code, at)?.length;
	return effect && length ? {effect, end: at + length} : undefined;
}
