/** Most that a turn on a CPU is believed to cost where no record can meet it. */
export const mostNs = 50_000;

/**
What a thread that has an event of its own has used where no record can meet it: beyond the event's clock, and what the
clock has counted without a record. Only where there are records of system calls too: nothing else can be missing then.
*/
export class BeyondClock {
	#usedNs = 0;
	#recordedNs = 0;
	#turns = 0;
	#foundNs = 0;
	#openNs = 0;
	#lastTurns: number;

	/** `turns`: those of the thread so far. */
	constructor(turns: number) {
		this.#lastTurns = turns;
	}

	/**
	Adds what schedstat says a thread has used, with its turns so far, and what its records stand for. `countNs`: all that
	its clock has counted, or below 0 where that is not known; `aheadNs`: what a record to come may stand for. The clock is
	read later than schedstat, which lags behind besides: never too much is found.
	*/
	add(usedNs: number, turns: number, {countNs, recordedNs, aheadNs}: {readonly countNs: number; readonly recordedNs: number; readonly aheadNs: number}): void {
		this.#usedNs += usedNs;
		this.#recordedNs += recordedNs;
		this.#turns += Math.max(0, turns - this.#lastTurns);
		this.#lastTurns = turns;
		if (countNs < 0) {
			return;
		}

		const switchedNs = Math.max(0, countNs - this.#recordedNs - aheadNs);
		const moreNs = Math.min(this.#usedNs - countNs + switchedNs, this.#turns * mostNs) - this.#foundNs;
		if (moreNs > 0) {
			this.#foundNs += moreNs;
			this.#openNs += moreNs;
		}
	}

	/** CPU nanoseconds that were found and not given yet. */
	take(): number {
		const ns = this.#openNs;
		this.#openNs = 0;
		return ns;
	}
}
