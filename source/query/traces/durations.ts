import {bucketCount} from '../../model/traces/report.js';

/** Durations of calls by powers of two, and the shortest and longest that were seen. */
export type Durations = {readonly buckets: Float64Array; readonly leastNs: number; readonly mostNs: number};

/**
The duration that so many of the calls do not exceed (0.5: the median), nanoseconds: exact to the power of two that it
lies in, within it as if the calls were spread evenly. 0 without calls.
*/
export function percentileNs({buckets, leastNs, mostNs}: Durations, share: number): number {
	let calls = 0;
	for (const count of buckets) {
		calls += count;
	}

	let left = calls * share;
	for (let bucket = 0; bucket < bucketCount; bucket++) {
		const count = buckets[bucket];
		if (count > 0 && left <= count) {
			const from = Math.max(bucket === 0 ? 0 : 2 ** (bucket - 1), leastNs);
			const to = bucket === bucketCount - 1 ? mostNs : Math.min(2 ** bucket, mostNs);
			return Math.max(from, from + ((to - from) * left / count));
		}

		left -= count;
	}

	return calls > 0 ? mostNs : 0;
}
