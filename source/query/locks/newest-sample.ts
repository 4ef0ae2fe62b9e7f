import {rootNode} from '../../model/frame.js';
import {lockKinds, threadFlag} from '../../model/sample.js';
import type {Snapshot} from '../../model/snapshot.js';
import {locationOfFrame} from '../counters/location.js';
import {attributionOf} from '../counters/attribution.js';
import type {LockInfo, Location, Query} from '../types/rows.js';

/** When the newest sample was taken, epoch milliseconds. */
export function newestSampleMs({session}: Snapshot): number {
	return session.lastSampleAtMs || session.takenAtMs;
}

/**
How long a thread has stood at its place without using CPU, or waited for the same monitor, milliseconds up to the
newest sample; 0 for a dead thread or where it is not known.
*/
export function stuckMs(snapshot: Snapshot, thread: number): number {
	const {threads} = snapshot;
	const since = threads.sinceMs[thread];
	const now = newestSampleMs(snapshot);
	return threads.alive[thread] === 1 && since > 0 && now > since ? now - since : 0;
}

/** Whether it has stood there for longer than that, since before the first sample; false for a dead thread. */
export function isStuckLonger({threads}: Snapshot, thread: number): boolean {
	return threads.alive[thread] === 1 && (threads.flags[thread] & threadFlag.stoodBefore) !== 0;
}

/** The line that a stack counts for, by the query's rule where one is given; undefined for the empty stack. */
export function attributedLocation(snapshot: Snapshot, node: number, rule: Pick<Query, 'ownFirst' | 'app'> = {}): Location | undefined {
	if (node === rootNode) {
		return undefined;
	}

	const {dictionary} = snapshot;
	return locationOfFrame(dictionary, dictionary.nodeFrame[attributionOf(dictionary, rule)[node]], 'line');
}

/** What a thread of the newest sample waits for and who holds it; undefined when it waits for nothing known. */
export function lockOf(snapshot: Snapshot, thread: number): LockInfo | undefined {
	const {threads} = snapshot;
	if (threads.alive[thread] === 0 || threads.lockKind[thread] === 0) {
		return undefined;
	}

	const owner = threads.lockOwner[thread];
	return lockInfo(snapshot, {
		lockKind: threads.lockKind[thread],
		lockClass: threads.lockClass[thread],
		owner,
		ownerFrame: threads.lockOwnerFrame[thread],
		ownerNode: owner >= 0 ? threads.node[owner] : rootNode,
	});
}

/** A lock in words: codes and ids as `ThreadTable` and `Contention` have them. */
export function lockInfo(snapshot: Snapshot, lock: {lockKind: number; lockClass: number; owner: number; ownerFrame: number; ownerNode: number}): LockInfo {
	const {threads, dictionary} = snapshot;
	return {
		kind: lockKinds[lock.lockKind] ?? 'none',
		className: dictionary.strings[lock.lockClass],
		ownerName: lock.owner >= 0 ? threads.name[lock.owner] : undefined,
		ownerLocation: lock.ownerFrame > 0 ? locationOfFrame(dictionary, lock.ownerFrame, 'line') : undefined,
		ownerNow: attributedLocation(snapshot, lock.ownerNode),
	};
}
