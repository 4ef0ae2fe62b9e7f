import type {Printable} from '../../util/printable.js';
import {getOrCreate} from '../../util/get-or-create.js';
import {lookUp} from '../../model/column-types.js';
import {sumOf} from '../../util/sum.js';
import type {Counters, Snapshot} from '../../model/snapshot.js';
import {rootNode} from '../../model/frame.js';
import {stateCount} from '../../model/thread-state.js';
import {
	eventWholes, isOfEvents, type StateTicks, type Interval, type Location, type PartFigure, type Unit,
} from '../types/query.js';
import type {Scope} from './scope.js';
import {
	cpuPieces, corePercent, percentOf, effectiveSampleSize, shareError, shareInterval, type Pieces,
} from './share.js';
import {LocatedRow} from './location.js';

/** The counters of each bucket, as linked lists that end with -1. */
export class CounterBuckets {
	readonly #firstOfBucket: Int32Array;
	readonly #nextOfCounter: Int32Array;

	/** `bucketOf`: by counter, a bucket below `bucketCount`. */
	constructor(bucketOf: Int32Array, bucketCount: number) {
		this.#firstOfBucket = new Int32Array(bucketCount).fill(-1);
		this.#nextOfCounter = new Int32Array(bucketOf.length);
		for (let counter = bucketOf.length - 1; counter >= 0; counter--) {
			const bucket = bucketOf[counter];
			this.#nextOfCounter[counter] = this.#firstOfBucket[bucket];
			this.#firstOfBucket[bucket] = counter;
		}
	}

	/** Returns the counters of a bucket in ascending order. */
	countersOf(bucket: number): number[] {
		const counters: number[] = [];
		for (let counter = this.#firstOfBucket[bucket]; counter >= 0; counter = this.#nextOfCounter[counter]) {
			counters.push(counter);
		}

		return counters;
	}
}

type RankedMember = {readonly member: number; readonly ticks: number; readonly cpuNs: number};

/** Number of members (threads or locations) of some buckets, and those with most CPU time, then most counted ticks. */
type RankedMembers = {readonly count: number; readonly top: readonly RankedMember[]};

/** Ranks the members of some buckets together; `top` has at most `maxTop` of them. */
type Ranking = (wanted: readonly number[], maxTop: number) => RankedMembers;

/** Returns a ranking of counters' members. `isByTicks`: ignore CPU time; `sizeOf`: what a member adds to `count`. */
export function rankingOf(
	{state, ticks, cpuNs}: Counters,
	buckets: CounterBuckets,
	{countedMask}: Pick<Scope, 'countedMask'>,
	memberOf: (counter: number) => number,
	{isByTicks = false, sizeOf = () => 1}: {
		readonly isByTicks?: boolean;
		readonly sizeOf?: (member: number) => number;
	} = {},
): Ranking {
	return (wanted, maxTop) => {
		const members = new Map<number, {readonly member: number; ticks: number; cpuNs: number}>();
		for (const counter of wanted.flatMap(bucket => buckets.countersOf(bucket))) {
			const member = memberOf(counter);
			const sums = getOrCreate(members, member, () => ({member, ticks: 0, cpuNs: 0}));
			sums.cpuNs += isByTicks ? 0 : cpuNs[counter];
			sums.ticks += ((countedMask >> state[counter]) & 1) * ticks[counter];
		}

		const top = [...members.values()].sort((a, b) => b.cpuNs - a.cpuNs || b.ticks - a.ticks || a.member - b.member)
			.slice(0, maxTop);
		return {count: sumOf(members.keys(), sizeOf), top};
	};
}

/** Ticks of the states in `countedMask` (a bit for each state code), and CPU nanoseconds of all states. */
export type Sums = {readonly ticks: Float64Array; readonly cpuNs: Float64Array};

/** Sums by node, and the squares of the observations of all stacks but the empty one. */
type NodeSums = Sums & {readonly squaresOfTicks: number; readonly squaresOfUs: number};

