import process from 'node:process';

/** Number of changes kept, more than occur while records wait in a ring. */
const remembered = 16;

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
