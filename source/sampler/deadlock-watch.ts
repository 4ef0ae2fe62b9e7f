import {deadlockMs, type Sample} from '../model/sample.js';
import {stateCode} from '../model/thread-state.js';

/**
Detects cycles of threads that wait for each other, and reports when a deadlock begins or ends. What counts as a
deadlock is defined in query/locks/deadlocks.ts.
*/
export class DeadlockWatch {
	/** The walk that visited each row, from 1; 0 for none. */
	#walkOf = new Int32Array(0);
	/** The smallest key of each deadlocked cycle in the newest sample. */
	#deadlocks = new Set<number>();

	/**
	Updates with a sample taken at `atMs` (epoch milliseconds). `sinceMs`: when a row's thread began to wait for its
	owner, or undefined. True if a deadlock began or ended.
	*/
	update(sample: Sample, atMs: number, sinceMs: (row: number) => number | undefined): boolean {
		const isOld = (row: number) => atMs - (sinceMs(row) ?? atMs) >= deadlockMs;
		const deadlocks = new Set<number>();
		for (const members of this.#cyclesOf(sample)) {
			if (members.every(row => isOld(row))) {
				deadlocks.add(Math.min(...members.map(row => sample.key[row])));
			}
		}

		const before = this.#deadlocks;
		this.#deadlocks = deadlocks;
		return deadlocks.size !== before.size || [...deadlocks].some(key => !before.has(key));
	}

	/** The rows of each cycle. */
	#cyclesOf(sample: Sample): number[][] {
		const {count, lockOwner} = sample;
		const cycles: number[][] = [];
		let isFresh = true;
		for (let start = 0; start < count; start++) {
			// Almost no row has an owner.
			if (lockOwner[start] < 0) {
				continue;
			}

			if (isFresh) {
				this.#walkOf = count > this.#walkOf.length ? new Int32Array(count * 2) : this.#walkOf.fill(0);
				isFresh = false;
			}

			let at = start;
			while (at >= 0 && this.#walkOf[at] === 0) {
				this.#walkOf[at] = start + 1;
				at = holderOf(sample, at);
			}

			if (at >= 0 && this.#walkOf[at] === start + 1) {
				cycles.push(membersOf(sample, at));
			}
		}

		return cycles;
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

function membersOf(sample: Sample, start: number): number[] {
	const members = [start];
	for (let at = holderOf(sample, start); at !== start; at = holderOf(sample, at)) {
		members.push(at);
	}

	return members;
}
