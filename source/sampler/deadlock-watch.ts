import {circlesIn, deadlockMs} from '../model/deadlock.js';
import type {Sample} from '../model/sample.js';
import {stateCode} from '../model/thread-state.js';

/** Reports when a deadlock begins or ends. What counts as one is defined in query/locks/deadlocks.ts. */
export class DeadlockWatch {
	/** The smallest key of each deadlock's threads in the newest sample. */
	#deadlocks = new Set<number>();

	/**
	Updates with a sample taken at `atMs` (epoch milliseconds). `sinceMs`: when a row's thread began to wait for its
	owner, or undefined. True if a deadlock began or ended.
	*/
	update(sample: Sample, atMs: number, sinceMs: (row: number) => number | undefined): boolean {
		const lockOwner = sample.lockOwner.subarray(0, sample.count);
		const isOld = (row: number) => atMs - (sinceMs(row) ?? atMs) >= deadlockMs;
		// In most samples nobody waits for another.
		const circles = lockOwner.some(owner => owner >= 0) ? circlesIn(lockOwner.map((_, row) => holderOf(sample, row))) : [];
		const deadlocks = new Set(circles.filter(rows => rows.every(row => isOld(row))).map(rows => Math.min(...rows.map(row => sample.key[row]))));
		const before = this.#deadlocks;
		this.#deadlocks = deadlocks;
		return deadlocks.size !== before.size || [...deadlocks].some(key => !before.has(key));
	}
}

/**
The row that a row waits for without a timeout; -1 for none. A row that owns what it waits for has just got it, unless
it holds it for reading.
*/
function holderOf({state, lockOwner, lockReaders}: Sample, row: number): number {
	const isUntimed = state[row] === stateCode.BLOCKED || state[row] === stateCode.WAITING;
	return isUntimed && (lockOwner[row] !== row || lockReaders[row] > 0) ? lockOwner[row] : -1;
}
