import {corePercent} from '../counters/cpu-time.js';
import type {Ring, RingWindow} from './ring.js';

/** How long a window of the past is, and how far a step goes; the choices of the z key there, the longest first. */
export const spans = [
	{ms: 600_000, title: '10 min'}, {ms: 60_000, title: '1 min'}, {ms: 10_000, title: '10 s'}, {ms: 1000, title: '1 s'},
] as const;

/** The span of the finest steps. */
export const shortestSpanMs = spans.at(-1)!.ms;

export const usualSpanMs = 10_000;

/* Time is cut into cells of a span, which begin and end at whole ones on the clock. A cell is named by its end. */

/** The end of the cell that a moment is in. */
export function cellOf(atMs: number, spanMs: number): number {
	return Math.ceil(atMs / spanMs) * spanMs;
}

/** Index of the last window that ended by then; -1 for none. */
export function endedBy({windows}: Ring, atMs: number): number {
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

/** The cell with samples before the one that ends at `atMs` (undefined: before now); undefined if none is kept. */
export function cellBefore(ring: Ring, atMs: number | undefined, spanMs: number): number | undefined {
	const newest = ring.windows.at(-1);
	const cell = atMs ?? (newest && cellOf(newest.atMs, spanMs));
	const index = cell === undefined ? -1 : endedBy(ring, cell - spanMs);
	return index < 0 ? undefined : cellOf(ring.windows[index].atMs, spanMs);
}

/** The cell after the one that ends at `atMs`; undefined: that is now. */
export function cellAfter(ring: Ring, atMs: number, spanMs: number): number | undefined {
	const next = ring.windows.at(endedBy(ring, atMs) + 1);
	const newest = ring.windows.at(-1);
	const cell = next && next.atMs > atMs ? cellOf(next.atMs, spanMs) : undefined;
	return cell === undefined || cell >= cellOf(newest!.atMs, spanMs) ? undefined : cell;
}

/** The end of the window with the most CPU time for its length, the newest of equals; undefined without windows. */
export function busiestMs({windows}: Ring): number | undefined {
	let busiest = windows.at(-1);
	for (const window of windows.toReversed()) {
		busiest = corePercent(window.cpuNs, window.sampledMs) > corePercent(busiest!.cpuNs, busiest!.sampledMs) ? window : busiest;
	}

	return busiest?.atMs;
}

/** Indexes of the moments that a cell's window ends and begins at, -1 for the ring's base; undefined without windows. */
export function windowOfCell(ring: Ring, atMs: number, spanMs: number): {readonly from: number; readonly to: number} | undefined {
	if (ring.windows.length === 0) {
		return undefined;
	}

	const to = Math.max(0, endedBy(ring, atMs));
	return {from: Math.min(to - 1, endedBy(ring, atMs - spanMs)), to};
}

/** What was going on in a cell of time, on average. */
export type TimeCell = {
	/** 100 = one core. */
	readonly cpuPercent: number;
	/** Threads that waited for a lock that another one held. */
	readonly blocked: number;
};

/** `count` cells of a span up to `lastMs`, oldest first; a window longer than a cell is in each that it covers. */
export function timeCells(ring: Ring, lastMs: number, spanMs: number, count: number): Array<TimeCell | undefined> {
	const cells: Array<TimeCell | undefined> = [];
	const {windows} = ring;
	let index = endedBy(ring, lastMs - (spanMs * count)) + 1;
	for (let endMs = lastMs - (spanMs * (count - 1)); endMs <= lastMs; endMs += spanMs) {
		const from = index;
		while (index < windows.length && windows[index].atMs <= endMs) {
			index++;
		}

		const isCovered = index === from && index < windows.length && windows[index].atMs - windows[index].sampledMs < endMs;
		cells.push(meanOf(windows, from, isCovered ? index + 1 : index));
	}

	return cells;
}

function meanOf(windows: readonly RingWindow[], from: number, to: number): TimeCell | undefined {
	let [cpuNs, sampledMs, blockedTicks, samples] = [0, 0, 0, 0];
	for (let index = from; index < to; index++) {
		const window = windows[index];
		cpuNs += window.cpuNs;
		sampledMs += window.sampledMs;
		blockedTicks += window.blockedTicks;
		samples += window.samples;
	}

	return samples > 0 ? {cpuPercent: corePercent(cpuNs, sampledMs), blocked: blockedTicks / samples} : undefined;
}

/** How far a trend goes back, and in how many steps. */
const trendSteps = 12;
const stepMs = 5000;

/** A figure over the last minute, oldest first: 0 to 1 of what is drawn full. */
export type Trend = readonly number[];

/** Indexes of the moments that a step's window begins and ends at, -1 for the ring's base. */
export type TrendStep = {readonly from: number; readonly to: number};

/** The steps of the minute that ends with a window, all but the last aligned to the clock; undefined: no samples. */
export function stepsUpTo(ring: Ring, last: number): Array<TrendStep | undefined> {
	const endMs = cellOf(ring.windows[last].atMs, stepMs);
	return Array.from({length: trendSteps}, (_, index) => {
		const cellMs = endMs - (stepMs * (trendSteps - 1 - index));
		const [from, to] = [endedBy(ring, cellMs - stepMs), Math.min(last, endedBy(ring, cellMs))];
		return to > from ? {from, to} : undefined;
	});
}

/** Values of a minute of which the highest is drawn full, or `leastFull` where that is more; undefined without any. */
export function trendOf(values: ReadonlyArray<number | undefined>, leastFull = 0): Trend | undefined {
	const full = Math.max(leastFull, ...values.map(value => value ?? 0));
	return values.every(value => value === undefined) ? undefined : values.map(value => full > 0 ? (value ?? 0) / full : 0);
}

/** A core in use fills the trend of the target's CPU, if it never used more. */
const leastFullPercent = 100;

/** CPU of the target in the minute up to a window; undefined before there is any. */
export function cpuTrend(ring: Ring, last: number): Trend | undefined {
	const window = ring.windows.at(last);
	return window && trendOf(timeCells(ring, cellOf(window.atMs, stepMs), stepMs, trendSteps).map(cell => cell?.cpuPercent), leastFullPercent);
}
