import {sumOf} from '../../util/sum.js';
import {corePercent} from '../counters/share.js';
import type {Ring, RingWindow, WindowFigures} from './past-ring.js';

/** Lengths of a window of the past, which are also its steps: the choices of the z key, the longest first. */
export const intervalLengths = [
	{ms: 600_000, title: '10 min'}, {ms: 60_000, title: '1 min'}, {ms: 10_000, title: '10 s'}, {ms: 1000, title: '1 s'},
] as const;

export const shortestSpanMs = intervalLengths.at(-1)!.ms;

export const usualSpanMs = 10_000;

/* Time is divided into intervals of one length, aligned to its multiples on the clock. Their ends identify them. */

/** Returns the end of the interval that contains a moment, epoch milliseconds. */
export function intervalEnd(atMs: number, spanMs: number): number {
	return Math.ceil(atMs / spanMs) * spanMs;
}

/** Returns the index of the last window that ended at or before `atMs`; -1 if there is none. */
export function indexAt({windows}: Ring, atMs: number): number {
	let [low, high] = [0, windows.length];
	while (low < high) {
		const middle = (low + high) >> 1;
		if (windows[middle].atMs <= atMs) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}

	return low - 1;
}

/** Returns the last interval with samples before the one that ends at `atMs` (undefined: the newest), if any. */
export function intervalBefore(ring: Ring, atMs: number | undefined, spanMs: number): number | undefined {
	const newest = ring.windows.at(-1);
	const interval = atMs ?? (newest && intervalEnd(newest.atMs, spanMs));
	const index = interval === undefined ? -1 : indexAt(ring, interval - spanMs);
	return index < 0 ? undefined : intervalEnd(ring.windows[index].atMs, spanMs);
}

/** Returns the next interval with samples after the one that ends at `atMs`; undefined if that is the newest. */
export function intervalAfter(ring: Ring, atMs: number, spanMs: number): number | undefined {
	const next = ring.windows.at(indexAt(ring, atMs) + 1);
	const interval = next && intervalEnd(next.atMs, spanMs);
	return interval !== undefined && interval < intervalEnd(ring.windows.at(-1)!.atMs, spanMs) ? interval : undefined;
}

/** Returns the end of the window with the highest CPU percentage, the newest of equals; undefined without windows. */
export function busiestMs({windows}: Ring): number | undefined {
	let busiest = windows.at(-1);
	for (const window of windows.toReversed()) {
		busiest = corePercent(window.cpuNs, window.sampledMs) > corePercent(busiest!.cpuNs, busiest!.sampledMs)
			? window
			: busiest;
	}

	return busiest?.atMs;
}

/** Indexes of the windows at whose ends a part of the past begins and ends; -1 for the ring's base. */
export type WindowRange = {readonly from: number; readonly to: number};

/** Returns the windows of the interval that ends at `atMs`; undefined if the ring is empty. */
export function windowsOfInterval(ring: Ring, atMs: number, spanMs: number): WindowRange | undefined {
	if (ring.windows.length === 0) {
		return undefined;
	}

	const to = Math.max(0, indexAt(ring, atMs));
	return {from: Math.min(to - 1, indexAt(ring, atMs - spanMs)), to};
}

/** What the time line shows of an interval. */
export type IntervalMeans = {
	/** 100 = one core. */
	readonly cpuPercent: number;
	/** Number of threads that waited for a lock held by another thread. */
	readonly blocked: number;
};

/**
Returns the means over `count` intervals up to `lastMs`, oldest first; undefined for one without samples. A window that
is longer than an interval counts in each that it covers.
*/
export function meansOfIntervals(
	ring: Ring,
	lastMs: number,
	spanMs: number,
	count: number,
): Array<IntervalMeans | undefined> {
	const {windows} = ring;
	return Array.from({length: count}, (_, interval) => {
		const endMs = lastMs - (spanMs * (count - 1 - interval));
		const [from, to] = [endMs - spanMs, endMs].map(ms => indexAt(ring, ms) + 1);
		const isCovered = from === to && to < windows.length && windows[to].atMs - windows[to].sampledMs < endMs;
		return meanOf(windows.slice(from, isCovered ? to + 1 : to));
	});
}

function meanOf(windows: readonly RingWindow[]): IntervalMeans | undefined {
	const sum = (figure: keyof WindowFigures) => sumOf(windows, window => window[figure]);
	const samples = sum('samples');
	return samples > 0
		? {cpuPercent: corePercent(sum('cpuNs'), sum('sampledMs')), blocked: sum('blockedTicks') / samples}
		: undefined;
}

/** A trend covers a minute. */
const trendSteps = 12;
const stepMs = 5000;

/** A figure over a minute, oldest first: fractions of the value that is drawn at full height. */
export type Trend = readonly number[];

/** Returns the steps of the minute up to a window, all but the last aligned to the clock; undefined: no samples. */
export function stepsUpTo(ring: Ring, last: number): Array<WindowRange | undefined> {
	const endMs = intervalEnd(ring.windows[last].atMs, stepMs);
	return Array.from({length: trendSteps}, (_, index) => {
		const toMs = endMs - (stepMs * (trendSteps - 1 - index));
		const [from, to] = [indexAt(ring, toMs - stepMs), Math.min(last, indexAt(ring, toMs))];
		return to > from ? {from, to} : undefined;
	});
}

/** Returns values as fractions of the highest one, or of `leastFull` if that is higher; undefined without values. */
export function trendOf(values: ReadonlyArray<number | undefined>, leastFull = 0): Trend | undefined {
	const full = Math.max(leastFull, ...values.map(value => value ?? 0));
	return values.every(value => value === undefined)
		? undefined
		: values.map(value => full > 0 ? (value ?? 0) / full : 0);
}

/** The trend of CPU time is at full height at one core at least. */
const leastFullPercent = 100;

/** Returns the trend of the target's CPU time in the minute up to a window; undefined without windows. */
export function cpuTrend(ring: Ring, last: number): Trend | undefined {
	const window = ring.windows.at(last);
	return window
		&& trendOf(
			meansOfIntervals(ring, intervalEnd(window.atMs, stepMs), stepMs, trendSteps).map(mean => mean?.cpuPercent),
			leastFullPercent,
		);
}