export function sumsByNode(
	{count, node, state, ticks, cpuNs, squaredTicks, squaredUs}: Counters,
	nodeCount: number,
	{countedMask}: Pick<Scope, 'countedMask'>,
): NodeSums {
	const sums = {ticks: new Float64Array(nodeCount), cpuNs: new Float64Array(nodeCount)};
	let [squaresOfTicks, squaresOfUs] = [0, 0];
	for (let counter = 0; counter < count; counter++) {
		const at = node[counter];
		const isCounted = (countedMask >> state[counter]) & 1;
		const isInStack = Number(at !== rootNode);
		sums.cpuNs[at] += cpuNs[counter];
		sums.ticks[at] += isCounted * ticks[counter];
		squaresOfTicks += isInStack * isCounted * squaredTicks[counter];
		squaresOfUs += isInStack * Number(cpuNs[counter] > 0) * squaredUs[counter];
	}

	return {...sums, squaresOfTicks, squaresOfUs};
}

/** Sums of counters by bucket, and over all stacks but the empty one. */
export class BucketSums {
	/** By bucket: ticks of counted states, and CPU time. */
	readonly selfTicks: Float64Array;
	readonly selfCpuNs: Float64Array;
	readonly wholeTicks: number;
	readonly wholeCpuNs: number;
	readonly buckets: CounterBuckets;
	readonly whole: {readonly cpu: Pieces; readonly ticks: Pieces};
	readonly #countedMask: number;
	#stateMasks: Uint8Array | undefined;

	/** `bucketOfNode`: buckets below `buckets`; `byNode`: the counters' `sumsByNode`. */
	constructor(
		readonly counters: Counters,
		byNode: NodeSums,
		readonly bucketOfNode: Int32Array,
		buckets: number,
		{countedMask}: Pick<Scope, 'countedMask'>,
	) {
		const {count, node} = counters;
		const [selfTicks, selfCpuNs] = [new Float64Array(buckets), new Float64Array(buckets)];
		let [wholeTicks, wholeCpuNs] = [0, 0];
		for (let at = rootNode + 1; at < byNode.ticks.length; at++) {
			selfTicks[bucketOfNode[at]] += byNode.ticks[at];
			selfCpuNs[bucketOfNode[at]] += byNode.cpuNs[at];
			wholeTicks += byNode.ticks[at];
			wholeCpuNs += byNode.cpuNs[at];
		}

		this.#countedMask = countedMask;
		this.selfTicks = selfTicks;
		this.selfCpuNs = selfCpuNs;
		this.wholeTicks = wholeTicks;
		this.wholeCpuNs = wholeCpuNs;
		this.whole = {
			cpu: cpuPieces(wholeCpuNs, byNode.squaresOfUs),
			ticks: {sum: wholeTicks, squares: byNode.squaresOfTicks},
		};
		this.buckets = new CounterBuckets(lookUp(bucketOfNode, node, count), buckets);
	}

	cpu(bucket: number): Pieces {
		const {cpuNs, squaredUs} = this.counters;
		return cpuPieces(
			this.selfCpuNs[bucket],
			sumOf(this.buckets.countersOf(bucket), counter => cpuNs[counter] > 0 ? squaredUs[counter] : 0),
		);
	}

