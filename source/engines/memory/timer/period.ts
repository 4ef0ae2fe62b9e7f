/**
CPU nanoseconds between two records: no round number, so that no program is in step with it.
*/
const usualPeriodNs = 10_007_000;

/** The part of the budget that records may take. */
const aim = 0.9;

/** For so many looks in a row a ring must have had room for twice as many records. */
const roomyLooks = 100;

/** However rare samples are, records come so often. */
const longestPeriodNs = 1e9;

/** What a record costs the thread that it is of, milliseconds: 20 to 29 microseconds were measured. */
export const recordMs = 0.025;

/**
How much CPU time lies between two records: what the budget allows. Where rings run over, as samples are rare, records
come half as often, and again as often as before when there was room for a while.
*/
export class Period {
	readonly #shortestNs: number;
	#ns: number;
	/** Looks in a row that found rings with much room. */
	#roomy = 0;

	constructor(maxOverheadPercent: number) {
		this.#shortestNs = Math.max(usualPeriodNs, recordMs * 1e6 / (aim * Math.max(0.0001, maxOverheadPercent / 100)));
		this.#ns = this.#shortestNs;
	}

	get ns(): number {
		return this.#ns;
	}

	/** After a look; true where it is another now. */
	adapt(lost: number, isRoomy: boolean): boolean {
		const before = this.#ns;
		this.#roomy = lost > 0 || !isRoomy ? 0 : this.#roomy + 1;
		if (lost > 0) {
			this.#ns = Math.min(this.#ns * 2, Math.max(longestPeriodNs, this.#shortestNs));
		} else if (this.#roomy >= roomyLooks) {
			this.#ns = Math.max(this.#ns / 2, this.#shortestNs);
			this.#roomy = 0;
		}

		return this.#ns !== before;
	}
}
