/**
When samples are due. Deadlines are absolute: each lies 0.5 to 1.5 intervals after the one before (not after the sample
taken for it), so that lateness does not add up, the mean rate is the one asked for, and a program that repeats itself
at the same rate is met at every phase. Deadlines that can no longer be kept are skipped and counted as late.
*/
export class SamplingClock {
	/** Deadlines not kept: samples begun late, and those that were skipped. */
	late = 0;
	/** For how many samples the one stands that is due next. */
	slots = 1;
	#deadlineMs: number;
	readonly #random: () => number;

	/** The first sample is due at once. Times are milliseconds of one monotonic clock; `random` gives 0 to 1. */
	constructor(nowMs: number, random: () => number = Math.random) {
		this.#deadlineMs = nowMs;
		this.#random = random;
	}

	/** How long to wait until the sample that is due. */
	waitMs(nowMs: number): number {
		return Math.max(0, this.#deadlineMs - nowMs);
	}

	/** A sample begins now: counts whether it is late. */
	begin(nowMs: number, intervalMs: number): void {
		if (nowMs - this.#deadlineMs > toleranceMs(intervalMs)) {
			this.late++;
		}
	}

	/**
	A sample is done: sets the next deadline. Those that have passed by an interval or more are given up. `slots`: for
	how many samples the next one stands; it comes so many intervals later, or up to one less or more.
	*/
	end(nowMs: number, intervalMs: number, slots = 1): void {
		this.slots = slots;
		this.#deadlineMs += intervalMs * (slots + ((this.#random() - 0.5) * (slots > 1 ? 2 : 1)));
		const missed = Math.floor((nowMs - this.#deadlineMs) / intervalMs);
		if (missed > 0) {
			this.late += missed;
			this.#deadlineMs += missed * intervalMs;
		}
	}

	/**
	The next sample is due in this many milliseconds, whatever was planned: after a pause, a change of the interval or a
	failure.
	*/
	restart(nowMs: number, inMs = 0): void {
		this.slots = 1;
		this.#deadlineMs = nowMs + inMs;
	}
}

/** A timer of Node is a millisecond or two late on a quiet host; that alone is not called late. */
const timerToleranceMs = 3;

/** How much later than its deadline a sample may begin without being called late. */
export function toleranceMs(intervalMs: number): number {
	return Math.max(timerToleranceMs, intervalMs / 4);
}

/**
So many failures in a row are what a busy target gives; from then on there is something wrong, and trying often would
only add to it.
*/
const patience = 3;
const longestMs = 5000;

/**
How long to wait after the `failures`-th failed sample in a row: the interval at first, then twice as long each time, up
to five seconds or the interval.
*/
export function backoffMs(failures: number, intervalMs: number): number {
	const doublings = Math.max(0, failures - patience + 1);
	return Math.max(intervalMs, Math.min(longestMs, intervalMs * (2 ** Math.min(doublings, 20))));
}
