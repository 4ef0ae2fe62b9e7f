import {type Sample} from './sample.js';
import {stateCode} from './thread-state.js';

/**
How long threads must have waited for each other to be in a deadlock, milliseconds. An engine reads one thread after the
other, and on a busy host something may go on in between: one sample proves nothing.
*/
export const deadlockMs = 1000;

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

/** The row that a row waits for without a timeout, and does not own itself; -1 for none. */
function holderOf({state, lockOwner, lockReaders}: Sample, row: number): number {
	const isUntimed = state[row] === stateCode.BLOCKED || state[row] === stateCode.WAITING;
	return isUntimed && (lockOwner[row] !== row || lockReaders[row] > 0) ? lockOwner[row] : -1;
}
