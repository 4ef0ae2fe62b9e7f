import {performance} from 'node:perf_hooks';
import {setImmediate as turn} from 'node:timers/promises';
import type {Bell} from '../table/bell.js';

/**
How long the event loop may stand still at a time, milliseconds, and the longest sleep in which it does: a timer of its
own costs little when it is seldom set.
*/
const turnEveryMs = 500;
const stillMs = 100;

/** How the sampler waits for its next sample: asleep by the bell as a rule, now and then in its event loop. */
export class Sleeper {
	readonly #bell: Bell | undefined;
	#wake: (() => void) | undefined;
	/** When the event loop must turn again at the latest. */
	#turnAtMs = 0;

	/** Without a bell the event loop's own timers are slept by. */
	constructor(bell: Bell | undefined) {
		this.#bell = bell;
	}

	/** Waits this long, milliseconds, or until something may have changed; for no time at all if need be. */
	async wait(forMs: number): Promise<void> {
		const nowMs = performance.now();
		if (!this.#bell || forMs > stillMs || nowMs >= this.#turnAtMs) {
			await (forMs > 0 ? this.#sleep(forMs) : turn());
			this.#turnAtMs = performance.now() + turnEveryMs;
			return;
		}

		if (this.#bell.sleep(forMs)) {
			this.#turnAtMs = nowMs;
		}
	}

	/** Something has changed: ends the wait that is under way. */
	wake(): void {
		this.#wake?.();
	}

	/** Waits this long, or until something changes. */
	async #sleep(forMs: number): Promise<void> {
		await new Promise<void>(resolve => {
			const timer = forMs === Infinity ? undefined : setTimeout(resolve, Math.ceil(forMs));
			this.#wake = () => {
				clearTimeout(timer);
				resolve();
			};
		});
		this.#wake = undefined;
	}
}
