import type {Location} from '../types/query.js';
import type {Snapshot} from '../../model/snapshot.js';
import {locationOfFrame, locationName} from '../counters/location.js';
import {newestSampleMs, stuckMs, isContendingNow, programLocation, waitsForGood} from './newest-sample.js';

/** A thread of a deadlock; `ownerTookAt` is where the next of the circle took the lock. Empty: not known. */
type DeadlockedThread = {
	/** Index in the snapshot's thread table. */
	readonly thread: number;
	readonly name: string;
	readonly lockClass: string;
	readonly at?: Location;
	readonly ownerTookAt?: Location;
};

/** Threads of which each waits for the next, and the last for the first. */
export type Deadlock = readonly DeadlockedThread[];

/** How long threads must have waited for each other: an engine reads one after the other, so that one sample proves nothing. */
const deadlockMs = 1000;

/**
Threads that have waited for each other in a circle for a second without a limit of time. One waits for itself only if
it holds a lock for reading and wants it for writing. Each circle begins with its oldest thread.
*/
export function deadlocksOf(snapshot: Snapshot): Deadlock[] {
	const {threads} = snapshot;
	const newestMs = newestSampleMs(snapshot);
	const isContending = (thread: number) => isContendingNow(snapshot, thread) && waitsForGood(snapshot, thread)
		&& stuckMs(snapshot, thread) >= deadlockMs && newestMs - threads.lockOwnerSinceMs[thread] >= deadlockMs;
	const hasJustGotIt = (thread: number) => threads.lockOwner[thread] === thread && threads.lockReaders[thread] === 0;
	const waitsFor = Array.from({length: threads.count}, (_, thread) => isContending(thread) && !hasJustGotIt(thread) ? threads.lockOwner[thread] : -1);
	return circlesIn(waitsFor).map(circle => deadlockOf(snapshot, circle));
}

/** The circles in a list of which each member has the index of its next, -1 for none; each in its order. */
export function circlesIn(next: ArrayLike<number>): number[][] {
	// The walk that came by a member, from 1 on.
	const walkOf = new Int32Array(next.length);
	const circles: number[][] = [];
	for (let start = 0; start < next.length; start++) {
		let at = start;
		for (; at >= 0 && walkOf[at] === 0; at = next[at]) {
			walkOf[at] = start + 1;
		}

		if (at >= 0 && walkOf[at] === start + 1) {
			const circle = [at];
			for (let member = next[at]; member !== at; member = next[member]) {
				circle.push(member);
			}

			circles.push(circle);
		}
	}

	return circles;
}

function deadlockOf(snapshot: Snapshot, members: readonly number[]): Deadlock {
	const {key} = snapshot.threads;
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
		at: programLocation(snapshot, threads.node[thread]),
		ownerTookAt: threads.lockOwnerFrame[thread] > 0 ? locationOfFrame(dictionary, threads.lockOwnerFrame[thread], 'line') : undefined,
	};
}

/** Threads of a circle that are named; the others are in the Blockers view and in JSON. */
const maxNamed = 12;

/** Who waits for whom, for a line of the screen: `stuck-1 -> stuck-2 -> stuck-1`. */
export function circleText(deadlock: Deadlock): string {
	const names = deadlock.slice(0, maxNamed).map(({name}) => name);
	const more = deadlock.length > maxNamed ? [`${deadlock.length - maxNamed} more`] : [];
	return [...names, ...more, deadlock[0].name].join(' -> ');
}

/** The whole of it in a sentence: who waits where for what, and who has it. */
export function deadlockText(deadlock: Deadlock): string {
	const waits = deadlock.slice(0, maxNamed).map((member, index) => waitText(member, deadlock[(index + 1) % deadlock.length]));
	const more = deadlock.length > maxNamed ? [`and ${deadlock.length - maxNamed} more threads`] : [];
	return `deadlock of ${deadlock.length} ${deadlock.length === 1 ? 'thread' : 'threads'}: ${[...waits, ...more].join('; ')}`;
}

function waitText({name, lockClass, at, ownerTookAt}: DeadlockedThread, owner: DeadlockedThread): string {
	const where = at ? ` at ${locationName(at)}` : '';
	const lock = lockClass === '' ? 'a lock' : lockClass;
	const taken = ownerTookAt ? ` (taken at ${locationName(ownerTookAt)})` : '';
	return `${name} waits${where} for ${lock} held by ${owner.name}${taken}`;
}
