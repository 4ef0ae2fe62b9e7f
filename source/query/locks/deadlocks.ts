import {deadlockAgeMs, lockKindCode} from '../../model/sample.js';
import type {Snapshot} from '../../model/snapshot.js';
import {placeOfFrame} from '../facts/place.js';
import {stuckMs} from '../now.js';
import type {Deadlock, DeadlockedThread} from '../types.js';
import {isHeldUpNow, programPlace, waitsForGood} from './hold-ups.js';

/**
Threads that wait for each other in a circle and will do so for good, as far as the newest sample and those before it
tell: each waits, without a limit of time, for a lock that the next one holds, the last for one of the first's. One may
wait for itself where it holds a lock for reading and wants it for writing; at a monitor it has just got it (HotSpot's
own search passes by such a circle, too: ThreadService::find_deadlocks_at_safepoint). Each circle begins with its thread
that is oldest by its key.
*/
export function deadlocksOf(snapshot: Snapshot): Deadlock[] {
	const {threads, session} = snapshot;
	const neededMs = deadlockAgeMs(session.intervalMs);
	const hasOwnMonitor = (thread: number) => threads.lockOwner[thread] === thread && threads.lockKind[thread] === lockKindCode.monitor;
	const isHeldUp = (thread: number) => isHeldUpNow(snapshot, thread) && waitsForGood(snapshot, thread) && stuckMs(snapshot, thread) >= neededMs;
	const next = (thread: number) => isHeldUp(thread) && !hasOwnMonitor(thread) ? threads.lockOwner[thread] : -1;
	// The walk that came by a thread, from 1 on.
	const walkOf = new Int32Array(threads.count);
	const circles: Deadlock[] = [];
	for (let start = 0; start < threads.count; start++) {
		let at = start;
		while (at >= 0 && walkOf[at] === 0) {
			walkOf[at] = start + 1;
			at = next(at);
		}

		if (at >= 0 && walkOf[at] === start + 1) {
			circles.push(circleFrom(snapshot, at, next));
		}
	}

	return circles;
}

/** Whether a thread is one of a deadlock. */
export function isDeadlocked(deadlocks: readonly Deadlock[], thread: number): boolean {
	return deadlocks.some(circle => circle.some(member => member.thread === thread));
}

function circleFrom(snapshot: Snapshot, start: number, next: (thread: number) => number): Deadlock {
	const {key} = snapshot.threads;
	const members = [start];
	for (let at = next(start); at !== start; at = next(at)) {
		members.push(at);
	}

	let first = 0;
	for (const [index, thread] of members.entries()) {
		first = key[thread] < key[members[first]] ? index : first;
	}

	return [...members.slice(first), ...members.slice(0, first)].map(thread => memberOf(snapshot, thread));
}

function memberOf(snapshot: Snapshot, thread: number): DeadlockedThread {
	const {threads, dictionary} = snapshot;
	return {
		thread,
		name: threads.name[thread],
		lockClass: dictionary.strings[threads.lockClass[thread]],
		at: programPlace(snapshot, threads.node[thread]),
		ownerTookAt: threads.lockOwnerFrame[thread] > 0 ? placeOfFrame(dictionary, threads.lockOwnerFrame[thread], 'line') : undefined,
	};
}
