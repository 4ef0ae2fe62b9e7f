import type {SessionStats, Snapshot} from '../../model/snapshot.js';
import type {Interval, Measure} from '../types/query.js';

/** Two-sided 95% quantile of the normal distribution. */
export const z = 1.96;

/** Returns a part as a percentage of its whole, 0 to 100; 0 without a whole. */
export function percentOf(part: number, whole: number): number {
	return whole > 0 && part > 0 ? Math.min(100, 100 * part / whole) : 0;
}

/**
Returns the 95% interval of a share of independent samples, percent (Wilson's score interval, JASA 22, 1927). Of a share
above 0 without known samples it is unknown: NaN.
*/
export function shareInterval(percent: number, samples: number): Interval {
	if (!(samples > 0)) {
		const limit = percent > 0 ? Number.NaN : 0;
		return {low: limit, high: limit};
	}

	const share = percent / 100;
	const scale = 100 / (1 + (z * z / samples));
	const centre = scale * (share + (z * z / (2 * samples)));
	const half = scale * z * Math.sqrt((share * (1 - share) / samples) + (z * z / (4 * samples * samples)));
	return {low: Math.max(0, centre - half), high: Math.min(100, centre + half)};
}

/** Returns half the width of `shareInterval`, percentage points; NaN if it is unknown. */
export function shareError(percent: number, samples: number): number {
	const {low, high} = shareInterval(percent, samples);
	return (high - low) / 2;
}

/** Observations by weight (ticks of a sample, CPU time of a recorded one): the sums of weights and of their squares. */
export type Pieces = {readonly sum: number; readonly squares: number};

/** Returns CPU time as `Pieces` in microseconds. */
export function cpuPieces(cpuNs: number, squaredUs: number): Pieces {
	return {sum: cpuNs / 1000, squares: squaredUs};
}

/**
Returns how many samples of equal weight give the share of `part` in `whole` the same variance (Kish); for a share of 0
or 1, which has none, those of the whole.
*/
export function effectiveSampleSize(part: Pieces, whole: Pieces): number {
	const share = part.sum / whole.sum;
	const rest = 1 - share;
	const squares = (rest * rest * part.squares) + (share * share * Math.max(0, whole.squares - part.squares));
	if (share > 0 && rest > 0 && squares > 0) {
		return share * rest * whole.sum * whole.sum / squares;
	}

	return whole.squares > 0 ? whole.sum * whole.sum / whole.squares : 0;
}

/** Returns the milliseconds of sampling in a window, without pauses. `since` undefined: from the session's start. */
export function windowMs(snapshot: Snapshot, since: Snapshot | undefined): number {
	return inWindow('durationMs', snapshot, since);
}

/** Returns the part of `windowMs` up to the newest sample, which CPU percentages relate to. */
export function sampledMs(snapshot: Snapshot, since: Snapshot | undefined): number {
	return inWindow('sampledMs', snapshot, since);
}

/** Returns the milliseconds of a window in which events were recorded. */
export function eventsMs(snapshot: Snapshot, since: Snapshot | undefined): number {
	return inWindow('eventsMs', snapshot, since);
}

/** Returns what events count for as a rate; 0 if no events were recorded. */
export function eventsPerS(amount: number, overMs: number): number {
	return overMs > 0 ? Math.max(0, amount) / overMs * 1000 : 0;
}

/** Returns CPU time as a percentage of one core over `overMs` of sampling; 0 if that is 0. */
export function corePercent(cpuNs: number, overMs: number): number {
	return overMs > 0 ? cpuNs / (overMs * 1e4) : 0;
}

/** Returns a figure in a measure: the CPU time as a percentage of a core, or else the share. */
export function percentIn(
	measure: Measure,
	{percent, cpuNs}: {readonly percent: number; readonly cpuNs: number},
	overMs: number,
): number {
	return measure === 'core' ? corePercent(cpuNs, overMs) : percent;
}

/** Returns how many ticks the window has for a thread that is alive all the time. */
export function sampleTicks(snapshot: Snapshot, since: Snapshot | undefined): number {
	// Profiles of other tools (pprof) have no `sampleTicks`.
	return inWindow('sampleTicks', snapshot, since) || inWindow('samples', snapshot, since);
}

/** Returns the milliseconds of sampling that a tick of a window represents; 0 for a window without samples. */
export function tickMs(snapshot: Snapshot, since: Snapshot | undefined): number {
	const ticks = sampleTicks(snapshot, since);
	return ticks > 0 ? sampledMs(snapshot, since) / ticks : 0;
}

/** Returns for what percentage of a session sampling stopped or interrupted the target; undefined before it begins. */
export function costPercent({durationMs, targetStoppedMs, targetInterruptedMs}: SessionStats): number | undefined {
	return durationMs > 0 ? 100 * (targetStoppedMs + targetInterruptedMs) / durationMs : undefined;
}

/** Returns how many threads on average make a move (`sessionFigures.moves`) together: they count as one observation. */
export function threadsInStep(snapshot: Snapshot, since: Snapshot | undefined): number {
	const moves = inWindow('moves', snapshot, since);
	const ticks = sampleTicks(snapshot, since);
	const threads = ticks > 0 ? inWindow('threadSamples', snapshot, since) / ticks : 1;
	return moves > 0 ? Math.max(1, Math.min(threads, inWindow('movesTogether', snapshot, since) / moves)) : 1;
}

function inWindow(
	name:
		| 'durationMs'
		| 'eventsMs'
		| 'moves'
		| 'movesTogether'
		| 'sampledMs'
		| 'samples'
		| 'sampleTicks'
		| 'threadSamples',
	{session}: Snapshot,
	since: Snapshot | undefined,
): number {
	return Math.max(0, session[name] - (since?.session[name] ?? 0));
}
