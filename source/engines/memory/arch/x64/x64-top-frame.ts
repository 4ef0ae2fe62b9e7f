import {type Caller, type CodeReader, type KnownCode, type Registers, type StackWords} from '../architecture.js';
import {bcpOffset} from './x64-frame.js';

/*
The machine code by which a walk recognizes where in a call or a return a thread is (x86-64; Intel SDM, volume 2), and
where the caller is then.
To support a new JDK or compiler, add a row. `any` is a byte of any value; `jdks`: those in whose code it was found.
*/

const any = -1;

/** What to do in interpreted code that is leaving a method. The return address is in r13, or still on the stack. */
type InterpreterReturn = {
	readonly bytes: readonly number[];
	readonly meaning: string;
	readonly action: 'returnInR13' | 'returnOnStack';
	readonly jdks: string;
};

/**
TemplateTable::_return ends with remove_activation, which pops the return address into r13 and makes rbx, the caller's
stack pointer, the current one (interp_masm_x86.cpp).
*/
const interpreterReturns: readonly InterpreterReturn[] = [
	{bytes: [0x41, 0x5D], meaning: 'pop r13', action: 'returnOnStack', jdks: '8 to 27'},
	{bytes: [0x48, 0x8B, 0xE3], meaning: 'mov rsp, rbx', action: 'returnInR13', jdks: '8 to 27'},
	{
		bytes: [0x48, 0x89, 0xDC],
		meaning: 'mov rsp, rbx in its other encoding',
		action: 'returnInR13',
		jdks: 'none known',
	},
	{bytes: [0x41, 0xFF, 0xE5], meaning: 'jmp r13', action: 'returnInR13', jdks: '8 to 27'},
];

/** Returns what to do in interpreted code that begins with these bytes; undefined if it is not leaving a method. */
function interpreterReturn(code: Uint8Array): InterpreterReturn['action'] | undefined {
	return interpreterReturns.find(({bytes}) => matches(code, 0, bytes))?.action;
}

/** Bytes of the longest call instruction that the table has, and of all bytes before a return address that it needs. */
const callBytes = 7;
const farCallBytes = 13;

/**
Calls. `target`: where to find what is called. A relative target is the last four bytes, from the return address on; an
absolute one is eight bytes after the first two. The second byte of FF /2 has 2 in its middle three bits.
*/
type Call = {
	readonly bytes: readonly number[];
	readonly meaning: string;
	readonly target: 'relative' | 'absolute';
	readonly jdks: string;
};

const eightBytes = Array.from({length: 8}, () => any);

const relativeCall: Call = {
	bytes: [0xE8, any, any, any, any],
	meaning: 'call rel32',
	target: 'relative',
	jdks: 'not searched for: the usual call',
};

/** The calls with a known target: the first one that matches counts. */
const calls: readonly Call[] = [
	{
		bytes: [0x49, 0xBA, ...eightBytes, 0x41, 0xFF, 0xD2], meaning: 'mov r10, imm64; call r10', target: 'absolute',
		jdks: 'stubs of 25 and 27',
	},
	relativeCall,
];

/** Lengths of FF /2, call r/m64: with a register, a byte or four bytes of displacement, with and without a SIB byte. */
const indirectCallBytes = [2, 3, 4, 6, 7];
const isIndirectCall = (first: number, second: number) => first === 0xFF && (second & 0x38) === 0x10;

/** Whether a code address is the return address of a call. */
export function isAfterCall(codeAt: CodeReader, pc: number): boolean {
	const code = codeAt(pc - callBytes);
	return matches(code, callBytes - relativeCall.bytes.length, relativeCall.bytes)
		|| indirectCallBytes.some(length => isIndirectCall(code[callBytes - length], code[callBytes - length + 1]));
}

/** Returns the target of the call with this return address; 0 if unknown. */
export function callTarget(codeAt: CodeReader, returnPc: number): number {
	const code = codeAt(returnPc - farCallBytes);
	const call = calls.find(({bytes}) => matches(code, farCallBytes - bytes.length, bytes));
	const view = new DataView(code.buffer, code.byteOffset, farCallBytes);
	if (call?.target === 'absolute') {
		return Number(view.getBigUint64(2, true));
	}

	return call?.target === 'relative' ? returnPc + view.getInt32(farCallBytes - 4, true) : 0;
}

function matches(code: Uint8Array, start: number, bytes: readonly number[]): boolean {
	return bytes.every((byte, index) => byte === any || code[start + index] === byte);
}

/** Finds where a call or a return is by the code at the program counter, then by the registers. */
export function callerOfInterpreted(
	known: KnownCode,
	stack: StackWords,
	registers: Registers,
): Caller | undefined {
	const {pc, sp, fp, rbx, r13} = registers;
	const action = interpreterReturn(known.codeAt(pc));
	// The method's frame is gone, and rbx is the caller's stack pointer.
	if (action === 'returnInR13' && known.isCode(r13)) {
		return {pc: r13, sp: isWithin(stack, rbx) ? rbx : sp, fp, method: 0};
	}

	if (action === 'returnOnStack' && known.isReturnAddress(stack.word(sp))) {
		return {pc: stack.word(sp), sp: isWithin(stack, rbx) ? rbx : sp + 8, fp, method: 0};
	}

	const caller = callerOfEntered(known, stack, registers);
	if (caller) {
		return caller;
	}

	// The frame pointer is set, but some slots below it are not.
	if (sp > fp + bcpOffset(known.release) - 8) {
		const senderSp = sp <= fp - 8 ? stack.wordOrZero(fp - 8) : (isWithin(stack, r13) ? r13 : fp + 16);
		return {pc: stack.wordOrZero(fp + 8), sp: senderSp, fp: stack.wordOrZero(fp), method: rbx};
	}

	return undefined;
}

/**
Returns the caller of an interpreted method that is being entered: r13 is the caller's stack pointer and rbx the method;
the new frame exists once the frame pointer is below r13.
*/
function callerOfEntered(
	known: KnownCode,
	stack: StackWords,
	{sp, fp, rbx, r13, rax}: Registers,
): Caller | undefined {
	if (!isWithin(stack, r13) || r13 < sp || fp < r13) {
		return undefined;
	}

	const words = [stack.wordOrZero(sp), rax, stack.wordOrZero(sp + 8), stack.wordOrZero(r13 - 8)];
	const pc = words.find(word => known.isReturnAddress(word));
	return pc === undefined ? undefined : {pc, sp: r13, fp, method: rbx};
}

/** Finds the return address on top of the stack, or in rax while arguments are moved. */
export function callerOfAdapter(
	known: KnownCode,
	stack: StackWords,
	{sp, fp, rax, r13}: Registers,
): Caller | undefined {
	const word = stack.word(sp);
	if (known.isReturnAddress(word)) {
		return {pc: word, sp: isWithin(stack, r13) && r13 > sp ? r13 : sp + 8, fp, method: 0};
	}

	return known.isReturnAddress(rax) && isWithin(stack, r13) ? {pc: rax, sp: r13, fp, method: 0} : undefined;
}

function isWithin(stack: StackWords, word: number): boolean {
	return word >= stack.low && word <= stack.high && word % 8 === 0;
}
