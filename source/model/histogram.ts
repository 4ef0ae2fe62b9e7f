import type {Numbers} from './varints.js';

/** How many durations lie in each bucket: buckets that have some, in their order. */
export type Histogram = {readonly bucket: Uint16Array; readonly count: Float64Array};

/** One for each of several things, all in the same arrays: those of thing `n` are `start[n] .. start[n + 1] - 1`. */
export type Histograms = Histogram & {readonly start: Int32Array};

/** Histogram.java has the same: 20 buckets of equal width between two powers of two, so a bucket's width is at most 5 % of its durations. */
const steps = 20;
const powers = 42;
/** The first one has durations of 0. */
export const bucketCount = 1 + (powers * steps);

/** The shortest duration of a bucket, nanoseconds. */
export function bucketStartNs(bucket: number): number {
	const step = bucket - 1;
	return bucket === 0 ? 0 : (2 ** Math.floor(step / steps)) * (1 + ((step % steps) / steps));
}

/** That of one of several. */
export function histogramOf({start, bucket, count}: Histograms, which: number): Histogram {
	const [from, to] = [start[which] ?? 0, start[which + 1] ?? 0];
	return {bucket: bucket.subarray(from, to), count: count.subarray(from, to)};
}

/** As many as the agent has room for, about; a report that the target forged must not fill our memory. */
const mostBuckets = 2 ** 20;

/** Histograms one after the other, in arrays that grow. Durations for which there is no room are left out. */
export class HistogramList {
	#bucket = new Uint16Array(64);
	#count = new Float64Array(64);
	#length = 0;
	readonly #start = [0];

	/** Of the histogram that is open. */
	add(bucket: number, count: number): void {
		if (this.#length === mostBuckets) {
			return;
		}

		if (this.#length === this.#bucket.length) {
			const [shorter, fewer] = [this.#bucket, this.#count];
			this.#bucket = new Uint16Array(this.#length * 2);
			this.#bucket.set(shorter);
			this.#count = new Float64Array(this.#length * 2);
			this.#count.set(fewer);
		}

		this.#bucket[this.#length] = bucket;
		this.#count[this.#length++] = count;
	}

	/** The next one is open. */
	end(): void {
		this.#start.push(this.#length);
	}

	taken(): Histograms {
		return {start: Int32Array.from(this.#start), bucket: this.#bucket.subarray(0, this.#length), count: this.#count.subarray(0, this.#length)};
	}
}

/** Histograms added up and subtracted; no bucket has less than 0. */
class HistogramSum {
	readonly #counts = new Map<number, number>();

	add({bucket, count}: Histogram, sign: 1 | -1 = 1): this {
		for (const [index, at] of bucket.entries()) {
			this.#counts.set(at, Math.max(0, (this.#counts.get(at) ?? 0) + (sign * count[index])));
		}

		return this;
	}

	taken(): Histogram {
		const filled = [...this.#counts].filter(([, count]) => count > 0).sort(([a], [b]) => a - b);
		return {bucket: Uint16Array.from(filled, ([bucket]) => bucket), count: Float64Array.from(filled, ([, count]) => count)};
	}
}

/** What is more in `all` than in `before`. */
export function histogramSince(all: Histogram, before: Histogram): Histogram {
	return before.bucket.length === 0 ? all : new HistogramSum().add(all).add(before, -1).taken();
}

/** The longest duration that a histogram tells of, nanoseconds; at most `mostNs`. */
function longestNs({bucket}: Histogram, mostNs: number): number {
	const last = bucket.at(-1);
	return last === undefined ? 0 : (last === bucketCount - 1 ? mostNs : Math.min(Math.floor(bucketStartNs(last + 1)), mostNs));
}

/** Reads a histogram and adds it to the list. */
export function readHistogram(from: Numbers, to: HistogramList): void {
	let last = 0;
	for (let next = from.below(bucketCount + 1); next > 0; next = from.below(bucketCount + 1)) {
		if (next <= last) {
			throw new RangeError('buckets that are in no order');
		}

		last = next;
		to.add(next - 1, from.number());
	}

	to.end();
}

/** Durations by buckets, and the shortest and longest that were seen. */
type Durations = {readonly buckets: Histogram; readonly leastNs: number; readonly mostNs: number};

/** The duration that this share of the calls does not exceed (0.5: the median), nanoseconds; 0 without calls. */
export function percentileNs({buckets: {bucket, count}, leastNs, mostNs}: Durations, share: number): number {
	let left = share * count.reduce((sum, each) => sum + each, 0);
	for (const [index, calls] of count.entries()) {
		if (left <= calls) {
			const at = bucket[index];
			const from = Math.max(bucketStartNs(at), leastNs);
			const to = at === bucketCount - 1 ? mostNs : Math.min(bucketStartNs(at + 1), mostNs);
			return Math.max(from, from + ((to - from) * left / calls));
		}

		left -= calls;
	}

	return count.length > 0 ? mostNs : 0;
}

/** What is known of some durations. Times in nanoseconds. */
export type DurationFigures = {
	readonly count: number;
	readonly perS: number;
	readonly totalNs: number;
	readonly meanNs: number;
	readonly p50Ns: number;
	readonly p99Ns: number;
	readonly mostNs: number;
};

/** Durations added up and subtracted. */
export class DurationSum {
	count = 0;
	totalNs = 0;
	readonly histogram = new HistogramSum();
	#leastNs = Infinity;
	#mostNs = 0;
	#hasMost = false;

	add(count: number, totalNs: number, durations: Histogram, sign: 1 | -1 = 1): void {
		this.count = Math.max(0, this.count + (sign * count));
		this.totalNs = Math.max(0, this.totalNs + (sign * totalNs));
		this.histogram.add(durations, sign);
	}

	/** The shortest and longest since the start; `isNew`: the longest is among those that were added. */
	bound(leastNs: number, mostNs: number, isNew: boolean): void {
		this.#leastNs = Math.min(this.#leastNs, leastNs);
		this.#mostNs = Math.max(this.#mostNs, mostNs);
		this.#hasMost ||= isNew;
	}

	/** The figures of this many seconds. */
	figures(seconds: number): DurationFigures {
		const {count, totalNs} = this;
		const buckets = this.histogram.taken();
		// The longest of all may have been before; then the buckets bound the longest of these.
		const mostNs = this.#hasMost ? this.#mostNs : longestNs(buckets, this.#mostNs);
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
