import {type ProcessClock} from '../jvm/threads/process-clock.js';
import {type Sample} from '../model/sample.js';
import {sumUpTo} from '../model/sum.js';

/** How often the process's CPU time is compared with that of the samples' rows, milliseconds. */
const compareEveryMs = 250;

/** Number of comparisons in a row that must show the missing time, because a thread may be read a second late. */
const comparisonCount = 5;

/** Missing time below these is not returned: nanoseconds, and a fraction of what the process used meanwhile. */
const minMissingNs = 5e6;
const minMissingShare = 0.01;

/**
Finds the CPU time of threads that ended before a sample found them, and of what threads used after their last one: the
process's CPU time less that of all rows.
*/
export class EndedThreads {
	readonly #clock: Pick<ProcessClock, 'readNs'> | undefined;
	/** The process's CPU time of which the rows' is a part begins here; NaN before the first comparison. */
	#baseNs = Number.NaN;
	#countedNs = 0;
	#compareAtMs = 0;
	/** The latest comparisons, the oldest first. */
	#comparisons: Array<{readonly processNs: number; readonly missingNs: number}> = [];

	/** `clock`: undefined if the process's CPU time is unavailable; then nothing is found. */
	constructor(clock: Pick<ProcessClock, 'readNs'> | undefined) {
		this.#clock = clock;
	}

	/** Takes a sample into account; returns the CPU time that is missing for certain and was not returned before, ns. */
	missingNs({count, cpuNs}: Sample, nowMs: number): number {
		this.#countedNs += sumUpTo(count, row => cpuNs[row]);
		if (!this.#clock || nowMs < this.#compareAtMs) {
			return 0;
		}

		this.#compareAtMs = nowMs + compareEveryMs;
		const processNs = this.#clock.readNs();
		if (Number.isNaN(this.#baseNs)) {
			this.#baseNs = processNs - this.#countedNs;
		}

		this.#comparisons = [...this.#comparisons, {processNs, missingNs: processNs - this.#baseNs - this.#countedNs}].slice(-comparisonCount);
		const certainNs = Math.min(...this.#comparisons.map(({missingNs}) => missingNs));
		const usedNs = processNs - this.#comparisons[0].processNs;
		// Also false if the process has ended, and its CPU time is NaN.
		const isCertain = this.#comparisons.length === comparisonCount && certainNs > Math.max(minMissingNs, minMissingShare * usedNs);
		if (!isCertain) {
			return 0;
		}

		this.#countedNs += certainNs;
		this.#comparisons = this.#comparisons.map(({processNs, missingNs}) => ({processNs, missingNs: missingNs - certainNs}));
		return certainNs;
	}

	/** Forgets what is missing, after a time in which no sample counted. */
	restart(): void {
		this.#baseNs = Number.NaN;
		this.#comparisons = [];
	}
}
