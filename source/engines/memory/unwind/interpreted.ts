import {type Method} from '../hotspot/methods.js';
import {type Jvm} from '../hotspot/jvm.js';
import {type Vm} from '../hotspot/vm.js';
import {type StackCopy} from './stack.js';

/**
Slots of an interpreted frame, bytes from its frame pointer (frame_x86.hpp, frame_aarch64.hpp); lower ones depend on
architecture and release.
*/
export const slot = {returnPc: 8, senderFp: 0, senderSp: -8, lastSp: -16, method: -24} as const;

/** First release in which a frame has the end of its monitors relative to its frame pointer, in words (JDK-8308984). */
const relativeMonitorEndSince = 22;

/** Bytes of a monitor in an interpreted frame: a lock word and the object (BasicObjectLock). */
const monitorBytes = 16;

const maxMonitors = 256;

/**
Returns the objects whose monitors an interpreted frame holds, outermost first. The monitors are below its fixed slots,
the last of which contains the monitors' end. Throws `Unreadable`.
*/
export function heldObjects(vm: Vm, stack: StackCopy, fp: number): number[] {
	// The lowest fixed slot is below that of the bytecode pointer.
	const begin = fp + vm.arch.bcpOffset(vm.release) - 8;
	const end = vm.release >= relativeMonitorEndSince ? fp + (8 * stack.i32(begin)) : stack.word(begin);
	const objects: number[] = [];
	for (let at = begin - monitorBytes; at >= end && objects.length < maxMonitors; at -= monitorBytes) {
		const object = stack.word(at + 8);
		if (object !== 0) {
			objects.push(object);
		}
	}

	return objects;
}

/** What identifies interpreted frames: the JVM's constants and methods. */
type Interpreter = Pick<Jvm, 'vm' | 'methods'>;

/** A method and an index in its bytecodes. */
type InterpretedLocation = {readonly method: Method; readonly bci: number};

/**
Returns the method and the bytecode index of an interpreted frame. `bcp`: a top frame's register with the bytecode
pointer. Throws `Unreadable`.
*/
export function interpretedLocation(jvm: Interpreter, stack: StackCopy, fp: number, bcp = 0): InterpretedLocation {
	const {vm, methods} = jvm;
	const method = methods.at(stack.word(fp + slot.method));
	const pointer = method.isNative || isBcp(method, bcp) ? bcp : stack.word(fp + vm.arch.bcpOffset(vm.release));
	if (isBcp(method, pointer)) {
		return {method, bci: pointer - method.codeStart};
	}

	// During a collection, the slot contains the index instead of the pointer on 8 (frame::gc_prologue). Native methods
	// have no bytecodes, and the pointer of one being entered may be invalid.
	const isIndex = vm.release === 8 && !method.isNative && pointer < method.codeEnd - method.codeStart;
	return {method, bci: isIndex ? pointer : 0};
}

/** Returns the id of an interpreted frame, see `interpretedLocation`. Throws `Unreadable`. */
export function interpretedFrame(jvm: Interpreter, stack: StackCopy, fp: number, bcp = 0): number {
	const {method, bci} = interpretedLocation(jvm, stack, fp, bcp);
	return method.frame(bci);
}

function isBcp({isNative, codeStart, codeEnd}: Method, word: number): boolean {
	return !isNative && word >= codeStart && word < codeEnd;
}
