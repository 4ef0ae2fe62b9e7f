import process from 'node:process';

/**
CPU nanoseconds between two records. Programs do things every 1, 2, 5 or 10 ms; the fraction .618 (golden section)
spreads records most evenly over such cycles.
*/
const usualPeriodNs = 9_618_034;

/** Fraction of the overhead budget that records may use. */
const aim = 0.9;

/** Samples in a row with room for twice as many records, after which the period is halved. */
const roomySamples = 100;

/** Maximum period, however rare samples are. */
const longestPeriodNs = 1e9;

/** Number of changes of a period kept, more than occur while records wait in a ring. */
const remembered = 16;

/** Estimated cost of a record to its thread, milliseconds. */
export const recordMs = 0.025;

/**
CPU time between two records: the shortest that the budget allows, doubled when records are lost in two samples in a
row, and halved again when there has been room for a while. A single sample with losses may just have been late.
*/
export class Period {
	readonly #shortestNs: number;
	#ns: number;
	/** The previous sample had lost records. */
	#hasLost = false;
	/** Samples in a row with much room. */
	#roomy = 0;

	constructor(maxOverheadPercent: number) {
		this.#shortestNs = Math.max(usualPeriodNs, recordMs * 1e6 / (aim * Math.max(0.0001, maxOverheadPercent / 100)));
		this.#ns = this.#shortestNs;
	}

	get ns(): number {
		return this.#ns;
	}

	/** Adapts to a sample; true if the period has changed. */
	adapt(lost: number, isRoomy: boolean): boolean {
		const before = this.#ns;
		this.#roomy = lost > 0 || !isRoomy ? 0 : this.#roomy + 1;
		const isLosing = lost > 0 && this.#hasLost;
		this.#hasLost = lost > 0;
		if (isLosing) {
			this.#ns = Math.min(this.#ns * 2, Math.max(longestPeriodNs, this.#shortestNs));
		} else if (this.#roomy >= roomySamples) {
			this.#ns = Math.max(this.#ns / 2, this.#shortestNs);
			this.#roomy = 0;
		}

		return this.#ns !== before;
	}
}

/** The clock of `process.hrtime` (CLOCK_MONOTONIC), nanoseconds. */
export function monotonicNs(): number {
	return Number(process.hrtime.bigint());
}

/** The period of an event over time, which its records do not contain. */
export class PeriodLog {
	/** Newest first. */
	readonly #changes: Array<{readonly fromNs: number; readonly periodNs: number}>;

	constructor(periodNs: number) {
		this.#changes = [{fromNs: Number.NEGATIVE_INFINITY, periodNs}];
	}

	change(periodNs: number, nowNs = monotonicNs()): void {
		this.#changes.unshift({fromNs: nowNs, periodNs});
		this.#changes.length = Math.min(this.#changes.length, remembered);
	}

	/** The period at a time, nanoseconds. */
	at(timeNs: number): number {
		return (this.#changes.find(({fromNs}) => fromNs <= timeNs) ?? this.#changes.at(-1)!).periodNs;
	}
}
