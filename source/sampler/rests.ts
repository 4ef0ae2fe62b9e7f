import {threadFlag, type Sample} from '../model/sample.js';
import {stateCode} from '../model/thread-state.js';

/**
For how many samples the looks stand that follow one another in a rest, and how long one may be put off. With more steps,
or longer ones, work that comes at the same time after each rest would be met too seldom or too often.
*/
const steps = [2, 4];
const longestMs = 100;

/** Of the samples that a look stands for: how many are as the one before was, and how many are as it found things. */
export type Shares = {readonly before: number; readonly now: number};

/**
How rarely the sampler looks while nothing runs. Each sample that is left out would have been the one before it again,
so the next look counts for it, too. One that finds that somebody has run stands for the samples since the look before
like any other; from then on each sample is taken.
*/
export class Rests {
	#looks = 0;

	/**
	For how many samples the next look stands, after one that found the target at rest or not. Never so many that it
	may come later than 100 ms after it.
	*/
	next(isAtRest: boolean, intervalMs: number): number {
		this.#looks = isAtRest ? Math.min(this.#looks + 1, steps.length) : 0;
		const most = Math.floor(longestMs / intervalMs) - 1;
		return this.#looks === 0 ? 1 : Math.max(1, Math.min(most, steps[this.#looks - 1]));
	}
}

/**
What a look counts for that stands for so many samples. The samples that follow one that finds a thread at work come one
by one and count it until it ends, however late it was noticed; so for each interval that it had worked by then, one
sample of the look counts things as they were before. That way work of any length counts at its length in the mean,
wherever it began between two looks.
*/
export function sharesOf(slots: number, sample: Sample, isAtRest: boolean, intervalMs: number): Shares {
	const before = slots === 1 || isAtRest ? 0 : Math.min(slots - 1, Math.floor(longestWorkNs(sample) / (intervalMs * 1e6)));
	return {before, now: slots - before};
}

/** The most CPU time that a Java thread used which still runs. */
function longestWorkNs({count, state, flags, cpuNs}: Sample): number {
	let most = 0;
	for (let row = 0; row < count; row++) {
		if (state[row] === stateCode.RUNNABLE && (flags[row] & threadFlag.vmInternal) === 0) {
			most = Math.max(most, cpuNs[row]);
		}
	}

	return most;
}
