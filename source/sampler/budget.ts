/** Fraction of the budget to aim at, leaving room for samples that cost more than the previous one. */
const aim = 0.9;
/**
Savings before the first sample, as milliseconds of budget: until they are spent, samples may come at the requested
rate.
*/
const headStartMs = 2000;
/**
Maximum savings, and the time in which a debt is repaid, as milliseconds of budget or a number of samples, whichever is
more.
*/
const horizonMs = 5000;
const horizonSamples = 2;
/**
Weight of a new sample in the running mean of costs: rising costs count at once, falling ones slowly, so that the rate
does not oscillate. Rare samples have more weight.
*/
const risingWeight = 0.3;
const fallingWeight = 0.05;
const forgetMs = 10_000;
/** Bounds of spending, as factors of the budget, while a debt is repaid or savings are used. */
const minSpending = 0.2;
const maxSpending = 1.5;
/**
The first samples may exceed the budget, since they are the most expensive and the screen is empty without them: they
follow at `startFactor` times the cost of the previous one while the debt stays below `largestStartDebtMs`, and
`forgivenMs` of budget are written off.
*/
const startSamples = 5;
const startFactor = 10;
const forgivenMs = 6000;
const largestStartDebtMs = 60_000;
/**
A sample that costs this many times the mean is an outlier (a long collection, or our thread lost its CPU): another one
is tried soon, after `secondOpinionFactor` times its cost within the bounds below. If that one is cheap, the outlier
does not count in the mean but its cost remains a debt. Repeated outliers delay the retry further, until the debt
reaches `largestDebtMs` of budget and must be repaid first.
*/
const outlierTimes = 10;
const secondOpinionFactor = 5;
const earliestOpinionMs = 1000;
const latestOpinionMs = 10_000;
const largestDebtMs = 7000;
/** Maximum interval, however costly samples are. */
const longestIntervalMs = 600_000;

/**
Keeps the share of time that the target is stopped below a budget by adjusting the interval: a running mean of a
sample's cost sets it, and an account of time allowed and used corrects it.
*/
export class StopBudget {
	readonly #share: number;
	/** Running mean of the stopped time of a sample, ms. */
	#costMs = 0;
	/** Stopped time allowed but unused, ms; negative: a debt. */
	#savedMs: number;
	#firstMs: number | undefined;
	#lastMs = 0;
	#hasHeadStart = true;
	#samples = 0;
	#forgivableMs: number;
	/** The last sample if it was an outlier: its cost, the mean before it, and the delay until the retry. */
	#outlier: {readonly stoppedMs: number; readonly costBeforeMs: number; readonly nextInMs: number} | undefined;
	readonly #startCostsMs: number[] = [];

	/** `percent` of the target's time; 100 or more: no budget. */
	constructor(percent: number) {
		this.#share = Math.max(0.0001, percent / 100);
		this.#savedMs = this.#share * aim * headStartMs;
		this.#forgivableMs = this.#share * aim * forgivenMs;
	}

	/** Records a sample at `nowMs` (monotonic) that stopped the target for `stoppedMs`. */
	record(nowMs: number, stoppedMs: number): void {
		const allowed = this.#share * aim;
		const elapsedMs = this.#firstMs === undefined ? 0 : Math.max(0, nowMs - this.#lastMs);
		this.#firstMs ??= nowMs;
		this.#lastMs = nowMs;
		const savedBeforeMs = Math.min(this.#savedMs + (elapsedMs * allowed), this.#horizonCostMs());
		this.#savedMs = savedBeforeMs - stoppedMs;
		this.#hasHeadStart &&= this.#savedMs > 0 && nowMs - this.#firstMs < headStartMs;
		this.#samples++;
		const before = this.#outlier;
		this.#outlier = undefined;
		const isRepeated = before !== undefined && stoppedMs > outlierTimes * before.costBeforeMs && stoppedMs * outlierTimes > before.stoppedMs;
		if (before && !isRepeated) {
			this.#costMs = before.costBeforeMs;
		}

		if (!isRepeated && this.#samples > startSamples && stoppedMs > outlierTimes * this.#costMs) {
			this.#outlier = {stoppedMs, costBeforeMs: this.#costMs, nextInMs: this.#opinionMs(stoppedMs, -savedBeforeMs)};
		}

		const weight = Math.max(1 / this.#samples, stoppedMs > this.#costMs ? risingWeight : Math.max(fallingWeight, 1 - Math.exp(-elapsedMs / forgetMs)));
		this.#costMs += (stoppedMs - this.#costMs) * weight;
		if (this.#samples <= startSamples) {
			this.#startCostsMs.push(stoppedMs);
			const forgiven = Math.min(this.#forgivableMs, Math.max(0, -this.#savedMs));
			this.#forgivableMs -= forgiven;
			this.#savedMs += forgiven;
			this.#costMs = lowerMedian(this.#startCostsMs);
		}
	}

	/** The interval to use, milliseconds; at least `requestedMs`. */
	intervalMs(requestedMs: number): number {
		if (this.#share >= 1 || this.#hasHeadStart) {
			return requestedMs;
		}

		if (this.#samples < startSamples && -this.#savedMs < this.#share * aim * largestStartDebtMs) {
			return Math.max(requestedMs, startFactor * (this.#startCostsMs.at(-1) ?? 0));
		}

		const allowed = this.#share * aim;
		const spending = Math.min(maxSpending, Math.max(minSpending, 1 + (this.#savedMs / this.#horizonCostMs())));
		// After this time the debt is repaid.
		const paidMs = Math.max(this.#costMs, -this.#savedMs) / allowed;
		const neededMs = Math.min(this.#costMs / (allowed * spending), paidMs, this.#outlier?.nextInMs ?? Infinity);
		return Math.min(longestIntervalMs, Math.max(requestedMs, neededMs));
	}

	/** Delay until the retry after an outlier of this cost, given the debt before it. */
	#opinionMs(stoppedMs: number, debtMs: number): number {
		const soonMs = Math.min(latestOpinionMs, Math.max(earliestOpinionMs, secondOpinionFactor * stoppedMs));
		const usedUp = Math.max(0, debtMs) / (this.#share * aim * largestDebtMs);
		return usedUp < 1 ? soonMs / (1 - usedUp) : Infinity;
	}

	/** Stopped time allowed within the horizon, ms. */
	#horizonCostMs(): number {
		return Math.max(this.#share * aim * horizonMs, horizonSamples * this.#costMs);
	}
}

/** The lower median. */
function lowerMedian(values: readonly number[]): number {
	return [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)];
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
