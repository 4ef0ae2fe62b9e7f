/** Length of a slice in which breakpoints are on. */
export const sliceMs = 10;

/** The longest cycle, of which one slice is on: then the share is at its least. */
const maxCycleMs = 5000;

/** The time over which the rate of events is a mean. */
const rateOverMs = 1000;

/** Fraction of the overhead budget that events may use; the rest is for records of CPU time. */
const budgetFraction = 1 / 2;

/** Maximum records per second, for the sake of our own CPU time. */
const maxRecordsPerS = 250;

/**
Decides for which slices of time breakpoints are on, so that events take at most a share of the target's time. Each
cycle has one slice, at a random place, so that slices never run in step with a periodic program.
*/
export class DutyCycle {
	/** The share of time that breakpoints are on; 1: always. */
	share = 1;
	/** How many times more rarely than usual events may be recorded. */
	recordEvery = 1;
	readonly #maxPerS: number;
	#events = 0;
	#onMs = 0;
	#countedAtMs = 0;

	/** `costMs`: what an event costs the thread that causes it. */
	constructor(maxOverheadPercent: number, costMs: number) {
		this.#maxPerS = Math.min(
			maxRecordsPerS,
			budgetFraction * Math.max(0.0001, maxOverheadPercent / 100) * 1000 / Math.max(0.0001, costMs),
		);
	}

	/** Events per second, if breakpoints were always on. */
	get perS(): number {
		return this.#onMs > 0 ? this.#events / this.#onMs * 1000 : 0;
	}

	/** Counts the events of a slice that was on and ended at `nowMs`, and sets the share of the next ones. */
	addSlice(events: number, onMs: number, nowMs: number): void {
		const kept = Math.exp((this.#countedAtMs - nowMs) / rateOverMs);
		this.#countedAtMs = nowMs;
		this.#events = (this.#events * kept) + events;
		this.#onMs = (this.#onMs * kept) + onMs;
		const allowedPerS = this.#maxPerS / this.recordEvery;
		this.share = Math.max(sliceMs / maxCycleMs, allowedPerS / Math.max(this.perS, allowedPerS));
	}

	/** Returns the lengths of the parts of the next cycle. Those in which breakpoints are off are 0 if they stay on. */
	next(): readonly [beforeMs: number, onMs: number, afterMs: number] {
		const offMs = this.share === 1 ? 0 : sliceMs * ((1 / this.share) - 1);
		const beforeMs = offMs * Math.random();
		return [beforeMs, sliceMs, offMs - beforeMs];
	}
}
