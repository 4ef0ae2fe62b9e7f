/** The part of the budget to aim at: the rest is for samples that cost more than the one before. */
const aim = 0.9;
/** Time that counts as saved up before the first sample: while it lasts, samples may come as fast as asked for. */
const headStartMs = 2000;
/**
Most that can be saved up, and the time within which a debt is to be paid back; more for samples that cost more than is
allowed in this time.
*/
const horizonMs = 5000;
const horizonSamples = 2;
/**
Weight of a new sample's cost in the running mean: costlier samples count at once, cheaper ones slowly, so that the rate
does not swing; but where samples are rare, one of them must be able to bring the rate back.
*/
const dearerWeight = 0.3;
const cheaperWeight = 0.05;
const forgetMs = 10_000;
/**
The least and most that may be spent, as a part of the budget's share, while a debt is paid back or savings are used.
*/
const leastSpending = 0.2;
const mostSpending = 1.5;
/**
The first samples are an investment: whoever starts the tool must see something, and the very first are costly (the
listener starts, a JVM that has just been started compiles). They come at intervals of at least this many times what the
one before cost, as long as their debt is small enough to be paid in good time, and of that debt as much is forgiven as
is allowed in this time: with what `aim` leaves over, two minutes from the start cost what two minutes may.
*/
const startSamples = 5;
const startFactor = 10;
const forgivenMs = 6000;
const largestStartDebtMs = 60_000;
/**
A sample that costs so many times the mean may have met something else, such as a long collection, or our own thread
lost its CPU while it held others: another one is tried soon, to see which. If that one is as much cheaper, the costly
one does not count for the mean, but remains a debt, paid back while sampling goes on. Soon means this many times what
the costly sample cost, from one to ten seconds: even if the next one is as costly, the target has been stopped for at
most a sixth of the time. With costly ones again and again, each second opinion comes later, the nearer the debt is to
what may be spent in this many seconds, and beyond that only when the debt is paid: so the mean over two minutes stays
below the budget unless a single sample costs more, and one outlier does not make us blind.
*/
const outlierTimes = 10;
const secondOpinionFactor = 5;
const earliestOpinionMs = 1000;
const latestOpinionMs = 10_000;
const largestDebtMs = 7000;
/** However costly a sample was, another one is tried after ten minutes. */
const longestIntervalMs = 600_000;

/**
Keeps the share of time that the target is stopped for our samples below a budget, by making the interval longer and,
when samples get cheaper, shorter again. A running mean of what a sample costs gives the interval; an account of time
allowed against time used corrects it, so that the mean over some seconds stays below the budget.
*/
export class StopBudget {
	readonly #share: number;
	/** Running mean of the stopped time of a sample, ms. */
	#costMs = 0;
	/** Stopped time allowed but not used yet, ms; negative: a debt. */
	#savedMs: number;
	#firstMs: number | undefined;
	#lastMs = 0;
	#hasHeadStart = true;
	#samples = 0;
	#forgivableMs: number;
	/**
	The newest sample, if that was an outlier: what it cost, the mean before it, and when the next one is tried at the
	latest.
	*/
	#outlier: {readonly stoppedMs: number; readonly costBeforeMs: number; readonly nextInMs: number} | undefined;
	readonly #startCostsMs: number[] = [];

	/** `percent` of the target's time; 100 or more means no budget at all. */
	constructor(percent: number) {
		this.#share = Math.max(0.0001, percent / 100);
		this.#savedMs = this.#share * aim * headStartMs;
		this.#forgivableMs = this.#share * aim * forgivenMs;
	}

	/** A sample was taken at `nowMs` (monotonic) that stopped the target for `stoppedMs`. */
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

		const weight = Math.max(1 / this.#samples, stoppedMs > this.#costMs ? dearerWeight : Math.max(cheaperWeight, 1 - Math.exp(-elapsedMs / forgetMs)));
		this.#costMs += (stoppedMs - this.#costMs) * weight;
		if (this.#samples <= startSamples) {
			this.#startCostsMs.push(stoppedMs);
			const forgiven = Math.min(this.#forgivableMs, Math.max(0, -this.#savedMs));
			this.#forgivableMs -= forgiven;
			this.#savedMs += forgiven;
			this.#costMs = middle(this.#startCostsMs);
		}
	}

	/** The interval to use, milliseconds, when `requestedMs` is wanted. */
	intervalMs(requestedMs: number): number {
		if (this.#share >= 1 || this.#hasHeadStart) {
			return requestedMs;
		}

		if (this.#samples < startSamples && -this.#savedMs < this.#share * aim * largestStartDebtMs) {
			return Math.max(requestedMs, startFactor * (this.#startCostsMs.at(-1) ?? 0));
		}

		const allowed = this.#share * aim;
		const spending = Math.min(mostSpending, Math.max(leastSpending, 1 + (this.#savedMs / this.#horizonCostMs())));
		// A debt is paid after this time; waiting longer would gain nothing.
		const paidMs = Math.max(this.#costMs, -this.#savedMs) / allowed;
		const neededMs = Math.min(this.#costMs / (allowed * spending), paidMs, this.#outlier?.nextInMs ?? Infinity);
		return Math.min(longestIntervalMs, Math.max(requestedMs, neededMs));
	}

	/** When another sample is tried after one that cost so much, with the debt that there was before it. */
	#opinionMs(stoppedMs: number, debtMs: number): number {
		const soonMs = Math.min(latestOpinionMs, Math.max(earliestOpinionMs, secondOpinionFactor * stoppedMs));
		const usedUp = Math.max(0, debtMs) / (this.#share * aim * largestDebtMs);
		return usedUp < 1 ? soonMs / (1 - usedUp) : Infinity;
	}

	/** Stopped time that is allowed within the horizon, ms. */
	#horizonCostMs(): number {
		return Math.max(this.#share * aim * horizonMs, horizonSamples * this.#costMs);
	}
}

/** The lower median. */
function middle(values: readonly number[]): number {
	return [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)];
}
