import {corePercent} from '../counters/cpu-time.js';
import type {Ring} from './ring.js';

/** How long a window of the past is, and how far a step goes; the choices of the z key there, the longest first. */
export const spans = [
	{ms: 600_000, title: '10 min'}, {ms: 60_000, title: '1 min'}, {ms: 10_000, title: '10 s'}, {ms: 1000, title: '1 s'},
] as const;

/** The span of the finest steps. */
export const shortestSpanMs = spans.at(-1)!.ms;

/** The span that looking back begins with. */
export const usualSpanMs = 10_000;

/*
Time is cut into cells of a span, which begin and end at whole ones on the clock, so that a window of the past stays
what it is while time goes on. A cell is named by its end.
*/

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

/**
The cell before the one that ends at `atMs` (undefined: before now, of which the cell is not over), beyond any time in
which nothing was sampled; undefined if nothing older is kept.
*/
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
