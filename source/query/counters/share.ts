import type {Snapshot} from '../../model/snapshot.js';
import type {Interval} from '../types/query.js';

/** Two-sided 95 % quantile of the normal distribution. */
export const z = 1.96;

/** A part as a percentage of its whole, 0 to 100; 0 when there is no whole. */
export function percentOf(part: number, whole: number): number {
	return whole > 0 && part > 0 ? Math.min(100, 100 * part / whole) : 0;
}

/**
The 95 % confidence interval of a share, percent: Wilson's score interval (E. B. Wilson, JASA 22, 1927). `samples`: the
independent samples that it rests on; without any it is the share alone.
*/
export function shareInterval(percent: number, samples: number): Interval {
	if (!(samples > 0)) {
		return {low: percent, high: percent};
	}

	const share = percent / 100;
	const scale = 100 / (1 + (z * z / samples));
	const centre = scale * (share + (z * z / (2 * samples)));
	const half = scale * z * Math.sqrt((share * (1 - share) / samples) + (z * z / (4 * samples * samples)));
	return {low: Math.max(0, centre - half), high: Math.min(100, centre + half)};
}

/** Half the width of that interval, percentage points. */
export function shareError(percent: number, samples: number): number {
	const {low, high} = shareInterval(percent, samples);
	return (high - low) / 2;
}

/** What was added up of pieces that come by chance, and the sum of their squares. */
export type Pieces = {readonly sum: number; readonly squares: number};

/** CPU time as such a sum, in microseconds, as `counterColumns.squaredUs` has the squares. */
export function cpuPieces(cpuNs: number, squaredUs: number): Pieces {
	return {sum: cpuNs / 1000, squares: squaredUs};
}

/** How many independent samples the share of `part` in `whole` rests on: as many as give it the same variance. */
export function samplesOf(part: Pieces, whole: Pieces): number {
	const share = part.sum / whole.sum;
	const rest = 1 - share;
	const squares = (rest * rest * part.squares) + (share * share * Math.max(0, whole.squares - part.squares));
	if (share > 0 && rest > 0 && squares > 0) {
		return share * rest * whole.sum * whole.sum / squares;
	}

	// What is nothing, or everything, does not vary: it is known as well as the whole.
	return whole.squares > 0 ? whole.sum * whole.sum / whole.squares : 0;
}

/** Ticks that a thread which is there all the time has in the window. */
export function sampleTicks(snapshot: Snapshot, since: Snapshot | undefined): number {
	return figure('sampleTicks', snapshot, since) || figure('samples', snapshot, since);
}

/** How many threads of the window move in step, on average: together they are one observation in a sample. */
export function threadsInStep(snapshot: Snapshot, since: Snapshot | undefined): number {
	const moves = figure('moves', snapshot, since);
	const ticks = sampleTicks(snapshot, since);
	const threads = ticks > 0 ? figure('threadSamples', snapshot, since) / ticks : 1;
	return moves > 0 ? Math.max(1, Math.min(threads, figure('movesTogether', snapshot, since) / moves)) : 1;
}

function figure(name: keyof Snapshot['session'] & ('moves' | 'movesTogether' | 'samples' | 'sampleTicks' | 'threadSamples'), {session}: Snapshot, since: Snapshot | undefined): number {
	return Math.max(0, session[name] - (since?.session[name] ?? 0));
}
