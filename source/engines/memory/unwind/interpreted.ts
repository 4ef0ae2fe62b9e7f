import {type Method} from '../hotspot/methods.js';
import {type Vm} from '../hotspot/vm.js';
import {type StackCopy} from './stack.js';

/*
Slots of an interpreted frame, bytes from its frame pointer (frame_x86.hpp; the mirror, since 9, moved the later ones).
*/
export const slot = {
	returnPc: 8, senderFp: 0, senderSp: -8, lastSp: -16, method: -24,
} as const;

/** The slot with the bytecode pointer while the frame is in a call. */
function bytecodeSlot(release: number): number {
	return release >= 9 ? -64 : -56;
}

/** Lowest slot of a complete frame: the bottom of its expression stack. */
export function lastSlot(release: number): number {
	return bytecodeSlot(release) - 8;
}

/** First release in which the end of a frame's monitors is relative to its frame pointer, in words (JDK-8308984). */
const relativeSlots = 22;

/** Bytes of a monitor in an interpreted frame: a lock word and the object (BasicObjectLock). */
const monitorBytes = 16;

/** Maximum monitors accepted for a frame. */
const monitorLimit = 256;

/**
Objects whose monitors an interpreted frame holds, outermost first: they lie below its fixed slots, the last of which
has their end. Throws `Unreadable`.
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

/** Bytecode index of an interpreted frame; 0 for native methods or an invalid pointer. */
export function bytecodeIndex(method: Method, pointer: number): number {
	return !method.isNative && isBytecode(method, pointer) ? pointer - method.codeStart : 0;
}

export function isBytecode(method: Method, pointer: number): boolean {
	return pointer >= method.codeStart && pointer < method.codeEnd;
}

/** The bytecode pointer saved in the frame. Throws `Unreadable`. */
export function savedBytecode(vm: Vm, stack: StackCopy, fp: number): number {
	return stack.word(fp + bytecodeSlot(vm.release));
}
