import {numberCounter, readPerfData, type PerfCounters} from '../jvm/counters/hsperfdata.js';
import {readMaxMetaspace} from '../jvm/counters/jvm-flags.js';
import type {Target} from '../jvm/target.js';
import {UserError} from '../runtime/errors.js';

const megabyte = 1024 * 1024;

/** The agent begins no session with less free for long-lived objects: LEAST in HeapRoom.java. */
const leastHeapMb = 192;

/** For the agent's classes, which stay, and the woven ones; measured with the largest `--max-methods`. */
const leastMetaspaceMb = 16;

const wholeMb = (bytes: number) => Math.max(0, Math.floor(bytes / megabyte));

/** Throws UserError if the JVM's counters say that too little of its heap or its metaspace is free for an agent. */
export function checkRoom(target: Target): void {
	const counters = readPerfData(target);
	const heap = heapOf(counters);
	if (heap && heap.max - heap.used < leastHeapMb * megabyte) {
		throw lowHeap(target, heap.max - heap.used, leastHeapMb * megabyte, {maxBytes: heap.max});
	}

	const max = readMaxMetaspace(target);
	const used = numberCounter(counters, 'sun.gc.metaspace.capacity');
	if (max !== undefined && used !== undefined && max - used < leastMetaspaceMb * megabyte) {
		const has = `JVM ${target.pid} has only ${wholeMb(max - used)} MB left of its MaxMetaspaceSize`;
		const needs = `the agent needs ${leastMetaspaceMb} MB`;
		throw new UserError(`${has}; ${needs}`, {
			hint: 'the agent\'s classes stay in the JVM; give it a larger -XX:MaxMetaspaceSize',
		});
	}
}

/** Of the old generation or, of a collector without generations, of the whole heap; bytes. */
function heapOf(counters: PerfCounters | undefined): {readonly max: number; readonly used: number} | undefined {
	const max = numberCounter(counters, 'sun.gc.generation.1.maxCapacity');
	const used = numberCounter(counters, 'sun.gc.generation.1.space.0.used');
	return max === undefined || used === undefined ? undefined : {max, used};
}

/**
Returns the error for a JVM in which no session begins, with this much free of `maxBytes`, if these are known.
`isLoaded`: the agent itself has seen so.
*/
export function lowHeap(
	target: Target,
	freeBytes: number,
	neededBytes: number,
	{maxBytes = Infinity, isLoaded = false}: {readonly maxBytes?: number; readonly isLoaded?: boolean} = {},
): UserError {
	const enlarge = 'give it a larger -Xmx';
	const collect = `garbage counts as used: jcmd ${target.pid} GC.run frees what there is, and stops the JVM meanwhile`;
	const needs = `the agent needs ${wholeMb(neededBytes)} MB${isLoaded ? ': it has removed itself' : ''}`;
	return new UserError(`${freeText(target, freeBytes)}; ${needs}`, {
		hint: maxBytes <= neededBytes ? enlarge : `${collect}; or ${enlarge}`,
	});
}

/** Returns the error for a JVM in which the agent has ended a session, as this much was free but more was needed. */
export function filledHeap(target: Target, freeBytes: number, neededBytes: number): UserError {
	const needs = `to go on, the agent needs ${Math.ceil(neededBytes / megabyte)} MB`;
	return new UserError(`${freeText(target, freeBytes)}; ${needs}: it has removed itself`, {
		hint: 'for a longer session, give the JVM a larger -Xmx',
	});
}

const freeText = ({pid}: Target, freeBytes: number) =>
	`JVM ${pid} has only ${wholeMb(freeBytes)} MB of heap free for long-lived objects`;
