/** Fraction of the budget that samples of mean cost use; the rest is for samples that cost more. */
const aimedFraction = 0.9;

/**
Bound of the balance and of a debt: what the target may be stopped for in this time. The balance starts at its bound.
*/
const maxSavedOverMs = 5000;

/** Least fraction of the budget that is spent, however large the debt. */
const minSpending = 0.2;

/**
Weight of a new sample in the running mean of costs. Rising costs count quickly, falling ones slowly, so that the rate
does not oscillate; but a cheaper sample has more weight the longer after the previous one it comes (`forgetMs`).
*/
const risingWeight = 0.3;
const fallingWeight = 0.05;
const forgetMs = 10_000;

/**
The first samples are the most expensive, and the screen is empty without them: each follows after `startFactor` times
the cost of the previous one, as long as the debt is below the budget of `startDebtMs`. The cheapest counts as the mean.
*/
const startSamples = 5;
const startFactor = 10;
const startDebtMs = 60_000;

/**
A sample that costs more than `outlierFactor` times the mean, and more than `minOutlierMs`, is an outlier: of a long
collection, or because our thread lost its CPU. In the mean it counts only up to that limit. The next sample comes after
`retryFactor` times the outlier's cost, within the bounds below. If there was a debt before it, that wait is longer, the
nearer the debt was to its maximum; it ends at the latest when the debt is back at its maximum.
*/
const outlierFactor = 10;
const minOutlierMs = 1;
const retryFactor = 5;
const minRetryMs = 1000;
const maxRetryMs = 10_000;

const maxIntervalMs = 600_000;

/**
Keeps the share of time for which the target is stopped below a budget. The running mean of the samples' costs gives the
interval, which the balance of time allowed and used corrects.
*/
export class StopBudget {
	readonly #allowedShare: number;
	readonly #hasLimit: boolean;
	/** Running mean of the samples' costs. */
	#costMs = Infinity;
	/** The balance: time allowed but not used; a debt if negative. */
	#savedMs: number;
	#samples = 0;
	#lastMs?: number;
	#lastCostMs = 0;
	/** The wait after an outlier; undefined after other samples. */
	#retryAfterMs: number | undefined;

	/** `percent`: the share of time for which the target may be stopped; 100 or more for no limit. */
	constructor(percent: number) {
		this.#hasLimit = percent < 100;
		this.#allowedShare = aimedFraction * Math.max(0.0001, percent / 100);
		this.#savedMs = this.#maxSavedMs;
	}

	/** Counts a sample at `nowMs` (monotonic) that stopped the target for `stoppedMs`. */
	addSample(nowMs: number, stoppedMs: number): void {
		const elapsedMs = Math.max(0, nowMs - (this.#lastMs ?? nowMs));
		const savedMs = Math.min(this.#savedMs + (elapsedMs * this.#allowedShare), this.#maxSavedMs);
		this.#savedMs = savedMs - stoppedMs;
		this.#lastMs = nowMs;
		this.#lastCostMs = stoppedMs;
		this.#retryAfterMs = undefined;
		if (++this.#samples <= startSamples) {
			this.#costMs = Math.min(this.#costMs, stoppedMs);
			return;
		}

		const maxCountedMs = Math.max(minOutlierMs, outlierFactor * this.#costMs);
		if (stoppedMs > maxCountedMs) {
			const debtBefore = Math.min(1, Math.max(0, -savedMs) / this.#maxSavedMs);
			this.#retryAfterMs = Math.min(maxRetryMs, Math.max(minRetryMs, retryFactor * stoppedMs)) / (1 - debtBefore);
		}

		const weight = stoppedMs > this.#costMs
			? risingWeight
			: Math.max(fallingWeight, 1 - Math.exp(-elapsedMs / forgetMs));
		this.#costMs += (Math.min(stoppedMs, maxCountedMs) - this.#costMs) * weight;
	}

	/** Returns the interval to use, milliseconds; at least `requestedMs`. */
	intervalMs(requestedMs: number): number {
		if (!this.#hasLimit) {
			return requestedMs;
		}

		if (this.#samples < startSamples && -this.#savedMs < this.#allowedShare * startDebtMs) {
			return Math.max(requestedMs, startFactor * this.#lastCostMs);
		}

		const spending = Math.max(minSpending, 1 + (this.#savedMs / this.#maxSavedMs));
		const wantedMs = this.#retryAfterMs ?? this.#costMs / (this.#allowedShare * spending);
		// The longest wait: until the debt is back at its maximum, but at least the interval for the mean cost.
		const untilPaidMs = Math.max(this.#costMs, -this.#savedMs - this.#maxSavedMs) / this.#allowedShare;
		return Math.min(maxIntervalMs, Math.max(requestedMs, Math.min(wantedMs, untilPaidMs)));
	}

	/** The maximum of the balance, and of a debt. */
	get #maxSavedMs(): number {
		return this.#allowedShare * maxSavedOverMs;
	}
}

/** Enough for a 99th percentile. */
const maxPauses = 512;

/** Keeps the pauses of the newest samples, and the longest of all, microseconds. */
export class RecentPauses {
	readonly #ring = new Float64Array(maxPauses);
	#count = 0;
	#worstUs = 0;

	add(pauseUs: number): void {
		this.#ring[this.#count++ % maxPauses] = pauseUs;
		this.#worstUs = Math.max(this.#worstUs, pauseUs);
	}

	/** Returns median and 99th percentile (nearest rank) of recent pauses, and the longest of all; 0 without any. */
	figures(): {pauseP50Us: number; pauseP99Us: number; pauseWorstUs: number} {
		const sorted = this.#ring.slice(0, this.#count).sort();
		const percentile = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
		return {pauseP50Us: percentile(0.5), pauseP99Us: percentile(0.99), pauseWorstUs: this.#worstUs};
	}
}