	ticks(bucket: number): Pieces {
		const {state, squaredTicks} = this.counters;
		return {
			sum: this.selfTicks[bucket],
			squares: sumOf(this.buckets.countersOf(bucket), counter =>
				((this.#countedMask >> state[counter]) & 1) * squaredTicks[counter]),
		};
	}

	/** Returns the states in which a bucket has ticks, uncounted states included, a bit for each state code. */
	stateMask(bucket: number): number {
		this.#stateMasks ??= this.#makeStateMasks();
		return this.#stateMasks[bucket];
	}

	/** Returns the ticks of a bucket by state, uncounted states included. */
	states(bucket: number): StateTicks {
		const states = Array.from({length: stateCount}, () => 0);
		for (const counter of this.buckets.countersOf(bucket)) {
			states[this.counters.state[counter]] += this.counters.ticks[counter];
		}

		return states;
	}

	#makeStateMasks(): Uint8Array {
		const masks = new Uint8Array(this.selfTicks.length);
		const {count, node, state, ticks} = this.counters;
		for (let counter = 0; counter < count; counter++) {
			masks[this.bucketOfNode[node[counter]]] |= Number(ticks[counter] > 0) << state[counter];
		}

		return masks;
	}
}

const maxTopThreads = 3;

/** Returns what shares in a unit are parts of. */
export function wholeOf(unit: Unit): Exclude<PartFigure['of'], 'a core'> {
	return isOfEvents(unit) ? eventWholes[unit] : (unit === 'ticks' ? 'the ticks' : 'the CPU time');
}

/** Figures that rows read, by bucket. */
export type CountedFigures = {
	readonly sums: BucketSums;
	readonly threadRanking: Ranking;
	readonly threads: Snapshot['threads'];
	/** What shares relate to: ticks, what events count for, or CPU time. */
	readonly unit: Unit;
	readonly threadsInStep: number;
	/** Milliseconds of sampling in the window. */
	readonly overMs: number;
	/** With own code first: returns the library method called by own code that has most samples of some buckets. */
	readonly viaOf?: (buckets: readonly number[]) => Location | undefined;
};

/** A row of what was counted in a bucket. Computes its figures on demand. */
export abstract class CountedRow<Figures extends CountedFigures> extends LocatedRow {
	constructor(readonly bucket: number, protected readonly counted: Figures) {
		super();
	}

	get selfTicks(): number {
		return this.counted.sums.selfTicks[this.bucket];
	}

	get selfCpuNs(): number {
		return this.counted.sums.selfCpuNs[this.bucket];
	}

	get selfPercent(): number {
		const {unit, sums} = this.counted;
		return unit === 'ticks' ? percentOf(this.selfTicks, sums.wholeTicks) : percentOf(this.selfCpuNs, sums.wholeCpuNs);
	}

	/** Half the width of the 95% confidence interval of `selfPercent`, percentage points. */
	get errorPercent(): number {
		return shareError(this.selfPercent, this.#samples);
	}

	/** As `errorPercent`, of `selfCpuNs`, nanoseconds: the CPU time of all rows together is known without sampling. */
	get errorNs(): number {
		return this.errorPercent / 100 * this.counted.sums.wholeCpuNs;
	}

	get unit(): Unit {
		return this.counted.unit;
	}

	/** Its self time in percent of a core or, where that is unknown or ticks count, as a share. */
	get selfFigure(): PartFigure {
		const {unit, overMs} = this.counted;
		if (unit === 'ticks' || isOfEvents(unit) || overMs === 0) {
			return {percent: this.selfPercent, error: this.errorPercent, of: wholeOf(unit)};
		}

		return {percent: corePercent(this.selfCpuNs, overMs), error: corePercent(this.errorNs, overMs), of: 'a core'};
	}

	get selfInterval(): Interval {
		return shareInterval(this.selfPercent, this.#samples);
	}

	/** Number of independent samples on which its share of CPU time rests. */
	get cpuSamples(): number {
		const {sums} = this.counted;
		return effectiveSampleSize(sums.cpu(this.bucket), sums.whole.cpu);
	}

	get tickSamples(): number {
		const {threadsInStep, sums} = this.counted;
		return effectiveSampleSize(sums.ticks(this.bucket), sums.whole.ticks) / threadsInStep;
	}

	get states(): StateTicks {
		return this.counted.sums.states(this.bucket);
	}

	get stateMask(): number {
		return this.counted.sums.stateMask(this.bucket);
	}

	get threadCount(): number {
		return this.#threads.count;
	}

	/** Names of the threads with the most CPU time, then ticks. */
	get topThreads(): readonly Printable[] {
		return this.#threads.top.map(({member}) => this.counted.threads.name[member]);
	}

	get via(): Location | undefined {
		return this.counted.viaOf?.([this.bucket]);
	}

	get #samples(): number {
		return this.counted.unit === 'ticks' ? this.tickSamples : this.cpuSamples;
	}

	get #threads(): RankedMembers {
		return this.counted.threadRanking([this.bucket], maxTopThreads);
	}
}
