import {headerWords, word} from './layout.js';

/**
A bell in the shared table: the sampler sleeps by it between samples, and the main thread rings it when it has sent a
message. At 50 samples a second a turn of Node's event loop for each, with a timer, is a good part of what a sample
costs. The sleeper's event loop is blocked meanwhile: messages arrive only once it turns again.
*/
export class Bell {
	readonly #words: Int32Array;
	#heard: number;

	constructor(buffer: SharedArrayBuffer) {
		this.#words = headerWords(buffer);
		this.#heard = Atomics.load(this.#words, word.rings);
	}

	/** Wakes who sleeps, or keeps it from falling asleep. */
	ring(): void {
		Atomics.add(this.#words, word.rings, 1);
		Atomics.notify(this.#words, word.rings);
	}

	/** Sleeps for so long, milliseconds, or until it rings; true if it has rung since the call before. */
	sleep(forMs: number): boolean {
		Atomics.wait(this.#words, word.rings, this.#heard, forMs);
		const rings = Atomics.load(this.#words, word.rings);
		const hasRung = rings !== this.#heard;
		this.#heard = rings;
		return hasRung;
	}
}
