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
	let index = endedBy(ring, lastMs - (spanMs * count)) + 1;
	for (let endMs = lastMs - (spanMs * (count - 1)); endMs <= lastMs; endMs += spanMs) {
		const from = index;
		while (index < ring.windows.length && ring.windows[index].atMs <= endMs) {
			index++;
		}

		const within = ring.windows.slice(from, index);
		const next = ring.windows.at(index);
		const covering = within.length === 0 && next && next.atMs - next.sampledMs < endMs ? [next] : within;
		cells.push(meanOf(covering));
	}

	return cells;
}

function meanOf(windows: readonly RingWindow[]): TimeCell | undefined {
	const sum = {
		cpuNs: 0, sampledMs: 0, blockedTicks: 0, samples: 0,
	};
	for (const {cpuNs, sampledMs, blockedTicks, samples} of windows) {
		sum.cpuNs += cpuNs;
		sum.sampledMs += sampledMs;
		sum.blockedTicks += blockedTicks;
		sum.samples += samples;
	}

	return sum.samples > 0 ? {cpuPercent: corePercent(sum.cpuNs, sum.sampledMs), blocked: sum.blockedTicks / sum.samples} : undefined;
}
