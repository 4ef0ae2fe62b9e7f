/**
CPU nanoseconds between two records. Programs do things each 1, 2, 5 or 10 ms: with 0.618 behind the point (the golden
section) records are spread over all that lies between two such moments as soon as can be. With 10.007 ms it took 14 s
to go once through what a scheduler did each 10 ms: shares were wrong by 27 points (L1) after 30 s.
*/
const usualPeriodNs = 9_618_034;

/** The part of the budget that records may take. */
const aim = 0.9;

/** For so many looks in a row a ring must have had room for twice as many records. */
const roomyLooks = 100;

/** However rare samples are, records come so often. */
const longestPeriodNs = 1e9;

/** What a record costs the thread that it is of, milliseconds: 20 to 29 microseconds were measured. */
export const recordMs = 0.025;

/**
How much CPU time lies between two records: what the budget allows. Where rings run over at one look after the other, as
samples are rare, records come half as often, and again as often as before when there was room for a while. A single look
at which they had is no reason: we were late for once, and half the records would be half as good for seconds.
*/
export class Period {
	readonly #shortestNs: number;
	#ns: number;
	/** The look before found that records were lost. */
	#hasLost = false;
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
		const isLosing = lost > 0 && this.#hasLost;
		this.#hasLost = lost > 0;
		if (isLosing) {
			this.#ns = Math.min(this.#ns * 2, Math.max(longestPeriodNs, this.#shortestNs));
		} else if (this.#roomy >= roomyLooks) {
			this.#ns = Math.max(this.#ns / 2, this.#shortestNs);
			this.#roomy = 0;
		}

		return this.#ns !== before;
	}
}
