import type {VarintReader} from '../util/varints.js';

/** The number of durations in each non-empty bucket, in ascending order of buckets. */
export type Histogram = {readonly bucket: Uint16Array; readonly count: Float64Array};

/** Many histograms in the same arrays: histogram `n` has the entries from `start[n]` to below `start[n + 1]`. */
export type Histograms = Histogram & {readonly start: Int32Array};

/** As in Histogram.java: each range from a power of two to the next has 20 buckets of equal width. */
const bucketsPerRange = 20;
const ranges = 42;
/** The first bucket counts durations of 0. */
export const bucketCount = 1 + (ranges * bucketsPerRange);

/** Returns the shortest duration of a bucket, nanoseconds. */
export function bucketStartNs(bucket: number): number {
	const index = bucket - 1;
	const rangeStartNs = 2 ** Math.floor(index / bucketsPerRange);
	return bucket === 0 ? 0 : rangeStartNs * (1 + ((index % bucketsPerRange) / bucketsPerRange));
}

/** Returns histogram `index`; empty if there is none. */
export function histogramOf({start, bucket, count}: Histograms, index: number): Histogram {
	const [from, to] = [start[index] ?? 0, start[index + 1] ?? 0];
	return {bucket: bucket.subarray(from, to), count: count.subarray(from, to)};
}

/** About as many non-empty buckets as the agent has room for: a forged report must not exhaust our memory. */
const maxEntries = 2 ** 20;

/** Builds histograms one after the other; drops what is beyond `maxEntries`. */
export class HistogramList {
	#bucket = new Uint16Array(64);
	#count = new Float64Array(64);
	#length = 0;
	readonly #start = [0];

	add(bucket: number, count: number): void {
		if (this.#length === maxEntries) {
			return;
		}

		if (this.#length === this.#bucket.length) {
			const [oldBucket, oldCount] = [this.#bucket, this.#count];
			this.#bucket = new Uint16Array(this.#length * 2);
			this.#bucket.set(oldBucket);
			this.#count = new Float64Array(this.#length * 2);
			this.#count.set(oldCount);
		}

		this.#bucket[this.#length] = bucket;
		this.#count[this.#length++] = count;
	}

	/** Ends the current histogram and starts the next. */
	end(): void {
		this.#start.push(this.#length);
	}

	build(): Histograms {
		return {
			start: Int32Array.from(this.#start),
			bucket: this.#bucket.subarray(0, this.#length),
			count: this.#count.subarray(0, this.#length),
		};
	}
}

/** Sum of histograms, some of them subtracted (`sign` -1); no bucket falls below 0. */
class HistogramSum {
	readonly #countByBucket = new Map<number, number>();

	add({bucket, count}: Histogram, sign: 1 | -1 = 1): this {
		for (const [index, key] of bucket.entries()) {
			this.#countByBucket.set(key, Math.max(0, (this.#countByBucket.get(key) ?? 0) + (sign * count[index])));
		}

		return this;
	}

	build(): Histogram {
		const entries = [...this.#countByBucket].filter(([, count]) => count > 0).sort(([a], [b]) => a - b);
		return {
			bucket: Uint16Array.from(entries, ([bucket]) => bucket),
			count: Float64Array.from(entries, ([, count]) => count),
		};
	}
}

/** Returns `all` minus `before`. */
export function histogramSince(all: Histogram, before: Histogram): Histogram {
	return before.bucket.length === 0 ? all : new HistogramSum().add(all).add(before, -1).build();
}

/** Returns where a bucket ends, nanoseconds; the last one has no end, but no duration is longer than `mostNs`. */
function bucketEndNs(bucket: number, mostNs: number): number {
	return bucket === bucketCount - 1 ? mostNs : Math.min(bucketStartNs(bucket + 1), mostNs);
}

/** Reads a histogram, pairs of bucket + 1 and count in ascending order up to a 0, and adds it to the list. */
export function readHistogram(from: VarintReader, to: HistogramList): void {
	let last = 0;
	for (let next = from.below(bucketCount + 1); next > 0; next = from.below(bucketCount + 1)) {
		if (next <= last) {
			throw new RangeError('buckets out of order');
		}

		last = next;
		to.add(next - 1, from.number());
	}

	to.end();
}

/** A histogram, and the exact shortest and longest duration. */
type Durations = {readonly buckets: Histogram; readonly leastNs: number; readonly mostNs: number};

/** Returns the duration that a share of all (0.5: the median) does not exceed, nanoseconds; 0 if there are none. */
export function percentileNs({buckets: {bucket, count}, leastNs, mostNs}: Durations, share: number): number {
	let rank = share * count.reduce((sum, each) => sum + each, 0);
	for (const [index, inBucket] of count.entries()) {
		if (rank <= inBucket) {
			// As if the durations of a bucket were spread evenly.
			const from = Math.max(bucketStartNs(bucket[index]), leastNs);
			// `mostNs` is rounded down, maybe below the bucket's start.
			return Math.max(from, from + ((bucketEndNs(bucket[index], mostNs) - from) * rank / inBucket));
		}

		rank -= inBucket;
	}

	return count.length > 0 ? mostNs : 0;
}

export type DurationFigures = {
	readonly count: number;
	readonly perS: number;
	readonly totalNs: number;
	readonly meanNs: number;
	readonly p50Ns: number;
	readonly p99Ns: number;
	readonly mostNs: number;
};

/** Statistics of durations in a window: sums at its end minus those at its start (`sign` -1). */
export class DurationSum {
	count = 0;
	totalNs = 0;
	readonly histogram = new HistogramSum();
	#leastNs = Infinity;
	#mostNs = 0;
	#isMostExact = false;

	add(count: number, totalNs: number, durations: Histogram, sign: 1 | -1 = 1): void {
		this.count = Math.max(0, this.count + (sign * count));
		this.totalNs = Math.max(0, this.totalNs + (sign * totalNs));
		this.histogram.add(durations, sign);
	}

	/**
	Adds the shortest and longest duration since the session's start. `isMostExact`: the longest is of the window.
	*/
	extendRange(leastNs: number, mostNs: number, {isMostExact}: {readonly isMostExact: boolean}): void {
		this.#leastNs = Math.min(this.#leastNs, leastNs);
		this.#isMostExact = mostNs > this.#mostNs
			? isMostExact
			: this.#isMostExact || (isMostExact && mostNs === this.#mostNs);
		this.#mostNs = Math.max(this.#mostNs, mostNs);
	}

	/** Returns the statistics of durations counted over this many seconds. */
	figures(seconds: number): DurationFigures {
		const {count, totalNs} = this;
		const buckets = this.histogram.build();
		// The longest since the start may precede the window; then the window's last bucket bounds the longest. Without
		// buckets the longest is 0, the end of bucket -1.
		const mostNs = this.#isMostExact
			? this.#mostNs
			: Math.floor(bucketEndNs(buckets.bucket.at(-1) ?? -1, this.#mostNs));
		const durations = {buckets, leastNs: count > 0 ? this.#leastNs : 0, mostNs};
		return {
			count, totalNs,
			perS: seconds > 0 ? count / seconds : 0,
			meanNs: count > 0 ? totalNs / count : 0,
			p50Ns: percentileNs(durations, 0.5),
			p99Ns: percentileNs(durations, 0.99),
			mostNs: count > 0 ? mostNs : 0,
		};
	}
}
