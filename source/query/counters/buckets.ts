import type {Counters} from '../../model/snapshot.js';
import {rootNode} from '../../model/frame.js';
import {stateCount} from '../../model/thread-state.js';
import type {StateTicks} from '../types/rows.js';
import type {Scope} from './scope.js';
import {cpuPieces, type Pieces} from './share.js';

/**
Which members (threads, or places) the counters of a bucket have: how many, and those with the most CPU time, then counted
ticks, first.
*/
export type Ranked = {readonly count: number; readonly top: readonly number[]};

/** Counters sorted into buckets: those of bucket b are `order[start[b]] .. order[start[b + 1] - 1]`. */
export class CounterBuckets {
	readonly start: Int32Array;
	readonly order: Int32Array;

	/** `bucketOfCounter` holds ids below `buckets`. */
	constructor(bucketOfCounter: Int32Array, buckets: number) {
		const {length} = bucketOfCounter;
		const start = new Int32Array(buckets + 1);
		const order = new Int32Array(length);
		for (let counter = 0; counter < length; counter++) {
			start[bucketOfCounter[counter] + 1]++;
		}

		for (let bucket = 0; bucket < buckets; bucket++) {
			start[bucket + 1] += start[bucket];
		}

		const next = new Int32Array(start);
		for (let counter = 0; counter < length; counter++) {
			order[next[bucketOfCounter[counter]]++] = counter;
		}

		this.start = start;
		this.order = order;
	}

	/** The counters of a bucket. */
	countersOf(bucket: number): Int32Array {
		return this.order.subarray(this.start[bucket], this.start[bucket + 1]);
	}
}

/** Counters of buckets, summed up by member for each bucket asked for. */
export class CounterRanking {
	readonly #counters: Counters;
	readonly #buckets: CounterBuckets;
	readonly #memberOfCounter: Int32Array;
	readonly #countedMask: number;
	/** By member, all zero between two calls. */
	readonly #cpuNs: Float64Array;
	readonly #ticks: Float64Array;
	readonly #isSeen: Uint8Array;

	/**
	`memberOfCounter` holds ids below `members`, and is looked at for the counters of a bucket that is asked for; only ticks in
	states of `countedMask` rank.
	*/
	constructor(counters: Counters, buckets: CounterBuckets, memberOfCounter: Int32Array, members: number, countedMask: number) {
		this.#counters = counters;
		this.#buckets = buckets;
		this.#memberOfCounter = memberOfCounter;
		this.#countedMask = countedMask;
		this.#cpuNs = new Float64Array(members);
		this.#ticks = new Float64Array(members);
		this.#isSeen = new Uint8Array(members);
	}

	/** The members of some buckets together, at most `maxTop` of them by name. */
	of(buckets: readonly number[], maxTop: number): Ranked {
		const {ticks, cpuNs, state} = this.#counters;
		const seen: number[] = [];
		const [memberOfCounter, isSeen, countedMask] = [this.#memberOfCounter, this.#isSeen, this.#countedMask];
		for (const bucket of buckets) {
			for (const counter of this.#buckets.countersOf(bucket)) {
				const member = memberOfCounter[counter];
				if (isSeen[member] === 0) {
					isSeen[member] = 1;
					seen.push(member);
				}

				this.#cpuNs[member] += cpuNs[counter];
				if ((countedMask & (1 << state[counter])) !== 0) {
					this.#ticks[member] += ticks[counter];
				}
			}
		}

		const top = this.#best(seen, maxTop);
		for (const member of seen) {
			this.#isSeen[member] = 0;
			this.#cpuNs[member] = 0;
			this.#ticks[member] = 0;
		}

		return {count: seen.length, top};
	}

	/** By insertion: `maxTop` is small. */
	#best(seen: readonly number[], maxTop: number): number[] {
		const top: number[] = [];
		for (const member of seen) {
			let at = top.length;
			while (at > 0 && this.#isBefore(member, top[at - 1])) {
				at--;
			}

			if (at < maxTop) {
				top.splice(at, 0, member);
				if (top.length > maxTop) {
					top.pop();
				}
			}
		}

		return top;
	}

	#isBefore(a: number, b: number): boolean {
		return (this.#cpuNs[a] - this.#cpuNs[b] || this.#ticks[a] - this.#ticks[b] || b - a) > 0;
	}
}

/** What counters with Java frames come to, by the bucket of each, and all together. */
export class BucketSums {
	/** Ticks of counted states, and CPU time. */
	readonly selfTicks: Float64Array;
	readonly selfCpuNs: Float64Array;
	readonly wholeTicks: number;
	readonly wholeCpuNs: number;
	readonly wholeSquaredTicks: number;
	readonly #wholeSquaredUs: number;
	/** Sums of squares, see `counterColumns`. */
	readonly #squaredTicks: Float64Array;
	readonly #squaredUs: Float64Array;
	/** Ticks at [bucket * stateCount + state], every state. */
	readonly #states: Float64Array;

	/** `bucketOfCounter` holds ids below `buckets`. */
	constructor(counters: Counters, readonly bucketOfCounter: Int32Array, buckets: number, {countedMask}: Pick<Scope, 'countedMask'>) {
		const [selfTicks, selfCpuNs, ticksSquared, usSquared] = Array.from({length: 4}, () => new Float64Array(buckets));
		const states = new Float64Array(buckets * stateCount);
		const {count, node, state: stateOf, ticks: ticksOf, cpuNs: cpuNsOf, squaredTicks, squaredUs} = counters;
		let [wholeCpuNs, wholeTicks, wholeSquaredUs, wholeSquaredTicks] = [0, 0, 0, 0];
		for (let counter = 0; counter < count; counter++) {
			if (node[counter] === rootNode) {
				continue;
			}

			const bucket = bucketOfCounter[counter];
			const state = stateOf[counter];
			const ticks = ticksOf[counter];
			const cpuNs = cpuNsOf[counter];
			states[(bucket * stateCount) + state] += ticks;
			if (cpuNs > 0) {
				wholeCpuNs += cpuNs;
				wholeSquaredUs += squaredUs[counter];
				selfCpuNs[bucket] += cpuNs;
				usSquared[bucket] += squaredUs[counter];
			}

			if ((countedMask & (1 << state)) !== 0) {
				wholeTicks += ticks;
				wholeSquaredTicks += squaredTicks[counter];
				selfTicks[bucket] += ticks;
				ticksSquared[bucket] += squaredTicks[counter];
			}
		}

		this.selfTicks = selfTicks;
		this.selfCpuNs = selfCpuNs;
		this.#squaredTicks = ticksSquared;
		this.#squaredUs = usSquared;
		this.#states = states;
		this.wholeTicks = wholeTicks;
		this.wholeCpuNs = wholeCpuNs;
		this.wholeSquaredTicks = wholeSquaredTicks;
		this.#wholeSquaredUs = wholeSquaredUs;
	}

	/** The CPU time of all buckets, or of one. */
	cpu(bucket?: number): Pieces {
		return bucket === undefined ? cpuPieces(this.wholeCpuNs, this.#wholeSquaredUs) : cpuPieces(this.selfCpuNs[bucket], this.#squaredUs[bucket]);
	}

	/** The counted ticks of all buckets, or of one. */
	ticks(bucket?: number): Pieces {
		return bucket === undefined ? {sum: this.wholeTicks, squares: this.wholeSquaredTicks} : {sum: this.selfTicks[bucket], squares: this.#squaredTicks[bucket]};
	}

	/** Ticks of a bucket by state. */
	states(bucket: number): StateTicks {
		return [...this.#states.subarray(bucket * stateCount, (bucket + 1) * stateCount)];
	}
}
