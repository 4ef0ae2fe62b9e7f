import type {Counters} from '../../model/snapshot.js';
import {rootNode} from '../../model/frame.js';
import {stateCount} from '../../model/thread-state.js';
import type {StateTicks} from '../types/query.js';
import type {Scope} from './scope.js';
import {cpuPieces, type Pieces} from './share.js';

/** How many members (threads or locations) counters have, and those with the most CPU time, then ticks. */
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

	countersOf(bucket: number): Int32Array {
		return this.order.subarray(this.start[bucket], this.start[bucket + 1]);
	}
}

/** Counters of buckets, summed up by member for each bucket asked for. */
export class CounterRanking {
	readonly #counters: Counters;
	readonly #buckets: CounterBuckets;
	readonly #memberOf: (counter: number) => number;
	readonly #countedMask: number;
	/** By member, all zero between two calls. */
	readonly #cpuNs: Float64Array;
	readonly #ticks: Float64Array;
	readonly #isSeen: Uint8Array;

	/** `memberOf` gives ids below `members`; only ticks in states of `countedMask` rank. */
	constructor(counters: Counters, buckets: CounterBuckets, memberOf: (counter: number) => number, members: number, countedMask: number) {
		this.#counters = counters;
		this.#buckets = buckets;
		this.#memberOf = memberOf;
		this.#countedMask = countedMask;
		this.#cpuNs = new Float64Array(members);
		this.#ticks = new Float64Array(members);
		this.#isSeen = new Uint8Array(members);
	}

	/** The members of some buckets together, at most `maxTop` of them by name. */
	of(buckets: readonly number[], maxTop: number): Ranked {
		const {ticks, cpuNs, state} = this.#counters;
		const seen: number[] = [];
		const [memberOf, isSeen, countedMask] = [this.#memberOf, this.#isSeen, this.#countedMask];
		for (const bucket of buckets) {
			for (const counter of this.#buckets.countersOf(bucket)) {
				const member = memberOf(counter);
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

/** Ticks of counted states and CPU nanoseconds, and their squares, see `counterColumns`. */
export type Sums = {readonly ticks: Float64Array; readonly cpuNs: Float64Array; readonly squaredTicks: Float64Array; readonly squaredUs: Float64Array};

function emptySums(length: number): Sums {
	return {
		ticks: new Float64Array(length), cpuNs: new Float64Array(length), squaredTicks: new Float64Array(length), squaredUs: new Float64Array(length),
	};
}

/** The sums of counters by node. */
export function sumsByNode({count, node, state, ticks, cpuNs, squaredTicks, squaredUs}: Counters, nodeCount: number, {countedMask}: Pick<Scope, 'countedMask'>): Sums {
	const sums = emptySums(nodeCount);
	for (let counter = 0; counter < count; counter++) {
		const at = node[counter];
		sums.cpuNs[at] += cpuNs[counter];
		sums.squaredUs[at] += cpuNs[counter] > 0 ? squaredUs[counter] : 0;
		if ((countedMask & (1 << state[counter])) !== 0) {
			sums.ticks[at] += ticks[counter];
			sums.squaredTicks[at] += squaredTicks[counter];
		}
	}

	return sums;
}

/** What counters come to by bucket, 0 being that of the empty stack, and in all other buckets together. */
export class BucketSums {
	readonly wholeTicks: number;
	readonly wholeCpuNs: number;
	readonly #sums: Sums;
	readonly #wholeSquares = {ticks: 0, us: 0};
	#buckets: CounterBuckets | undefined;

	/** `bucketOfNode` holds ids below `buckets`; `byNode` are the sums of the counters. */
	constructor(readonly counters: Counters, byNode: Sums, readonly bucketOfNode: Int32Array, buckets: number) {
		const sums = emptySums(buckets);
		let [wholeTicks, wholeCpuNs] = [0, 0];
		for (let node = rootNode + 1; node < byNode.ticks.length; node++) {
			const bucket = bucketOfNode[node];
			sums.ticks[bucket] += byNode.ticks[node];
			sums.cpuNs[bucket] += byNode.cpuNs[node];
			sums.squaredTicks[bucket] += byNode.squaredTicks[node];
			sums.squaredUs[bucket] += byNode.squaredUs[node];
			wholeTicks += byNode.ticks[node];
			wholeCpuNs += byNode.cpuNs[node];
			this.#wholeSquares.ticks += byNode.squaredTicks[node];
			this.#wholeSquares.us += byNode.squaredUs[node];
		}

		this.#sums = sums;
		this.wholeTicks = wholeTicks;
		this.wholeCpuNs = wholeCpuNs;
	}

	/** Ticks of counted states, and CPU time. */
	get selfTicks(): Float64Array {
		return this.#sums.ticks;
	}

	get selfCpuNs(): Float64Array {
		return this.#sums.cpuNs;
	}

	get buckets(): CounterBuckets {
		if (!this.#buckets) {
			const {count, node} = this.counters;
			const bucketOfCounter = new Int32Array(count);
			for (let counter = 0; counter < count; counter++) {
				bucketOfCounter[counter] = this.bucketOfNode[node[counter]];
			}

			this.#buckets = new CounterBuckets(bucketOfCounter, this.selfTicks.length);
		}

		return this.#buckets;
	}

	/** The CPU time of all buckets, or of one. */
	cpu(bucket?: number): Pieces {
		return bucket === undefined ? cpuPieces(this.wholeCpuNs, this.#wholeSquares.us) : cpuPieces(this.selfCpuNs[bucket], this.#sums.squaredUs[bucket]);
	}

	/** The counted ticks of all buckets, or of one. */
	ticks(bucket?: number): Pieces {
		return bucket === undefined ? {sum: this.wholeTicks, squares: this.#wholeSquares.ticks} : {sum: this.selfTicks[bucket], squares: this.#sums.squaredTicks[bucket]};
	}

	/** Ticks of a bucket by state, every state. */
	states(bucket: number): StateTicks {
		const states = Array.from({length: stateCount}, () => 0);
		for (const counter of this.buckets.countersOf(bucket)) {
			states[this.counters.state[counter]] += this.counters.ticks[counter];
		}

		return states;
	}
}
