/* Where in a call or a return a thread is, by the machine code (Arm ARM, C6), and where the caller is then. */
import {type Caller, type CodeReader, type KnownCode, type Registers, type StackWords} from '../architecture.js';
import {effectOf} from './arm64-effect.js';
import {
	instructionAt, instructionBytes, isBl, isBlr, isRet, signedField, successorsOf,
} from './arm64-instruction.js';

/** First release in which calls pass the caller's stack pointer in x19, not in x13 (JDK-8284161). */
const firstWithX19 = 19;

function senderSp({x13, x19}: Registers, release: number): number {
	return release >= firstWithX19 ? x19 : x13;
}

/** Maximum instructions between the entry of the interpreter and the end of the frame that it builds. */
const maxEntryInstructions = 96;

/** stp x29, x30, [sp, #80]; add x29, sp, #80; stp xzr, x13 or x19, [sp, #64] (generate_fixed_frame). */
const savesRegisters = 0xA9_05_7B_FD;
const setsFp = 0x91_01_43_FD;
const savesSenderSp = new Set([0xA9_04_37_FF, 0xA9_04_4F_FF]);

/** ldp x29, x30, [sp], #16; and sp, x20, #-16; mov sp, x20 (remove_activation, and the return of native methods). */
const loadsRegisters = 0xA8_C1_7B_FD;
const setsCallersSp = new Set([0x92_7C_EE_9F, 0x91_00_02_9F]);

/** How much of a frame the interpreter has built. */
type Progress = 'none' | 'partial' | 'complete';

/**
Returns how much of the frame exists at an address in the interpreter: code that leads to the end of its building comes
only before that.
*/
function progressOfEntry(codeAt: CodeReader, pc: number): Progress {
	let hasSaved = false;
	/** Code that is jumped to: what follows a jump or an end is reached only from there. */
	let reachedUntil = pc;
	let window: Uint8Array = new Uint8Array();
	let start = pc;
	for (let at = pc; at < pc + (maxEntryInstructions * instructionBytes); at += instructionBytes) {
		if (at + instructionBytes > start + window.length) {
			window = Uint8Array.from(codeAt(at));
			start = at;
		}

		const word = instructionAt(window, at - start);
		hasSaved ||= word === savesRegisters;
		if (word === setsFp) {
			// A thread between the two instructions has saved the registers.
			return hasSaved || at === pc ? 'none' : 'complete';
		}

		if (savesSenderSp.has(word)) {
			return 'partial';
		}

		const {jump, isAlways, isEnd} = successorsOf(word);
		reachedUntil = jump === undefined || isAlways ? reachedUntil : Math.max(reachedUntil, at + jump);
		if ((isEnd || isAlways) && reachedUntil <= at) {
			return 'complete';
		}
	}

	return 'complete';
}

/** Whether the code after the frame's registers were loaded only sets the stack pointer and returns. */
function isLeaving(code: Uint8Array): boolean {
	for (let at = 0; at < 6 * instructionBytes; at += instructionBytes) {
		const word = instructionAt(code, at);
		if (isRet(word)) {
			return true;
		}

		if (!setsCallersSp.has(word) && (effectOf(word).kind !== 'none' || successorsOf(word).jump !== undefined)) {
			return false;
		}
	}

	return false;
}

/**
Finds where a call or a return is by the code at the program counter. At entry the return address is in lr and the
Method in x12; at the end lr has the return address again, and x20 is the caller's stack pointer.
*/
export function callerOfInterpreted(
	known: KnownCode,
	stack: StackWords,
	registers: Registers,
): Caller | undefined {
	const {pc, sp, fp, lr, x12, x20} = registers;
	const code = Uint8Array.from(known.codeAt(pc));
	if (instructionAt(code, 0) === loadsRegisters && isLeaving(code.subarray(instructionBytes))) {
		return {pc: stack.returnAddress(sp + 8), sp: x20, fp: stack.word(sp), method: 0};
	}

	if (isLeaving(code) && isWithin(stack, x20) && known.isReturnAddress(lr)) {
		return {pc: lr, sp: x20, fp, method: 0};
	}

	const progress = progressOfEntry(known.codeAt, pc);
	const callerSp = senderSp(registers, known.release);
	if (progress === 'complete' || !isWithin(stack, callerSp)) {
		return undefined;
	}

	return progress === 'none'
		? {pc: lr, sp: callerSp, fp, method: x12}
		: {pc: stack.returnAddress(fp + 8), sp: callerSp, fp: stack.word(fp), method: x12};
}

/** mov x13, sp; mov x19, sp: an adapter from compiled code keeps the caller's stack pointer, then makes room. */
const keepsSp = new Set([0x91_00_03_ED, 0x91_00_03_F3]);

const maxAdapterInstructions = 64;

