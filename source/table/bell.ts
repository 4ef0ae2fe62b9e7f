import {headerWords, word} from './layout.js';

/**
A bell in the shared table: the sampler sleeps on it between samples, and the main thread rings it after sending a
message. A timer would cost a turn of the event loop, a large part of a sample's cost. The sleeper's event
loop is blocked meanwhile, so messages arrive at its next turn.
*/
export class Bell {
	readonly #words: Int32Array;
	#lastRings: number;

	constructor(buffer: SharedArrayBuffer) {
		this.#words = headerWords(buffer);
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
