/**
For how many samples the looks stand that follow one another in a rest, and how long one may be put off. With more steps,
or longer ones, work that comes at the same time after each rest would be met too seldom or too often.
*/
const steps = [2, 4];
const longestMs = 100;

/** Of the samples that a look stands for: how many are as the one before was, and how many are as it found things. */
export type Shares = {readonly before: number; readonly now: number};

/**
How rarely the sampler looks while nothing runs, or nobody but threads that run on and on, of which the timer records
where. Each sample that is left out would have been the one before it again, so the next look counts for it, too. One
that finds something else stands for the samples since the look before like any other; from then on each sample is taken.
*/
export class Rests {
	#looks = 0;

	/**
	For how many samples the next look stands, after one that found nothing else than the one before, or not. Never so many
	that it may come later than 100 ms after it, or than it must.
	*/
	next(isCalm: boolean, intervalMs: number, withinMs = Infinity): number {
		this.#looks = isCalm ? Math.min(this.#looks + 1, steps.length) : 0;
		const most = Math.floor(Math.min(longestMs, withinMs) / intervalMs) - 1;
		return this.#looks === 0 ? 1 : Math.max(1, Math.min(most, steps[this.#looks - 1]));
	}
}

/**
What a look counts for that stands for so many samples. `changedNs`: for how long somebody has been doing something else
than the look before found. The samples that follow come one by one and count that until it ends, however late it was
noticed; so for each interval of it, one sample of the look counts things as they were before. That way work, or a wait,
of any length counts at its length in the mean, wherever it began between two looks.
*/
export function sharesOf(slots: number, changedNs: number, intervalMs: number): Shares {
	const before = Math.min(slots - 1, Math.floor(changedNs / (intervalMs * 1e6)));
	return {before, now: slots - before};
}
