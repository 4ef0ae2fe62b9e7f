import type {Snapshot} from '../../model/snapshot.js';
import type {Interval, Location, StateTicks} from '../types/query.js';
import type {BucketSums, Ranked, Ranking} from './buckets.js';
import {AtLocation} from './location.js';
import {
	percentOf, samplesOf, shareError, shareInterval,
} from './share.js';

/** Names of threads kept for a row. */
const maxTopThreads = 3;

/** What rows are read from, by the numbers of their buckets. */
export type CountedFigures = {
	readonly sums: BucketSums;
	readonly threadRanking: Ranking;
	readonly threads: Snapshot['threads'];
	/** Shares are of ticks, not of CPU time. */
	readonly isInTicks: boolean;
	/** Threads that move together, see `threadsInStep`. */
	readonly inStep: number;
	/** With own code first: the method beyond it that had most of the samples of some buckets. */
	readonly viaOf?: (buckets: readonly number[]) => Location | undefined;
};

/** A row of what was counted in a bucket. Figures are worked out when asked for. */
export abstract class CountedRow<Figures extends CountedFigures> extends AtLocation {
	#ranked: Ranked | undefined;
	#states: StateTicks | undefined;

	constructor(readonly bucket: number, protected readonly counted: Figures) {
		super();
	}

	/** Ticks of counted states; CPU nanoseconds of all. */
	get selfTicks(): number {
		return this.counted.sums.selfTicks[this.bucket];
	}

	get selfCpuNs(): number {
		return this.counted.sums.selfCpuNs[this.bucket];
	}

	/** Share in percent (0..100) of the unit's whole (for `cpu-ms` too: share of CPU time). */
	get selfPercent(): number {
		const {isInTicks, sums} = this.counted;
		return isInTicks ? percentOf(this.selfTicks, sums.wholeTicks) : percentOf(this.selfCpuNs, sums.wholeCpuNs);
	}

	/** Half the width of its 95 % interval, percentage points. */
	get errorPercent(): number {
		return shareError(this.selfPercent, this.#samples);
	}

	get selfInterval(): Interval {
		return shareInterval(this.selfPercent, this.#samples);
	}

	/** Independent samples that its share of the CPU time rests on. */
	get cpuSamples(): number {
		const {sums} = this.counted;
		return samplesOf(sums.cpu(this.bucket), sums.whole.cpu);
	}

	/** The same of its share of the ticks. */
	get tickSamples(): number {
		const {inStep, sums} = this.counted;
		return samplesOf(sums.ticks(this.bucket), sums.whole.ticks) / inStep;
	}

	/** Ticks by state, every state counted. */
	get states(): StateTicks {
		this.#states ??= this.counted.sums.states(this.bucket);
		return this.#states;
	}

	get threadCount(): number {
		return this.#threads.count;
	}

	/** Names of the threads with the most CPU, then ticks; at most three. */
	get topThreads(): readonly string[] {
		return this.#threads.top.map(thread => this.counted.threads.name[thread]);
	}

	/** With own code first: the method beyond it that had most of the row's samples, if those were not the line's own. */
	get via(): Location | undefined {
		return this.counted.viaOf?.([this.bucket]);
	}

	get #samples(): number {
		return this.counted.isInTicks ? this.tickSamples : this.cpuSamples;
	}

	get #threads(): Ranked {
		this.#ranked ??= this.counted.threadRanking([this.bucket], maxTopThreads);
		return this.#ranked;
	}
}
