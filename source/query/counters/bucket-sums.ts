import {rootNode} from '../../model/frame.js';
import type {Counters} from '../../model/snapshot.js';
import {stateCount} from '../../model/thread-state.js';
import type {StateTicks} from '../types/rows.js';
import type {Scope} from './scope.js';
import {cpuPieces, type Pieces} from './share.js';

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
