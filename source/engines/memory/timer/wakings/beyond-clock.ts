/** Most that a turn on a CPU is believed to cost where no record can meet it. */
export const mostNs = 50_000;

/**
What switching from one thread to another takes with interrupts shut out, per turn: the clock is at work, but meets
whoever has the CPU next. Records against clocks had next to none in programs that work between switches, and 2 to 3
microseconds in one that does nothing but switch.
*/
export const switchNs = 500;

/**
What a thread that has an event of its own has used where no record can meet it: beyond the event's clock, and of what
the clock has counted without a record as much as switches take; all of it where nothing else can be missing.
*/
export class BeyondClock {
	readonly #turnNs: number;
	#usedNs = 0;
	#recordedNs = 0;
	#turns = 0;
	#foundNs = 0;
	#openNs = 0;
	#lastTurns: number;

	/** `turns`: those of the thread so far; `hasAll`: there are records of system calls too. */
	constructor(turns: number, hasAll: boolean) {
		this.#lastTurns = turns;
		this.#turnNs = hasAll ? mostNs : switchNs;
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

		const switchedNs = Math.min(this.#turns * this.#turnNs, Math.max(0, countNs - this.#recordedNs - aheadNs));
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
