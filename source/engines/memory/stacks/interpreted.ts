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

/** First release in which the frame says where its monitors end by words from its frame pointer (JDK-8308984). */
const relativeSlots = 22;

/** Bytes of a monitor in an interpreted frame: a lock word, and the object (BasicObjectLock). */
const monitorBytes = 16;

/** Most monitors believed of a frame. */
const monitorLimit = 256;

/**
The objects whose monitors an interpreted frame holds, the outermost first: they lie below its fixed slots, the last of
which says where they end. Throws `Unreadable`.
*/
export function heldObjects(vm: Vm, stack: StackCopy, fp: number): number[] {
	const begin = fp + lastSlot(vm.release);
	const end = vm.release >= relativeSlots ? fp + (8 * stack.signed(begin)) : stack.word(begin);
	const objects: number[] = [];
	for (let at = begin - monitorBytes; at >= end && objects.length < monitorLimit; at -= monitorBytes) {
		const object = stack.word(at + 8);
		if (object !== 0) {
			objects.push(object);
		}
	}

	return objects;
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
