import process from 'node:process';

/**
CPU nanoseconds between two records. Programs do things every 1, 2, 5 or 10 ms; the fraction .618 (golden section)
spreads records most evenly over such cycles.
*/
const usualPeriodNs = 9_618_034;

/** Fraction of the overhead budget that records may use. */
const aim = 0.9;

/** Estimated cost of a record to its thread, milliseconds. */
export const recordMs = 0.025;

/** CPU nanoseconds between two records: the shortest that the budget allows. */
export function periodOf(maxOverheadPercent: number): number {
	return Math.max(usualPeriodNs, recordMs * 1e6 / (aim * Math.max(0.0001, maxOverheadPercent / 100)));
}

/** The clock of `process.hrtime` (CLOCK_MONOTONIC), nanoseconds. */
export function monotonicNs(): number {
	return Number(process.hrtime.bigint());
}
