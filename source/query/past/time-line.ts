import {corePercent} from '../summary.js';
import type {Ring, RingWindow} from './ring.js';
import {endedBy} from './steps.js';

/** What was going on in a cell of time, on average. */
export type TimeCell = {
	/** 100 = one core. */
	readonly cpuPercent: number;
	/** Threads that waited for a lock that another one held. */
	readonly blocked: number;
};

/**
So many cells of a span, the last of which ends at `lastMs`, oldest first; undefined where nothing was sampled. A window
that is longer than a cell stands in each that it covers.
*/
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
