import {numberCounter, readPerfData, type PerfCounters} from '../jvm/counters/hsperfdata.js';
import {endsWhenOutOfMemory, readMaxMetaspace, usesZgc} from '../jvm/counters/jvm-flags.js';
import type {Target} from '../jvm/target.js';
import {UserError} from '../runtime/errors.js';

const megabyte = 1024 * 1024;

/**
The agent begins no session with less free, ends one at two thirds of it, and takes a `part`-th of the free. `why`:
follows the figure in an error.
*/
type HeapRule = {readonly leastMb: number; readonly part: number; readonly why: string};
const usual: HeapRule = {leastMb: 48, part: 16, why: ''};
/** What the agent holds must not make the difference between a heap that is nearly full and one that is. */
const careful = {leastMb: 128, part: 64};
const exits: HeapRule = {...careful, why: ', as this JVM ends once it is out of memory'};
/** ZGC gives each CPU a page of its own, so a class file or two may take megabytes. */
const zgc: HeapRule = {...careful, why: ', as ZGC gives out its heap in large pages'};

/** For the agent's classes, which stay, and the woven ones; measured with the largest `--max-methods`. */
const leastMetaspaceMb = 16;

function ruleFor(target: Target): HeapRule {
	return endsWhenOutOfMemory(target) ? exits : (usesZgc(target) ? zgc : usual);
}

const wholeMb = (bytes: number) => Math.max(0, Math.floor(bytes / megabyte));

/** Throws UserError if the JVM's counters say that too little of its heap or its metaspace is free for an agent. */
export function checkRoom(target: Target): void {
	const counters = readPerfData(target);
	const free = freeHeap(counters);
	if (free !== undefined && free < ruleFor(target).leastMb * megabyte) {
		throw lowHeap(target, free);
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
function freeHeap(counters: PerfCounters | undefined): number | undefined {
	const max = numberCounter(counters, 'sun.gc.generation.1.maxCapacity');
	const used = numberCounter(counters, 'sun.gc.generation.1.space.0.used');
	return max === undefined || used === undefined ? undefined : max - used;
}

/** Returns the line of a command that tells the agent its rule (HeapRoom.java). */
export function heapLine(target: Target): string {
	const {leastMb, part} = ruleFor(target);
	return `heap ${leastMb * megabyte} ${part}`;
}

/** Returns the error for a JVM whose heap has filled up during a session, with this much left. */
export function filledHeap({pid}: Target, freeBytes: number): UserError {
	const filled = `the heap of JVM ${pid} has filled up (${wholeMb(freeBytes)} MB are free)`;
	return new UserError(`${filled}: the agent has removed itself`, {
		hint: 'for a longer session, give the JVM a larger -Xmx',
	});
}

/** Returns the error for a JVM with this much free. */
export function lowHeap(target: Target, freeBytes: number): UserError {
	const {leastMb, why} = ruleFor(target);
	const has = `JVM ${target.pid} has only ${wholeMb(freeBytes)} MB of heap free for long-lived objects`;
	const collect = `jcmd ${target.pid} GC.run frees it, and stops the JVM meanwhile`;
	return new UserError(`${has}; the agent needs ${leastMb} MB${why}`, {
		hint: `garbage counts as used: ${collect}; or give it a larger -Xmx`,
	});
}
