import {sumOf} from '../../util/sum.js';
import {corePercent} from '../counters/share.js';
import type {Ring, RingWindow, WindowFigures} from './past-ring.js';

/** Lengths of a window of the past, which are also its steps: the choices of the z key, the longest first. */
export const spans = [
	{ms: 600_000, title: '10 min'}, {ms: 60_000, title: '1 min'}, {ms: 10_000, title: '10 s'}, {ms: 1000, title: '1 s'},
] as const;

export const shortestSpanMs = spans.at(-1)!.ms;

export const usualSpanMs = 10_000;

/* Time is divided into cells of one span, aligned to its multiples on the clock. A cell is identified by its end. */

/** Returns the end of the cell that contains a moment, epoch milliseconds. */
export function cellOf(atMs: number, spanMs: number): number {
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

/** Returns the last cell with samples before the one that ends at `atMs` (undefined: the newest); undefined if none. */
export function cellBefore(ring: Ring, atMs: number | undefined, spanMs: number): number | undefined {
	const newest = ring.windows.at(-1);
	const cell = atMs ?? (newest && cellOf(newest.atMs, spanMs));
	const index = cell === undefined ? -1 : indexAt(ring, cell - spanMs);
	return index < 0 ? undefined : cellOf(ring.windows[index].atMs, spanMs);
}

/** Returns the next cell with samples after the one that ends at `atMs`; undefined if that is the newest. */
export function cellAfter(ring: Ring, atMs: number, spanMs: number): number | undefined {
	const next = ring.windows.at(indexAt(ring, atMs) + 1);
	const cell = next && cellOf(next.atMs, spanMs);
	return cell !== undefined && cell < cellOf(ring.windows.at(-1)!.atMs, spanMs) ? cell : undefined;
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

/** Indexes of the windows at whose ends a span begins and ends; -1 for the ring's base. */
export type Span = {readonly from: number; readonly to: number};

/** Returns the span of a cell; undefined: the ring is empty. */
export function windowOfCell(ring: Ring, atMs: number, spanMs: number): Span | undefined {
	if (ring.windows.length === 0) {
		return undefined;
	}

	const to = Math.max(0, indexAt(ring, atMs));
	return {from: Math.min(to - 1, indexAt(ring, atMs - spanMs)), to};
}

/** Means over a cell. */
export type TimeCell = {
	/** 100 = one core. */
	readonly cpuPercent: number;
	/** Number of threads that waited for a lock held by another thread. */
	readonly blocked: number;
};

/** Returns `count` cells up to `lastMs`, oldest first. A window longer than a cell counts in each that it covers. */
export function timeCells(ring: Ring, lastMs: number, spanMs: number, count: number): Array<TimeCell | undefined> {
	const {windows} = ring;
	return Array.from({length: count}, (_, cell) => {
		const endMs = lastMs - (spanMs * (count - 1 - cell));
		const [from, to] = [endMs - spanMs, endMs].map(ms => indexAt(ring, ms) + 1);
		const isCovered = from === to && to < windows.length && windows[to].atMs - windows[to].sampledMs < endMs;
		return meanOf(windows.slice(from, isCovered ? to + 1 : to));
	});
}

function meanOf(windows: readonly RingWindow[]): TimeCell | undefined {
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
export function stepsUpTo(ring: Ring, last: number): Array<Span | undefined> {
	const endMs = cellOf(ring.windows[last].atMs, stepMs);
	return Array.from({length: trendSteps}, (_, index) => {
		const cellMs = endMs - (stepMs * (trendSteps - 1 - index));
		const [from, to] = [indexAt(ring, cellMs - stepMs), Math.min(last, indexAt(ring, cellMs))];
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
			timeCells(ring, cellOf(window.atMs, stepMs), stepMs, trendSteps).map(cell => cell?.cpuPercent),
			leastFullPercent,
		);
}