/** Bytes of code that are read at once, backwards. */
const backwardBytes = 8 * instructionBytes;

/**
Finds the return address in lr; the stack pointer is the caller's unless the adapter has kept that in a register. From
interpreted code, whose frame pointer suffices, it is not needed.
*/
export function callerOfAdapter(known: KnownCode, stack: StackWords, registers: Registers): Caller | undefined {
	const {pc, sp, fp, lr} = registers;
	if (!known.isReturnAddress(lr)) {
		return undefined;
	}

	const kept = senderSp(registers, known.release);
	const isKept = isAfterKeeping(known.codeAt, pc) && isWithin(stack, kept) && kept >= sp;
	return {pc: lr, sp: isKept ? kept : sp, fp, method: 0};
}

/** Whether the code before an address, back to where other code ends, keeps the stack pointer. */
function isAfterKeeping(codeAt: CodeReader, pc: number): boolean {
	for (let end = pc; end > pc - (maxAdapterInstructions * instructionBytes); end -= backwardBytes) {
		const code = codeAt(end - backwardBytes);
		for (let at = backwardBytes - instructionBytes; at >= 0; at -= instructionBytes) {
			const word = instructionAt(code, at);
			if (keepsSp.has(word) || successorsOf(word).isEnd) {
				return keepsSp.has(word);
			}
		}
	}

	return false;
}

/** Whether a code address is the return address of a call: BL, BLR. */
export function isAfterCall(codeAt: CodeReader, pc: number): boolean {
	const word = instructionAt(codeAt(pc - instructionBytes), 0);
	return isBl(word) || isBlr(word);
}

/** Bytes before a return address in which a call's target is loaded. */
const callWindowBytes = 5 * instructionBytes;

/**
Returns the target of the call with this return address; 0 if unknown: of BL, perhaps through a trampoline (ldr x8; br
x8; address), and of BLR after the MOVZ and MOVK of its register.
*/
export function callTarget(codeAt: CodeReader, returnPc: number): number {
	const code = Uint8Array.from(codeAt(returnPc - callWindowBytes));
	const call = instructionAt(code, callWindowBytes - instructionBytes);
	if (isBl(call)) {
		return behindTrampoline(codeAt, returnPc - instructionBytes + (4 * signedField(call, 0, 26)));
	}

	return isBlr(call) ? loadedValue(code, (call >>> 5) & 31) : 0;
}

/** ldr x8, #8; br x8 (NativeCallTrampolineStub). */
const trampoline = [0x58_00_00_48, 0xD6_1F_01_00];

function behindTrampoline(codeAt: CodeReader, target: number): number {
	const code = codeAt(target);
	return trampoline.every((word, index) => instructionAt(code, index * instructionBytes) === word)
		? instructionAt(code, 8) + (instructionAt(code, 12) * (2 ** 32))
		: target;
}

/** Returns what MOVZ and MOVK before a call have loaded into a register; 0 if they have not. */
function loadedValue(code: Uint8Array, register: number): number {
	let value = 0;
	for (let at = 0; at < callWindowBytes - instructionBytes; at += instructionBytes) {
		const word = instructionAt(code, at);
		const part = ((word >>> 5) & 0xFF_FF) * (2 ** (16 * ((word >>> 21) & 3)));
		const kind = (word & 0xFF_80_00_1F) >>> 0;
		if (kind === 0xD2_80_00_00 + register) {
			value = part;
		} else if (kind === 0xF2_80_00_00 + register && value !== 0) {
			value += part;
		}
	}

	return value;
}

/** Maximum instructions of a function before it saves its caller's registers. */
const maxNativeEntry = 16;

/**
Returns the stack pointer of Java code that called a native function with this return address, saved at `at`: the
function has saved the registers at the bottom of its frame, whose size its first instructions tell. Interpreted callers
need none. Undefined if unknown.
*/
export function callerSp(codeAt: CodeReader, returnPc: number, at: number): number | undefined {
	const target = callTarget(codeAt, returnPc);
	if (target === 0) {
		return undefined;
	}

	const code = Uint8Array.from(codeAt(target));
	let bytes = 0;
	for (let index = 0; index < maxNativeEntry; index++) {
		const word = instructionAt(code, index * instructionBytes);
		const effect = effectOf(word);
		if (effect.kind === 'save') {
			bytes -= effect.pops;
			return at - 8 + bytes - (effect.pops === 0 ? effect.offset : 0);
		}

		if (effect.kind === 'move') {
			bytes -= effect.pops;
		} else if (effect.kind !== 'none' || successorsOf(word).isEnd || successorsOf(word).isAlways) {
			return undefined;
		}
	}

	return undefined;
}

function isWithin(stack: StackWords, word: number): boolean {
	return word >= stack.low && word <= stack.high && word % 8 === 0;
}
