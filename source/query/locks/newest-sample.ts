import {safe, type Printable} from '../../util/printable.js';
import {isOfJdk} from '../../model/class-name.js';
import {getOrCreate} from '../../util/get-or-create.js';
import {rootNode} from '../../model/frame.js';
import {lockKinds, threadFlag, lockKindCode} from '../../model/sample.js';
import type {Snapshot} from '../../model/snapshot.js';
import {locationOfFrame} from '../counters/location.js';
import {mostOf} from '../../util/sum.js';
import {attributionOf, type AttributionRule} from '../counters/attribution.js';
import {isWaiting, sleeps, waitsForWork, type OwnCodeRule} from '../counters/waiting-stacks.js';
import {isCounted, type Scope} from '../counters/scope.js';
import type {Grouping} from '../counters/stack-index.js';
import {membersOf} from '../counters/thread-table.js';
import type {LockInfo, Location} from '../types/query.js';
import {stateCode} from '../../model/thread-state.js';

/** Returns the time of the newest sample, epoch milliseconds. */
export function newestSampleMs({session}: Snapshot): number {
	return session.lastSampleAtMs || session.takenAtMs;
}

/** Whether it is known where threads are in the newest sample. In a profile of another tool none is marked as alive. */
export function knowsThreadsNow({threads}: Snapshot): boolean {
	return threads.alive.subarray(0, threads.count).includes(1);
}

/** Returns what a snapshot lacks to tell the threads' waits; undefined if it has all. */
export function missingWaits(snapshot: Snapshot): Printable | undefined {
	return snapshot.threads.count === 0 || knowsThreadsNow(snapshot)
		? undefined
		: safe`a profile of another tool does not say what threads wait for`;
}

/** Returns for how many milliseconds a thread has been at its stack (`sinceMs` in the schema); 0 if unknown. */
export function stuckMs(snapshot: Snapshot, thread: number): number {
	const {threads} = snapshot;
	const since = threads.sinceMs[thread];
	const now = newestSampleMs(snapshot);
	return threads.alive[thread] === 1 && since > 0 && now > since ? now - since : 0;
}

/** Whether a thread has been at its stack since before the first sample: then `stuckMs` is a lower bound. */
export function isStuckLonger({threads}: Snapshot, thread: number): boolean {
	return threads.alive[thread] === 1 && (threads.flags[thread] & threadFlag.unmovedSinceStart) !== 0;
}

/** Returns the line at which a stack counts, by the query's rule if given; undefined for the empty stack. */
export function attributedLocation(snapshot: Snapshot, node: number, rule: AttributionRule = {}): Location | undefined {
	if (node === rootNode) {
		return undefined;
	}

	const {dictionary} = snapshot;
	return locationOfFrame(dictionary, dictionary.nodeFrame[attributionOf(dictionary, rule)[node]], 'line');
}

/** Returns the lock that a thread waits for in the newest sample, with its holder; undefined if none is known. */
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

/** Resolves the codes and ids of a lock in `ThreadTable` or `Contention`. */
export function lockInfo(
	snapshot: Snapshot,
	lock: {lockKind: number; lockClass: number; owner: number; ownerFrame: number; ownerNode: number},
): LockInfo {
	const {threads, dictionary} = snapshot;
	return {
		kind: safe`${lockKinds[lock.lockKind] ?? 'none'}`,
		className: dictionary.strings[lock.lockClass],
		ownerName: lock.owner >= 0 ? threads.name[lock.owner] : undefined,
		ownerTookAt: lock.ownerFrame > 0 ? locationOfFrame(dictionary, lock.ownerFrame, 'line') : undefined,
		ownerIsAt: attributedLocation(snapshot, lock.ownerNode),
	};
}

/** Classes that threads park for only while another thread holds the lock, unlike latches, queues and conditions. */
const lockClasses = /^java\.util\.concurrent\.locks\.(?:ReentrantLock|ReentrantReadWriteLock|StampedLock)\b/;

/** Whether a thread that waits for this lock is blocked by another thread. `owner`: its index, or -1 if unknown. */
export function isContention(kind: number, className: string, owner: number): boolean {
	return kind === lockKindCode.monitor || kind === lockKindCode['class-init']
		|| (kind === lockKindCode.park && (owner >= 0 || lockClasses.test(className)));
}

export function isContendingNow({threads, dictionary}: Snapshot, thread: number): boolean {
	return threads.alive[thread] === 1
		&& isContention(
			threads.lockKind[thread],
			dictionary.strings[threads.lockClass[thread]],
			threads.lockOwner[thread],
		);
}

/**
Whether a thread waits for work in the newest sample. A thread that waits for a lock does so only if the lock's holder
does: of several threads that accept connections, one waits for them and the others wait for its lock.
*/
export function waitsForWorkNow(snapshot: Snapshot, thread: number, rule: OwnCodeRule): boolean {
	const {threads, dictionary} = snapshot;
	const hasWaitingStack = (index: number) =>
		threads.alive[index] === 1 && waitsForWork(dictionary, threads.node[index], rule);
	if (!isContendingNow(snapshot, thread)) {
		return hasWaitingStack(thread) && isWaiting(threads.state[thread]);
	}

	// Thread dumps do not tell the holders of locks of java.util.concurrent.
	const owner = threads.lockOwner[thread];
	const ownerWaitsForWork = () =>
		hasWaitingStack(owner) && isWaiting(threads.state[owner]) && !isContendingNow(snapshot, owner);
	return hasWaitingStack(thread) && (owner < 0 || ownerWaitsForWork());
}

