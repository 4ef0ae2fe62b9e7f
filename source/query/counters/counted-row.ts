import type {Snapshot} from '../../model/snapshot.js';
import type {Interval, Location, StateTicks} from '../types/query.js';
import type {BucketSums, RankedMembers, Ranking} from './buckets.js';
import {LocatedRow} from './location.js';
import {
	percentOf, samplesOf, shareError, shareInterval,
} from './share.js';

const maxTopThreads = 3;

/** Figures that rows read, by bucket. */
export type CountedFigures = {
	readonly sums: BucketSums;
	readonly threadRanking: Ranking;
	readonly threads: Snapshot['threads'];
	/** Shares relate to ticks, not to CPU time. */
	readonly isInTicks: boolean;
	/** Mean number of threads that move in step, see `threadsInStep`. */
	readonly inStep: number;
	/** With own code first: returns the library method called by own code that has most samples of some buckets. */
	readonly viaOf?: (buckets: readonly number[]) => Location | undefined;
};

/** A row of what was counted in a bucket. Computes its figures on demand. */
export abstract class CountedRow<Figures extends CountedFigures> extends LocatedRow {
	constructor(readonly bucket: number, protected readonly counted: Figures) {
		super();
	}

	/** Ticks of counted states. */
	get selfTicks(): number {
		return this.counted.sums.selfTicks[this.bucket];
	}

	/** CPU nanoseconds of all states. */
	get selfCpuNs(): number {
		return this.counted.sums.selfCpuNs[this.bucket];
	}

	/** Percentage of all ticks or, unless `isInTicks`, of all CPU time. */
	get selfPercent(): number {
		const {isInTicks, sums} = this.counted;
		return isInTicks ? percentOf(this.selfTicks, sums.wholeTicks) : percentOf(this.selfCpuNs, sums.wholeCpuNs);
	}

	/** Half the width of the 95% confidence interval of `selfPercent`, percentage points. */
	get errorPercent(): number {
		return shareError(this.selfPercent, this.#samples);
	}

	get selfInterval(): Interval {
		return shareInterval(this.selfPercent, this.#samples);
	}

	/** Number of independent samples on which its share of CPU time rests. */
	get cpuSamples(): number {
		const {sums} = this.counted;
		return samplesOf(sums.cpu(this.bucket), sums.whole.cpu);
	}

	/** Number of independent samples on which its share of ticks rests. */
	get tickSamples(): number {
		const {inStep, sums} = this.counted;
		return samplesOf(sums.ticks(this.bucket), sums.whole.ticks) / inStep;
	}

	/** Ticks by state, uncounted states included. */
	get states(): StateTicks {
		return this.counted.sums.states(this.bucket);
	}

	get threadCount(): number {
		return this.#threads.count;
	}

	/** Names of the threads with the most CPU time, then ticks. */
	get topThreads(): readonly string[] {
		return this.#threads.top.map(thread => this.counted.threads.name[thread]);
	}

	/** With own code first: the library method with most of the row's samples, unless most are in own code. */
	get via(): Location | undefined {
		return this.counted.viaOf?.([this.bucket]);
	}

	get #samples(): number {
		return this.counted.isInTicks ? this.tickSamples : this.cpuSamples;
	}

	get #threads(): RankedMembers {
		return this.counted.threadRanking([this.bucket], maxTopThreads);
	}
}
