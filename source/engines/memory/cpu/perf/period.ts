import process from 'node:process';

/**
CPU nanoseconds between two records, unless the budget requires more. Programs often have cycles of 1, 2, 5 or 10 ms;
the fraction .618 (golden section) spreads records most evenly over them.
*/
const minPeriodNs = 9_618_034;

/** Fraction of the overhead budget that records may use. */
const budgetShare = 0.9;

/** Estimated cost of a record to its thread, milliseconds. */
export const recordCostMs = 0.025;

/** Returns the CPU nanoseconds between two records: the shortest period within the budget. */
export function periodOf(maxOverheadPercent: number): number {
	return Math.max(minPeriodNs, recordCostMs * 1e6 / (budgetShare * Math.max(0.0001, maxOverheadPercent / 100)));
}

/** Returns CLOCK_MONOTONIC, the clock of `process.hrtime`, in nanoseconds. */
export function monotonicNs(): number {
	return Number(process.hrtime.bigint());
}
