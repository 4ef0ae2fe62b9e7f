import {performance} from 'node:perf_hooks';
import {setImmediate as nextTurn} from 'node:timers/promises';
import {type Bell} from '../table/lock.js';

const minIntervalMs = 1;
const maxIntervalMs = 60_000;

/** Returns the nearest interval that the sampler supports; for NaN the longest. */
export function clampInterval(intervalMs: number): number {
	return intervalMs <= maxIntervalMs ? Math.max(minIntervalMs, intervalMs) : maxIntervalMs;
}

/** No sample counts as late before this: Node's timers are a millisecond or two late even on a host without load. */
const minToleranceMs = 3;

/**
Schedules samples. Each deadline is 0.5 to 1.5 intervals after the previous deadline (not after the end of the sample),
so that delays do not accumulate and samples do not lock onto a periodic program. Deadlines that have passed are skipped
and counted as late.
*/
export class SamplingClock {
	/** Number of deadlines that were missed: their samples began late, or were skipped. */
	late = 0;
	/** Number of intervals that the next sample covers, without skipped deadlines. */
	repeats = 1;
	/** Time that the next sample covers on average, with skipped deadlines. */
	spanMs = 0;
	#deadlineMs: number;
	readonly #random: () => number;

	/** The first sample is due immediately. Times are monotonic milliseconds; `random` returns 0 to 1. */
	constructor(nowMs: number, random: () => number = Math.random) {
		this.#deadlineMs = nowMs;
		this.#random = random;
	}

	waitMs(nowMs: number): number {
		return Math.max(0, this.#deadlineMs - nowMs);
	}

	/** Call at the start of a sample: counts it as late if its deadline has long passed. */
	begin(nowMs: number, intervalMs: number): void {
		if (nowMs - this.#deadlineMs > Math.max(minToleranceMs, intervalMs / 4)) {
			this.late++;
		}
	}

	/**
	Call at the end of a sample. Sets the next deadline, skipping those that passed an interval or more ago. `repeats`:
	number of intervals that the next sample covers; if more than one, the jitter is up to one interval either way.
	*/
	end(nowMs: number, intervalMs: number, repeats = 1): void {
		this.repeats = repeats;
		const jitter = (this.#random() - 0.5) * (repeats > 1 ? 2 : 1);
		this.#deadlineMs += intervalMs * (repeats + jitter);
		const missed = Math.floor((nowMs - this.#deadlineMs) / intervalMs);
		if (missed > 0) {
			this.late += missed;
			this.#deadlineMs += missed * intervalMs;
		}

		this.spanMs = intervalMs * (repeats + Math.max(0, missed));
	}

	/** Schedules the next sample in `inMs`, without regard to the last deadline. */
	restart(nowMs: number, intervalMs: number, inMs = 0): void {
		this.repeats = 1;
		this.spanMs = Math.max(intervalMs, inMs);
		this.#deadlineMs = nowMs + inMs;
	}
}

/** From this many consecutive failures on the delay doubles; fewer are normal with a busy target. */
const minFailures = 3;
const maxRetryDelayMs = 5000;

/**
Returns the delay after the `failures`-th consecutive failure: first the interval, then doubling up to five seconds, or
the interval if that is longer.
*/
export function retryDelayMs(failures: number, intervalMs: number): number {
	const doublings = Math.max(0, failures - minFailures + 1);
	return Math.max(intervalMs, Math.min(maxRetryDelayMs, intervalMs * (2 ** Math.min(doublings, 20))));
}

/**
Number of intervals that the next sample covers after one unchanged sample, and after two or more; and the maximum of
its time. Longer steps could lock onto a program that always rests for the same time.
*/
const steps = [2, 4];
const maxBackoffMs = 100;

/**
Number of samples in a row that make a long rest, five seconds at the default interval; then its step and maximum.
*/
const restSamples = 60;
const restStep = 20;
const maxRestMs = 500;

/**
Lengthens the interval while no threads run, or only steadily running ones. A sample that is not taken would have
equalled the previous one, so the next sample counts for it too.
*/
export class Backoff {
	#unchangedSamples = 0;
	#samplesAtRest = 0;

	/**
	Returns the number of intervals that the next sample covers. `isUnchanged`: this sample equals the previous one.
	`isAtRest`: almost nothing ran between the two. The next sample comes within `nextWithinMs`, and within a
	bound: 100 ms, more if a budget lengthens the interval, and at least 500 ms after a long rest.
	*/
	next(
		isUnchanged: boolean,
		intervalMs: number,
		{nextWithinMs = Infinity, requestedMs = intervalMs, isAtRest = false} = {},
	): number {
		this.#unchangedSamples = isUnchanged ? Math.min(this.#unchangedSamples + 1, steps.length) : 0;
		this.#samplesAtRest = isUnchanged && isAtRest ? this.#samplesAtRest + 1 : 0;
		// One less than fit, since the jitter of a longer step is up to an interval (`SamplingClock.end`).
		const within = (step: number, maxMs: number) =>
			Math.min(step, Math.floor(Math.min(maxMs, nextWithinMs) / intervalMs) - 1);
		const rest = this.#samplesAtRest > restSamples ? within(restStep, maxRestMs) : 1;
		const step = steps[this.#unchangedSamples - 1] ?? 1;
		return Math.max(1, rest, within(step, maxBackoffMs * intervalMs / requestedMs));
	}
}

/**
Returns how many ticks of a sample that covers `repeats` intervals count for the previous sample's stacks: for the time
since a thread changed. Later samples make up for it, see docs/internals/cheap-samples.md.
*/
export function ticksBefore(ticks: number, repeats: number, sinceChangeNs: number, intervalMs: number): number {
	const intervalsBefore = Math.min(repeats - 1, Math.floor(sinceChangeNs / (intervalMs * 1e6)));
	return Math.round(ticks * intervalsBefore / repeats);
}

/** How often the event loop gets a turn, and the longest sleep on the bell, which blocks it. */
const turnEveryMs = 500;
const maxBellMs = 100;

/** Waits for the next sample: mostly blocked on the bell, and regularly in the event loop. */
export class Sleeper {
	readonly #bell: Bell | undefined;
	#wake: (() => void) | undefined;
	#turnAtMs = 0;

	/** Without a bell, waits only in the event loop. */
	constructor(bell: Bell | undefined) {
		this.#bell = bell;
	}

	/** Waits for `forMs` milliseconds at most; may return early. `hasTimers`: waits only in the event loop. */
	async wait(forMs: number, hasTimers = false): Promise<void> {
		const nowMs = performance.now();
		if (!this.#bell || hasTimers || forMs > maxBellMs || nowMs >= this.#turnAtMs) {
			await (forMs > 0 ? this.#sleep(forMs) : nextTurn());
			this.#turnAtMs = performance.now() + turnEveryMs;
			return;
		}

		const hasRung = this.#bell.sleep(forMs);
		if (hasRung) {
			// A message waits in the event loop, which gets its turn at the next call.
			this.#turnAtMs = nowMs;
		}
	}

	/** Ends the current `wait`. */
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
