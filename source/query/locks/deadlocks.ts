import {joined, safe, type Printable} from '../../util/printable.js';
import type {Location} from '../types/query.js';
import type {Snapshot} from '../../model/snapshot.js';
import {locationOfFrame, locationName} from '../counters/location.js';
import {newestSampleMs, stuckMs, isContendingNow, programLocation, waitsWithoutTimeout} from './newest-sample.js';

type DeadlockedThread = {
	readonly thread: number;
	readonly name: Printable;
	/** Empty if unknown. */
	readonly lockClass: Printable;
	readonly at?: Location;
	/** Where the next thread of the cycle took the lock. */
	readonly ownerTookAt?: Location;
};

/** A cycle of threads: each waits for the next, and the last for the first. */
export type Deadlock = readonly DeadlockedThread[];

/** Minimum time of waiting. Threads are not read atomically, so one sample cannot prove a deadlock. */
const deadlockMs = 1000;

/**
Returns cycles of threads that have waited for each other without timeouts for at least a second. A thread waits for
itself only if it holds a lock for reading and wants it for writing. Each cycle begins with its oldest thread.
*/
export function deadlocksOf(snapshot: Snapshot): Deadlock[] {
	const {threads} = snapshot;
	const newestMs = newestSampleMs(snapshot);
	const isContending = (thread: number) => isContendingNow(snapshot, thread) && waitsWithoutTimeout(snapshot, thread)
		&& stuckMs(snapshot, thread) >= deadlockMs && newestMs - threads.lockOwnerSinceMs[thread] >= deadlockMs;
	const hasAcquired = (thread: number) => threads.lockOwner[thread] === thread && threads.lockReaders[thread] === 0;
	const waitsFor = Array.from(
		{length: threads.count},
		(_, thread) => isContending(thread) && !hasAcquired(thread) ? threads.lockOwner[thread] : -1,
	);
	return cyclesIn(waitsFor).map(cycle => deadlockOf(snapshot, cycle));
}

/** Returns the cycles, each in order, of a graph in which member i is followed by `next[i]` (-1: by none). */
export function cyclesIn(next: ArrayLike<number>): number[][] {
	// By member: 1 + the member at which the walk that visited it started; 0 if unvisited.
	const walkOf = new Int32Array(next.length);
	const cycles: number[][] = [];
	for (let start = 0; start < next.length; start++) {
		let at = start;
		for (; at >= 0 && walkOf[at] === 0; at = next[at]) {
			walkOf[at] = start + 1;
		}

		if (at >= 0 && walkOf[at] === start + 1) {
			const cycle = [at];
			for (let member = next[at]; member !== at; member = next[member]) {
				cycle.push(member);
			}

			cycles.push(cycle);
		}
	}

	return cycles;
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
		ownerTookAt: threads.lockOwnerFrame[thread] > 0
			? locationOfFrame(dictionary, threads.lockOwnerFrame[thread], 'line')
			: undefined,
	};
}

const maxNamedThreads = 12;

/** Returns a deadlock as a line of the screen: `stuck-1 -> stuck-2 -> stuck-1`. */
export function cycleText(deadlock: Deadlock): Printable {
	const names = deadlock.slice(0, maxNamedThreads).map(({name}) => name);
	const more = deadlock.length > maxNamedThreads ? [safe`${deadlock.length - maxNamedThreads} more`] : [];
	return joined([...names, ...more, deadlock[0].name], safe` -> `);
}

/** Returns a deadlock as a sentence: which thread waits where for which lock, and which thread holds it. */
export function deadlockText(deadlock: Deadlock): Printable {
	const waits = deadlock.slice(0, maxNamedThreads).map((member, index) =>
		heldLockText(member, deadlock[(index + 1) % deadlock.length]));
	const left = deadlock.length - maxNamedThreads;
	const more = left > 0 ? [safe`and ${left} more ${left === 1 ? 'thread' : 'threads'}`] : [];
	return safe`deadlock of ${deadlock.length} ${deadlock.length === 1 ? 'thread' : 'threads'}: ${
		joined([...waits, ...more], safe`; `)
	}`;
}

function heldLockText({name, lockClass, at, ownerTookAt}: DeadlockedThread, owner: DeadlockedThread): Printable {
	const where = at ? safe` at ${locationName(at)}` : safe``;
	const lock = lockClass === '' ? safe`a lock` : lockClass;
	const taken = ownerTookAt ? safe` (taken at ${locationName(ownerTookAt)})` : safe``;
	return safe`${name} waits${where} for ${lock} held by ${owner.name}${taken}`;
}
