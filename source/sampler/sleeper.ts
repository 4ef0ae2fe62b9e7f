import {performance} from 'node:perf_hooks';
import {setImmediate as turn} from 'node:timers/promises';
import type {Bell} from '../table/bell.js';

/** The longest time between turns of the event loop, milliseconds, and the longest sleep on the bell. */
const turnEveryMs = 500;
const maxBellMs = 100;

/** Waits for the next sample: asleep on the bell, and now and then in the event loop. */
export class Sleeper {
	readonly #bell: Bell | undefined;
	#wake: (() => void) | undefined;
	/** When the event loop must turn again. */
	#turnAtMs = 0;

	/** Without a bell, it waits on the event loop's timers. */
	constructor(bell: Bell | undefined) {
		this.#bell = bell;
	}

	/** Waits for `forMs` milliseconds at most; may return early. */
	async wait(forMs: number): Promise<void> {
		const nowMs = performance.now();
		if (!this.#bell || forMs > maxBellMs || nowMs >= this.#turnAtMs) {
			await (forMs > 0 ? this.#sleep(forMs) : turn());
			this.#turnAtMs = performance.now() + turnEveryMs;
			return;
		}

		if (this.#bell.sleep(forMs)) {
			this.#turnAtMs = nowMs;
		}
	}

	/** Ends the current wait. */
	wake(): void {
		this.#wake?.();
	}

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
