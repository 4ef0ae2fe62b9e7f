import type {TargetVitals} from '../../model/snapshot.js';

/**
The heap rises or falls if half a minute changes what is in use after collections by this part of it, and a minute by
this part of the maximum.
*/
const muchGrowth = 0.05;
const muchGrowthOfMax = 0.01;

export type HeapTrend = 'flat' | 'rising' | 'falling';

/** Returns how the heap in use after collections changes from one to the next; undefined if unknown. */
export function heapTrend(
	{heapAfterGcBytes = 0, heapMaxBytes = 0, heapGrowthBytesPerMin: growth}: TargetVitals,
): HeapTrend | undefined {
	if (growth === undefined) {
		return undefined;
	}

	const isFlat = Math.abs(growth) / 2 < muchGrowth * heapAfterGcBytes
		|| Math.abs(growth) < muchGrowthOfMax * heapMaxBytes;
	return isFlat ? 'flat' : (growth > 0 ? 'rising' : 'falling');
}

/** Returns the time until a heap that rises is full, milliseconds; undefined if it does not rise. */
export function heapFullInMs(vitals: TargetVitals): number | undefined {
	const {heapAfterGcBytes = 0, heapMaxBytes = 0, heapGrowthBytesPerMin: growth = 0} = vitals;
	return heapTrend(vitals) === 'rising' ? Math.max(0, heapMaxBytes - heapAfterGcBytes) / growth * 60_000 : undefined;
}
