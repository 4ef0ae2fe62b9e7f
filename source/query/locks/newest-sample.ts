import {isOfJdk} from '../../model/class-name.js';
import {rootNode} from '../../model/frame.js';
import {lockKinds, threadFlag, lockKindCode} from '../../model/sample.js';
import type {Snapshot, Dictionary} from '../../model/snapshot.js';
import {locationOfFrame} from '../counters/location.js';
import {attributionOf} from '../counters/attribution.js';
import type {LockInfo, Location, Query} from '../types/query.js';
import {stateCode} from '../../model/thread-state.js';

/** When the newest sample was taken, epoch milliseconds. */
export function newestSampleMs({session}: Snapshot): number {
	return session.lastSampleAtMs || session.takenAtMs;
}

/** Milliseconds for which a thread has stood there without using CPU, or waited for the same monitor; 0: not known. */
export function stuckMs(snapshot: Snapshot, thread: number): number {
	const {threads} = snapshot;
	const since = threads.sinceMs[thread];
	const now = newestSampleMs(snapshot);
	return threads.alive[thread] === 1 && since > 0 && now > since ? now - since : 0;
}

/** Whether it has stood there for longer than that, since before the first sample; false for a dead thread. */
export function isStuckLonger({threads}: Snapshot, thread: number): boolean {
	return threads.alive[thread] === 1 && (threads.flags[thread] & threadFlag.unmovedSinceStart) !== 0;
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

/** Locks that have a holder while a thread is parked for them, unlike latches, queues and conditions. */
const lockClass = /^java\.util\.concurrent\.locks\.(?:ReentrantLock|ReentrantReadWriteLock|StampedLock)\b/;

/** Whether a thread that waits so is held up by another, by the lock's kind, class and owner (-1: not known). */
export function isContention(kind: number, className: string, owner: number): boolean {
	return kind === lockKindCode.monitor || kind === lockKindCode['class-init'] || (kind === lockKindCode.park && (owner >= 0 || lockClass.test(className)));
}

export function isContendingNow({threads, dictionary}: Snapshot, thread: number): boolean {
	return threads.alive[thread] === 1 && isContention(threads.lockKind[thread], dictionary.strings[threads.lockClass[thread]], threads.lockOwner[thread]);
}

/**
The innermost line of a stack that is not the JDK's: where a thread parks or sleeps in the JDK, the line of the program
that called says more. Undefined if there is none.
*/
function ownLocation(dictionary: Dictionary, from: number): Location | undefined {
	const {strings, frameClass, frameLine, nodeFrame, nodeParent} = dictionary;
	for (let node = from; node !== rootNode; node = nodeParent[node]) {
		const frame = nodeFrame[node];
		if (frameLine[frame] >= 0 && !isOfJdk(strings[frameClass[frame]])) {
			return locationOfFrame(dictionary, frame, 'line');
		}
	}

	return undefined;
}

/** The program's line of a stack: a thread that parks is at the line that asked for the lock. */
export function programLocation(snapshot: Snapshot, node: number): Location | undefined {
	return ownLocation(snapshot.dictionary, node) ?? attributedLocation(snapshot, node);
}

/** Whether a thread may wait for good: one that waits with a limit goes on by itself. */
export function waitsForGood({threads}: Snapshot, thread: number): boolean {
	return threads.state[thread] === stateCode.BLOCKED || threads.state[thread] === stateCode.WAITING;
}
