import {performance} from 'node:perf_hooks';
import {word} from './layout.js';

const free = 0;
const held = 1;
const heldWithWaiters = 2;

/** Tries before the first sleep. Measured, see docs/lock.md. */
const defaultSpins = 100;

/** Longest single sleep: if a wake-up gets lost, or the holder dies, the word is read again after this time. */
const maxSleepMs = 1;

/**
Takes the table's lock: tries a bounded number of times, then sleeps until the holder lets go, at most `atMostMs` in
all. False if the time runs out: the holder may be dead, and what the lock guards must not be read. The lock is nothing
but the word; it does not know who holds it, and one side must not take it twice.
*/
export function acquireLock(words: Int32Array, atMostMs: number, spins = defaultSpins): boolean {
	for (let tries = 0; tries <= spins; tries++) {
		if (Atomics.compareExchange(words, word.lock, free, held) === free) {
			return true;
		}
	}

	const deadline = performance.now() + atMostMs;
	// From here on we say that there may be waiters, even if we get the lock: others may still be asleep.
	while (Atomics.exchange(words, word.lock, heldWithWaiters) !== free) {
		const leftMs = deadline - performance.now();
		if (leftMs <= 0) {
			return false;
		}

		Atomics.wait(words, word.lock, heldWithWaiters, Math.min(leftMs, maxSleepMs));
	}

	return true;
}

/** Lets go of the lock, and wakes one waiter if there may be any. */
export function releaseLock(words: Int32Array): void {
	if (Atomics.exchange(words, word.lock, free) === heldWithWaiters) {
		Atomics.notify(words, word.lock, 1);
	}
}
