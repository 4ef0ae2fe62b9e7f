/** Fraction of the budget to aim at, leaving room for samples that cost more than the previous one. */
const aim = 0.9;

/** Maximum savings, those before the first sample, and the largest debt, as milliseconds of budget. */
const horizonMs = 5000;

/** Minimum of spending while there is a debt, as a factor of the budget. */
const minSpending = 0.2;

/**
Weight of a new sample in the running mean of costs: rising costs count at once, falling ones slowly, so that the rate
does not oscillate. Rare samples have more weight.
*/
const risingWeight = 0.3;
const fallingWeight = 0.05;
const forgetMs = 10_000;

/**
The first samples are the most expensive, and the screen is empty without them: they follow at `startFactor` times the
cost of the previous one while the debt is below what a minute allows, and the cheapest counts as the mean.
*/
const startSamples = 5;
const startFactor = 10;
const startDebtMs = 60_000;

/**
A sample that costs more than this many times the mean, and than a millisecond, is an outlier (a long collection, or our
thread lost its CPU): it counts for that much, and another sample is tried after `retryFactor` times its cost, within the
bounds below, or later as the debt before it approaches the largest.
*/
const outlierTimes = 10;
const leastOutlierMs = 1;
const retryFactor = 5;
const earliestRetryMs = 1000;
const latestRetryMs = 10_000;

/** Maximum interval, however costly samples are. */
const longestIntervalMs = 600_000;

/**
Keeps the share of time that the target is stopped below a budget by adjusting the interval: a running mean of a
sample's cost sets it, and an account of time allowed and used corrects it.
*/
export class StopBudget {
	/** Share of time to aim at. */
	readonly #allowed: number;
	readonly #hasLimit: boolean;
	/** Running mean of the stopped time of a sample, ms. */
	#costMs = Infinity;
	/** Stopped time allowed but unused, ms; negative: a debt. */
	#savedMs: number;
	#samples = 0;
	#lastMs = Number.NaN;
	#lastCostMs = 0;
	/** Time after which another sample is tried if the last one was an outlier. */
	#retryMs: number | undefined;

	/** `percent` of the target's time; 100 or more: no budget. */
	constructor(percent: number) {
		this.#hasLimit = percent < 100;
		this.#allowed = aim * Math.max(0.0001, percent / 100);
		this.#savedMs = this.#horizonMs;
	}

	/** Records a sample at `nowMs` (monotonic) that stopped the target for `stoppedMs`. */
	record(nowMs: number, stoppedMs: number): void {
		const elapsedMs = Math.max(0, nowMs - this.#lastMs) || 0;
		const savedMs = Math.min(this.#savedMs + (elapsedMs * this.#allowed), this.#horizonMs);
		this.#savedMs = savedMs - stoppedMs;
		this.#lastMs = nowMs;
		this.#lastCostMs = stoppedMs;
		this.#retryMs = undefined;
		if (++this.#samples <= startSamples) {
			this.#costMs = Math.min(this.#costMs, stoppedMs);
			return;
		}

		const mostMs = Math.max(leastOutlierMs, outlierTimes * this.#costMs);
		if (stoppedMs > mostMs) {
			const usedUp = Math.min(1, Math.max(0, -savedMs) / this.#horizonMs);
			this.#retryMs = Math.min(latestRetryMs, Math.max(earliestRetryMs, retryFactor * stoppedMs)) / (1 - usedUp);
		}

		const weight = stoppedMs > this.#costMs ? risingWeight : Math.max(fallingWeight, 1 - Math.exp(-elapsedMs / forgetMs));
		this.#costMs += (Math.min(stoppedMs, mostMs) - this.#costMs) * weight;
	}

	/** The interval to use, milliseconds; at least `requestedMs`. */
	intervalMs(requestedMs: number): number {
		if (!this.#hasLimit) {
			return requestedMs;
		}

		if (this.#samples < startSamples && -this.#savedMs < this.#allowed * startDebtMs) {
			return Math.max(requestedMs, startFactor * this.#lastCostMs);
		}

		const spending = Math.max(minSpending, 1 + (this.#savedMs / this.#horizonMs));
		// After this time the debt is no longer too large.
		const paidMs = Math.max(this.#costMs, -this.#savedMs - this.#horizonMs) / this.#allowed;
		const neededMs = Math.min(this.#retryMs ?? this.#costMs / (this.#allowed * spending), paidMs);
		return Math.min(longestIntervalMs, Math.max(requestedMs, neededMs));
	}

	/** Stopped time allowed within the horizon, ms. */
	get #horizonMs(): number {
		return this.#allowed * horizonMs;
	}
}

/** Pauses kept: enough for a 99th percentile. */
const kept = 512;

/** Pauses of the newest samples and the longest of all, microseconds. */
export class RecentPauses {
	readonly #ring = new Float64Array(kept);
	readonly #sorted = new Float64Array(kept);
	#count = 0;
	#worstUs = 0;

	add(pauseUs: number): void {
		this.#ring[this.#count++ % kept] = pauseUs;
		this.#worstUs = Math.max(this.#worstUs, pauseUs);
	}

	/** Median and 99th percentile (nearest rank) of the newest pauses, and the longest of all; 0 if there is none. */
	figures(): {pauseP50Us: number; pauseP99Us: number; pauseWorstUs: number} {
		const size = Math.min(this.#count, kept);
		const sorted = this.#sorted.subarray(0, size);
		sorted.set(this.#ring.subarray(0, size));
		sorted.sort();
		const rank = (part: number) => sorted[Math.max(0, Math.ceil(part * size) - 1)] ?? 0;
		return {pauseP50Us: rank(0.5), pauseP99Us: rank(0.99), pauseWorstUs: this.#worstUs};
	}
}
