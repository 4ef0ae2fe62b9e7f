import {performance} from 'node:perf_hooks';
import {tableHeader, word} from './table-layout.js';

const free = 0;
const held = 1;
const heldWithWaiters = 2;

/** Attempts before the first sleep, see docs/internals/lock.md. */
const defaultSpins = 100;

/** The longest sleep, so that a lost wake-up does no harm. */
const maxSleepMs = 1;

/**
Acquires the table's lock: tries a number of times, then sleeps until it is released, for at most `atMostMs`. Returns
false after that: the holder may be dead, and the guarded data must not be read. The lock does not record its holder and
is not reentrant.
*/
export function acquireLock(words: Int32Array, atMostMs: number, spins = defaultSpins): boolean {
	for (let tries = 0; tries <= spins; tries++) {
		if (Atomics.compareExchange(words, word.lock, free, held) === free) {
			return true;
		}
	}

	const deadline = performance.now() + atMostMs;
	// From here on the word says that there may be waiters, even if we get the lock, as others may still be asleep.
	while (Atomics.exchange(words, word.lock, heldWithWaiters) !== free) {
		const leftMs = deadline - performance.now();
		if (leftMs <= 0) {
			return false;
		}

		Atomics.wait(words, word.lock, heldWithWaiters, Math.min(leftMs, maxSleepMs));
	}

	return true;
}

/** Releases the lock, and wakes one waiter if there may be any. */
export function releaseLock(words: Int32Array): void {
	if (Atomics.exchange(words, word.lock, free) === heldWithWaiters) {
		Atomics.notify(words, word.lock, 1);
	}
}

/**
A bell in the shared table: the sampler sleeps on it between samples, and the main thread rings it after sending a
message. A timer would cost a turn of the event loop, a large part of a sample's cost. While the sampler sleeps its
event loop is blocked: it receives messages at the next turn.
*/
export class Bell {
	readonly #words: Int32Array;
	#lastRings: number;

	constructor(buffer: SharedArrayBuffer) {
		this.#words = tableHeader(buffer);
		this.#lastRings = Atomics.load(this.#words, word.rings);
	}

	/** Wakes the sleeper, or keeps it from falling asleep. */
	ring(): void {
		Atomics.add(this.#words, word.rings, 1);
		Atomics.notify(this.#words, word.rings);
	}

	/** Sleeps for `forMs` milliseconds or until the bell rings; returns whether it has rung since the previous call. */
	sleep(forMs: number): boolean {
		Atomics.wait(this.#words, word.rings, this.#lastRings, forMs);
		const rings = Atomics.load(this.#words, word.rings);
		const hasRung = rings !== this.#lastRings;
		this.#lastRings = rings;
		return hasRung;
	}
}
