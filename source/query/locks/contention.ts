import {rootNode} from '../../model/frame.js';
import {lockKindCode} from '../../model/sample.js';
import type {Dictionary, Snapshot} from '../../model/snapshot.js';
import {stateCode} from '../../model/thread-state.js';
import {locationOfFrame} from '../counters/location.js';
import type {Location} from '../types/rows.js';
import {attributedLocation} from './newest-sample.js';

/** Packages of the JDK: where a thread parks or sleeps inside them, the line of the program that called says more. */
const jdkPackage = /^(?:java|javax|jdk|sun|com\.sun)\./;

/**
Locks of java.util.concurrent that somebody holds when a thread parks for them, even where the engine cannot know who:
of the attach engine's, and of a read lock's holders nothing is known. Latches, queues and conditions are no such locks.
*/
const lockClass = /^java\.util\.concurrent\.locks\.(?:ReentrantLock|ReentrantReadWriteLock|StampedLock)\b/;

/**
Whether a thread that waits so is held up by another, rather than waiting for work, a signal or time: by the code of the
lock's kind, its class, and the owner (below 0: not known).
*/
export function isContention(kind: number, className: string, owner: number): boolean {
	return kind === lockKindCode.monitor || kind === lockKindCode['class-init'] || (kind === lockKindCode.park && (owner >= 0 || lockClass.test(className)));
}

/** Whether a thread is held up in the newest sample. */
export function isContendingNow({threads, dictionary}: Snapshot, thread: number): boolean {
	return threads.alive[thread] === 1 && isContention(threads.lockKind[thread], dictionary.strings[threads.lockClass[thread]], threads.lockOwner[thread]);
}

/** The innermost line of a stack that is not the JDK's; undefined when there is none. */
function ownLocation(dictionary: Dictionary, from: number): Location | undefined {
	const {strings, frameClass, frameLine, nodeFrame, nodeParent} = dictionary;
	for (let node = from; node !== rootNode; node = nodeParent[node]) {
		const frame = nodeFrame[node];
		if (frameLine[frame] >= 0 && !jdkPackage.test(strings[frameClass[frame]])) {
			return locationOfFrame(dictionary, frame, 'line');
		}
	}

	return undefined;
}

/**
Where a thread with this stack stands as its program sees it: a thread that parks is at the line that asked for the
lock.
*/
export function programLocation(snapshot: Snapshot, node: number): Location | undefined {
	return ownLocation(snapshot.dictionary, node) ?? attributedLocation(snapshot, node);
}

/** Whether a thread may wait for good: one that waits with a limit goes on by itself. */
export function waitsForGood({threads}: Snapshot, thread: number): boolean {
	return threads.state[thread] === stateCode.BLOCKED || threads.state[thread] === stateCode.WAITING;
}
