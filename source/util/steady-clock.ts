import process from 'node:process';

/** Readings may differ by this much from one clock to the other without a step. */
const toleranceMs = 500;

/**
The time of day in epoch milliseconds, except that it goes on where it was if the clock is set back: moments of samples
and windows must follow each other. A clock that is set forward, or that went on while the host slept, is followed.
*/
export class SteadyClock {
	readonly #wallMs: () => number;
	readonly #monotonicMs: () => number;
	/** How far the clock was set back in all. */
	#setBackMs = 0;
	#last: {readonly wallMs: number; readonly monotonicMs: number} | undefined;

	constructor(wallMs: () => number = () => Date.now(), monotonicMs: () => number = () => performance.now()) {
		this.#wallMs = wallMs;
		this.#monotonicMs = monotonicMs;
	}

	now(): number {
		const read = {wallMs: this.#wallMs(), monotonicMs: this.#monotonicMs()};
		const {wallMs, monotonicMs} = this.#last ?? read;
		const behindMs = wallMs + (read.monotonicMs - monotonicMs) - read.wallMs;
		this.#setBackMs += behindMs > toleranceMs ? Math.round(behindMs) : 0;
		this.#last = read;
		return read.wallMs + this.#setBackMs;
	}
}

const clock = new SteadyClock();

/** Returns the time of day in epoch milliseconds, which never goes back by more than half a second. */
export function steadyNow(): number {
	return clock.now();
}

/** Returns monotonic milliseconds, the same in all threads of this process (`performance.now()` differs by thread). */
export function monotonicMs(): number {
	return Number(process.hrtime.bigint()) / 1e6;
}
