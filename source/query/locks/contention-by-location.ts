import {getOrCreate} from '../../model/get-or-create.js';
import type {Snapshot} from '../../model/snapshot.js';
import {stateCode} from '../../model/thread-state.js';
import {isCounted, type Scope} from '../counters/scope.js';
import {membersOf} from '../counters/members.js';
import type {Grouping} from '../counters/stack-index.js';
import {isStuckLonger, stuckMs, isContendingNow} from './newest-sample.js';

/** Blocked threads in the newest sample, by the group of the frame at which they count. */
export type ContentionByLocation = {
	/** Number of BLOCKED threads. */
	readonly blocked: Int32Array;
	/** Number of threads that are BLOCKED or parked for a lock. */
	readonly contending: Int32Array;
	/** The longest time that one of them has been at its stack. */
	readonly longestMs: Float64Array;
	/** 1 if `longestMs` is a lower bound. */
	readonly isLonger: Uint8Array;
	/** Returns the name of the known thread that blocks most of them; undefined if none is known. */
	holderOf(group: number): string | undefined;
	/** Returns the number of other known threads that block them. */
	otherHoldersOf(group: number): number;
};

/** Returns the blocked threads in the newest sample, by group. */
export function contentionByLocation(snapshot: Snapshot, attributed: Int32Array, {locations, groupOfFrame}: Grouping, scope: Pick<Scope, 'threads'>): ContentionByLocation {
	const blocked = new Int32Array(locations.length);
	const contending = new Int32Array(locations.length);
	const longestMs = new Float64Array(locations.length);
	const isLonger = new Uint8Array(locations.length);
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
		isLonger[group] ||= Number(isStuckLonger(snapshot, thread));
		const owner = threads.lockOwner[thread];
		if (owner >= 0) {
			const ofGroup = getOrCreate(holders, group, () => new Map<number, number>());
			ofGroup.set(owner, members + (ofGroup.get(owner) ?? 0));
		}
	}

	return {
		blocked, contending, longestMs, isLonger,
		holderOf(group) {
			const [owner] = mostOf(holders.get(group) ?? new Map<number, number>()) ?? [];
			return owner === undefined ? undefined : threads.name[owner];
		},
		otherHoldersOf: group => Math.max(0, (holders.get(group)?.size ?? 0) - 1),
	};
}

/** Returns the entry with the greatest count, the first of equal ones; undefined if there is none. */
export function mostOf<Key>(counts: ReadonlyMap<Key, number>): readonly [Key, number] | undefined {
	let most: readonly [Key, number] | undefined;
	for (const entry of counts) {
		most = entry[1] > (most?.[1] ?? 0) ? entry : most;
	}

	return most;
}
