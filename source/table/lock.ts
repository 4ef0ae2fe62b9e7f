import {performance} from 'node:perf_hooks';
import {word} from './layout.js';

const free = 0;
const held = 1;
const heldWithWaiters = 2;

/** Tries before the first sleep. Measured, see docs/lock.md. */
export const defaultSpins = 100;

/**
Longest single sleep: a wake-up that got lost, or a holder that died, costs no more than this before the word is looked
at again.
*/
const maxSleepMs = 1;

/**
Takes the table's lock: tries a bounded number of times, then sleeps until the holder lets go, at most `atMostMs` in
all. False when the time is over: the holder may be dead, and what it guards is not to be read. The lock is the word
alone; it does not know who holds it and must not be taken twice by one side.
*/
export function acquireLock(words: Int32Array, atMostMs: number, spins = defaultSpins): boolean {
	for (let tries = 0; tries <= spins; tries++) {
		if (Atomics.compareExchange(words, word.lock, free, held) === free) {
			return true;
		}
	}

	const deadline = performance.now() + atMostMs;
	// Who comes from here says that there may be waiters, also when it gets the lock: others may still sleep.
	while (Atomics.exchange(words, word.lock, heldWithWaiters) !== free) {
		const leftMs = deadline - performance.now();
		if (leftMs <= 0) {
			return false;
		}

		Atomics.wait(words, word.lock, heldWithWaiters, Math.min(leftMs, maxSleepMs));
	}

	return true;
}

/** Lets go of the lock, and wakes one waiter when there may be some. */
export function releaseLock(words: Int32Array): void {
	if (Atomics.exchange(words, word.lock, free) === heldWithWaiters) {
		Atomics.notify(words, word.lock, 1);
	}
}
