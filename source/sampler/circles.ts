import {deadlockAgeMs, type Sample} from '../model/sample.js';
import {stateCode} from '../model/thread-state.js';

/**
Watches samples for threads that wait for each other in a circle, so that somebody who looks seldom can be told when to
look. What a deadlock is, is said by queries (query/locks/deadlocks.ts).
*/
export class Circles {
	/** The walk that came by each row, from 1 on; 0 for none. */
	#walkOf = new Int32Array(0);
	/** The least key of each circle of the newest sample, and since when it has stood, epoch milliseconds. */
	#sinceMs = new Map<number, number>();
	#old = new Set<number>();

	/**
	Takes a sample of that time (epoch milliseconds), where samples are so far apart. True when a circle is old enough to
	be a deadlock for the first time, and when one that was is over.
	*/
	look(sample: Sample, atMs: number, intervalMs: number): boolean {
		const before = this.#sinceMs;
		const circles = this.#circlesOf(sample);
		if (circles.length === 0 && before.size === 0) {
			return false;
		}

		this.#sinceMs = new Map(circles.map(key => [key, before.get(key) ?? atMs]));
		const ageMs = deadlockAgeMs(intervalMs);
		const old = new Set([...this.#sinceMs].filter(([key, sinceMs]) => this.#old.has(key) || atMs - sinceMs >= ageMs).map(([key]) => key));
		const isChanged = old.size !== this.#old.size || [...old].some(key => !this.#old.has(key));
		this.#old = old;
		return isChanged;
	}

	/** The least key of each circle. */
	#circlesOf(sample: Sample): number[] {
		const {count, lockOwner} = sample;
		const circles: number[] = [];
		let isFresh = true;
		for (let start = 0; start < count; start++) {
			// Next to no row of next to no sample has a holder.
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
				circles.push(leastKey(sample, at));
			}
		}

		return circles;
	}
}

/** The row of the thread that a row waits for, without a limit of time; -1 for none. */
function holderOf({state, lockOwner}: Sample, row: number): number {
	return state[row] === stateCode.BLOCKED || state[row] === stateCode.WAITING ? lockOwner[row] : -1;
}

function leastKey(sample: Sample, start: number): number {
	let least = sample.key[start];
	for (let at = holderOf(sample, start); at !== start; at = holderOf(sample, at)) {
		least = Math.min(least, sample.key[at]);
	}

	return least;
}
