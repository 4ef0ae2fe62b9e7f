import {numberCounter, readPerfData} from '../jvm/counters/hsperfdata.js';
import type {Target} from '../jvm/target.js';
import {UserError} from '../runtime/errors.js';

/** The agent begins no session with less (HeapRoom.java). */
const leastMb = 16;

/** Throws UserError if the JVM's counters say that too little of its heap is free for an agent. */
export function checkHeapRoom(target: Target): void {
	const counters = readPerfData(target);
	// The old generation or, of a collector without generations, the whole heap.
	const max = numberCounter(counters, 'sun.gc.generation.1.maxCapacity');
	const used = numberCounter(counters, 'sun.gc.generation.1.space.0.used');
	if (max !== undefined && used !== undefined && max - used < leastMb * 1024 * 1024) {
		throw lowHeap(target, max - used);
	}
}

const wholeMb = (bytes: number) => Math.max(0, Math.floor(bytes / 1024 / 1024));

/** Returns the error for a JVM whose heap has filled up during a session, with this much left. */
export function filledHeap({pid}: Target, freeBytes: number): UserError {
	const left = `${wholeMb(freeBytes)} MB are free in its old generation`;
	return new UserError(`the heap of JVM ${pid} has filled up (${left}): the agent has removed itself`, {
		hint: 'for a longer session, give the JVM a larger -Xmx',
	});
}

/** Returns the error for a JVM with this much free. */
export function lowHeap({pid}: Target, freeBytes: number): UserError {
	const freeMb = wholeMb(freeBytes);
	const reason = `JVM ${pid} has only ${freeMb} MB free in its heap's old generation; the agent needs ${leastMb} MB`;
	return new UserError(reason, {
		hint: `jcmd ${pid} GC.run frees garbage there, and stops the JVM meanwhile; or give it a larger -Xmx`,
	});
}