/** Whether a thread rests in the newest sample, as the program wants it to: it waits for work, or sleeps. */
export function restsNow(snapshot: Snapshot, thread: number, rule: OwnCodeRule): boolean {
	const {threads, dictionary} = snapshot;
	return (
		waitsForWorkNow(snapshot, thread, rule)
		|| (isWaiting(threads.state[thread]) && sleeps(dictionary, threads.node[thread], rule))
	);
}

/** Whether a thread waits in the newest sample for a lock that another thread holds, unless it waits for work there. */
export function isHeldUpNow(snapshot: Snapshot, thread: number, rule: OwnCodeRule): boolean {
	return isContendingNow(snapshot, thread) && !waitsForWorkNow(snapshot, thread, rule);
}

/** Returns the innermost line of a stack outside the JDK, such as a call of lock(); else its `attributedLocation`. */
export function programLocation(snapshot: Snapshot, from: number): Location | undefined {
	const {dictionary} = snapshot;
	const {strings, frameClass, frameLine, nodeFrame, nodeParent} = dictionary;
	for (let node = from; node !== rootNode; node = nodeParent[node]) {
		const frame = nodeFrame[node];
		if (frameLine[frame] >= 0 && !isOfJdk(strings[frameClass[frame]])) {
			return locationOfFrame(dictionary, frame, 'line');
		}
	}

	return attributedLocation(snapshot, from);
}

/** Whether a virtual thread is ready to run, but has no carrier. */
export function lacksCarrier({flags, carrier, state}: Snapshot['threads'], thread: number): boolean {
	return (flags[thread] & threadFlag.virtual) !== 0 && carrier[thread] < 0 && state[thread] === stateCode.RUNNABLE;
}

/** Whether a thread waits without a timeout, perhaps forever. */
export function waitsWithoutTimeout({threads}: Snapshot, thread: number): boolean {
	return threads.state[thread] === stateCode.BLOCKED || threads.state[thread] === stateCode.WAITING;
}

/** Blocked threads in the newest sample, by the group of the frame at which they count. */
export type ContentionByLocation = {
	/** Number of BLOCKED threads. */
	readonly blocked: Int32Array;
	/** Number of threads that are BLOCKED or parked for a lock. */
	readonly contending: Int32Array;
	/** The longest time that one of them has been at its stack. */
	readonly longestMs: Float64Array;
	/** 1 if `longestMs` is a lower bound. */
	readonly longestAtLeast: Uint8Array;
	/** Returns the name of the known thread that blocks most of them; undefined if none is known. */
	holderOf(group: number): Printable | undefined;
	/** Returns the number of other known threads that block them. */
	otherHoldersOf(group: number): number;
};

/** Returns the blocked threads in the newest sample, by group. */
export function contentionByLocation(
	snapshot: Snapshot,
	attributed: Int32Array,
	{locations, groupOfFrame}: Grouping,
	scope: Pick<Scope, 'threads'>,
): ContentionByLocation {
	const blocked = new Int32Array(locations.length);
	const contending = new Int32Array(locations.length);
	const longestMs = new Float64Array(locations.length);
	const longestAtLeast = new Uint8Array(locations.length);
	/** By group, then by the known holder of a lock: the number of threads that it blocks. */
	const holders = new Map<number, Map<number, number>>();
	const {threads, dictionary} = snapshot;
	for (let thread = 0; thread < threads.count; thread++) {
		const isBlocked = threads.alive[thread] === 1 && threads.state[thread] === stateCode.BLOCKED;
		const isContending = isBlocked || isContendingNow(snapshot, thread);
		if (!isContending || !isCounted(scope, thread)) {
			continue;
		}

		const group = groupOfFrame[dictionary.nodeFrame[attributed[threads.node[thread]]]];
		const members = membersOf(threads, thread);
		blocked[group] += isBlocked ? members : 0;
		contending[group] += members;
		longestMs[group] = Math.max(longestMs[group], stuckMs(snapshot, thread));
		longestAtLeast[group] ||= Number(isStuckLonger(snapshot, thread));
		const owner = threads.lockOwner[thread];
		if (owner >= 0) {
			const ofGroup = getOrCreate(holders, group, () => new Map<number, number>());
			ofGroup.set(owner, members + (ofGroup.get(owner) ?? 0));
		}
	}

	return {
		blocked, contending, longestMs, longestAtLeast,
		holderOf(group) {
			const [owner] = mostOf(holders.get(group) ?? new Map<number, number>()) ?? [];
			return owner === undefined ? undefined : threads.name[owner];
		},
		otherHoldersOf: group => Math.max(0, (holders.get(group)?.size ?? 0) - 1),
	};
}
