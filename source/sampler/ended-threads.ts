import type {ProcessClock} from '../jvm/threads/process-clock.js';
import type {Sample} from '../model/sample.js';
import {sumUpTo} from '../util/sum.js';

/** How often the process's CPU time is compared with the sum of the samples' rows. */
const compareEveryMs = 250;

/** Number of comparisons in a row that must show the missing time: a thread may be read a second late. */
const comparisonCount = 5;

/** Less is within the error of the readings: nanoseconds, and a share of what the process used over the comparisons. */
const minMissingNs = 5e6;
const minMissingShare = 0.01;

/**
Finds CPU time that is in no row, because a thread started and ended between two samples, or used it between its last
sample and its end: the process's CPU time minus the sum of all rows.
*/
export class EndedThreads {
	readonly #clock: ProcessClock | undefined;
	/** Part of the process's CPU time that belongs to no row: used before the start or in a pause. NaN until known. */
	#baseNs = Number.NaN;
	/** CPU time of all rows, and missing time already returned. */
	#countedNs = 0;
	#compareAtMs = 0;
	/** The latest comparisons, the oldest first. */
	#comparisons: Array<{readonly processNs: number; readonly missingNs: number}> = [];

	/** `clock`: undefined if the process's CPU time is unavailable; then nothing is found. */
	constructor(clock: ProcessClock | undefined) {
		this.#clock = clock;
	}

	/**
	Takes a sample into account; returns the CPU time that is missing for certain and was not returned before, ns.
	*/
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

		this.#comparisons = [...this.#comparisons, {processNs, missingNs: processNs - this.#baseNs - this.#countedNs}]
			.slice(-comparisonCount);
		const certainNs = Math.min(...this.#comparisons.map(({missingNs}) => missingNs));
		const usedNs = processNs - this.#comparisons[0].processNs;
		// Also false if the process has ended, and its CPU time is NaN.
		const isCertain = this.#comparisons.length === comparisonCount
			&& certainNs > Math.max(minMissingNs, minMissingShare * usedNs);
		if (!isCertain) {
			return 0;
		}

		this.#countedNs += certainNs;
		this.#comparisons = this.#comparisons.map(({processNs, missingNs}) => ({
			processNs,
			missingNs: missingNs - certainNs,
		}));
		return certainNs;
	}

	/** Starts over: CPU time used in a pause or before a failed sample does not count as missing. */
	restart(): void {
		this.#baseNs = Number.NaN;
		this.#comparisons = [];
	}
}
