import {performance} from 'node:perf_hooks';
import {setImmediate as nextTurn} from 'node:timers/promises';
import {type Bell} from '../table/lock.js';

/** Delay without which no sample counts as late: Node's timers are a millisecond or two late even on an idle host. */
const minToleranceMs = 3;

/**
Schedules samples. Each deadline is 0.5 to 1.5 intervals after the previous deadline (not after the end of the sample),
so that delays do not accumulate and samples do not lock onto a periodic program. Missed deadlines are skipped and
counted as late.
*/
export class SamplingClock {
	/** Deadlines missed: samples started late, and those skipped. */
	late = 0;
	/** Intervals that the next sample covers. */
	repeats = 1;
	/** Mean time that the next sample covers, including skipped deadlines. */
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

	begin(nowMs: number, intervalMs: number): void {
		if (nowMs - this.#deadlineMs > Math.max(minToleranceMs, intervalMs / 4)) {
			this.late++;
		}
	}

	/**
	Sets the next deadline, skipping those that passed an interval or more ago. `repeats`: number of intervals that the
	next sample covers; with more than one, its jitter is up to one interval either way.
	*/
	end(nowMs: number, intervalMs: number, repeats = 1): void {
		this.repeats = repeats;
		this.#deadlineMs += intervalMs * (repeats + ((this.#random() - 0.5) * (repeats > 1 ? 2 : 1)));
		const missed = Math.floor((nowMs - this.#deadlineMs) / intervalMs);
		if (missed > 0) {
			this.late += missed;
			this.#deadlineMs += missed * intervalMs;
		}

		this.spanMs = intervalMs * (repeats + Math.max(0, missed));
	}

	/** Schedules the next sample in `inMs`: after a pause, a change of interval or a failure. */
	restart(nowMs: number, intervalMs: number, inMs = 0): void {
		this.repeats = 1;
		this.spanMs = Math.max(intervalMs, inMs);
		this.#deadlineMs = nowMs + inMs;
	}
}

/** From this many consecutive failures on the interval doubles; fewer are normal with a busy target. */
const minFailures = 3;
const maxBackoffMs = 5000;

/**
Returns the delay after the `failures`-th consecutive failure: first the interval, then doubling up to five seconds, or
the interval if that is longer.
*/
export function backoffMs(failures: number, intervalMs: number): number {
	const doublings = Math.max(0, failures - minFailures + 1);
	return Math.max(intervalMs, Math.min(maxBackoffMs, intervalMs * (2 ** Math.min(doublings, 20))));
}

/**
Numbers of intervals that consecutive idle samples cover, and the maximum delay of one. More or longer steps would bias
against work that starts a fixed time after each idle period.
*/
const steps = [2, 4];
const maxIdleMs = 100;

/**
Lengthens the interval while no threads, or only steadily running ones, run. Each skipped sample would have repeated the
previous one, so the next sample also counts for it.
*/
export class IdleBackoff {
	#idleSamples = 0;

	/**
	Returns the number of intervals that the next sample covers. `isUnchanged`: this sample repeated the previous one.
	Bounded by `nextWithinMs` and by 100 ms times the ratio of `intervalMs` to the requested interval.
	*/
	next(isUnchanged: boolean, intervalMs: number, nextWithinMs = Infinity, requestedMs = intervalMs): number {
		this.#idleSamples = isUnchanged ? Math.min(this.#idleSamples + 1, steps.length) : 0;
		// One less than fit, since the jitter of a longer step is up to an interval (`SamplingClock.end`).
		const maxRepeats = Math.floor(Math.min(maxIdleMs * intervalMs / requestedMs, nextWithinMs) / intervalMs) - 1;
		return this.#idleSamples === 0 ? 1 : Math.max(1, Math.min(maxRepeats, steps[this.#idleSamples - 1]));
	}
}

/**
Returns how many of a sample's ticks count for the previous sample's stacks, given the time since a thread changed. The
next change will also be seen late, as samples are then taken one by one; with this, durations are right on average.
*/
export function ticksBefore(ticks: number, repeats: number, sinceChangeNs: number, intervalMs: number): number {
	const before = Math.min(repeats - 1, Math.floor(sinceChangeNs / (intervalMs * 1e6)));
	return Math.round(ticks * before / repeats);
}

/** How often the event loop runs, and the longest sleep on the bell, which blocks it. */
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

	/** Waits for `forMs` milliseconds at most; may return early. */
	async wait(forMs: number): Promise<void> {
		const nowMs = performance.now();
		if (!this.#bell || forMs > maxBellMs || nowMs >= this.#turnAtMs) {
			await (forMs > 0 ? this.#sleep(forMs) : nextTurn());
			this.#turnAtMs = performance.now() + turnEveryMs;
			return;
		}

		// It rang: a message waits in the event loop.
		if (this.#bell.sleep(forMs)) {
			this.#turnAtMs = nowMs;
		}
	}

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
