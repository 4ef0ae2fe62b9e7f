import {type Method} from '../hotspot/methods.js';
import {type Vm} from '../hotspot/vm.js';
import {type StackCopy} from './stack.js';

/*
Slots of an interpreted frame, bytes from its frame pointer (frame_x86.hpp; the mirror came with 9 and moved those after
it).
*/
export const slot = {
	returnPc: 8, senderFp: 0, senderSp: -8, lastSp: -16, method: -24,
} as const;

/** The slot that keeps the bytecode pointer while the frame calls. */
export function bytecodeSlot(release: number): number {
	return release >= 9 ? -64 : -56;
}

/** Lowest slot of a complete frame: the bottom of its expression stack. */
export function lastSlot(release: number): number {
	return bytecodeSlot(release) - 8;
}

/** Bytecode index of an interpreted frame; 0 for native methods and if the pointer cannot be one. */
export function bytecodeIndex(method: Method, pointer: number): number {
	return !method.isNative && isBytecode(method, pointer) ? pointer - method.codeStart : 0;
}

/** Whether a word points into a method's bytecodes. */
export function isBytecode(method: Method, pointer: number): boolean {
	return pointer >= method.codeStart && pointer < method.codeEnd;
}

/** The bytecode pointer as the frame itself keeps it. Throws `Unreadable`. */
export function savedBytecode(vm: Vm, stack: StackCopy, fp: number): number {
	return stack.word(fp + bytecodeSlot(vm.release));
}
