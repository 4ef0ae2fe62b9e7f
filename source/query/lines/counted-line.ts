import type {Snapshot} from '../../model/snapshot.js';
import type {CounterRanking, Ranked} from '../counters/ranking.js';
import {AtLocation} from '../counters/location.js';
import {
	percentOf, samplesOf, shareError, shareInterval,
} from '../counters/share.js';
import type {Grouping} from '../counters/stack-index.js';
import type {ContentionByLocation} from '../locks/contention-by-location.js';
import type {
	Interval, LineRow, Location, StateTicks,
} from '../types/rows.js';
import type {LineSums} from './line-sums.js';
import type {OtherSide} from './other-side.js';

/** Names of threads kept for a row. */
const maxTopThreads = 3;

/** What the rows of a window are read from, by group. */
export type CountedFigures = {
	readonly grouping: Grouping;
	readonly sums: LineSums;
	readonly threads: Snapshot['threads'];
	readonly ranking: CounterRanking;
	readonly contention: ContentionByLocation;
	readonly beyond: OtherSide;
	/** Shares are of ticks, not of CPU time. */
	readonly isInTicks: boolean;
	/** See `threadsInStep`. */
	readonly inStep: number;
};

/**
A row of thousands of which a screen shows some: each figure is looked up, or worked out, when somebody asks for it.
*/
export class CountedLine extends AtLocation implements LineRow {
	/** Kept, as it is the one thing that all rows are asked for at each refresh. */
	readonly key: string;
	readonly #group: number;
	readonly #of: CountedFigures;
	#ranked: Ranked | undefined;
	#states: StateTicks | undefined;

	constructor(group: number, of: CountedFigures) {
		super();
		this.key = of.grouping.keys[group];
		this.#group = group;
		this.#of = of;
	}

	get selfTicks(): number {
		return this.#of.sums.selfTicks[this.#group];
	}

	get totalTicks(): number {
		return this.#of.sums.totalTicks[this.#group];
	}

	get selfCpuNs(): number {
		return this.#of.sums.selfCpuNs[this.#group];
	}

	get totalCpuNs(): number {
		return this.#of.sums.totalCpuNs[this.#group];
	}

	get selfPercent(): number {
		const {isInTicks, sums} = this.#of;
		return isInTicks ? percentOf(this.selfTicks, sums.wholeTicks) : percentOf(this.selfCpuNs, sums.wholeCpuNs);
	}

	get totalPercent(): number {
		const {isInTicks, sums} = this.#of;
		return isInTicks ? percentOf(this.totalTicks, sums.wholeTicks) : percentOf(this.totalCpuNs, sums.wholeCpuNs);
	}

	get errorPercent(): number {
		return shareError(this.selfPercent, this.#samples);
	}

	get selfInterval(): Interval {
		return shareInterval(this.selfPercent, this.#samples);
	}

	/** Independent samples that its share of the CPU time rests on. */
	get cpuSamples(): number {
		const {sums} = this.#of;
		return samplesOf(sums.cpu(this.#group), sums.cpu());
	}

	/** The same of its share of the ticks. */
	get tickSamples(): number {
		const {inStep, sums} = this.#of;
		return samplesOf(sums.ticks(this.#group), sums.ticks()) / inStep;
	}

	get states(): StateTicks {
		this.#states ??= this.#of.sums.states(this.#group);
		return this.#states;
	}

	get threadCount(): number {
		return this.#threads.count;
	}

	get topThreads(): readonly string[] {
		const {threads} = this.#of;
		return this.#threads.top.map(thread => threads.name[thread]);
	}

	get blockedNow(): number {
		return this.#of.contention.blocked[this.#group];
	}

	get stuckMs(): number {
		return this.#of.contention.longestMs[this.#group];
	}

	get stuckAtLeast(): boolean {
		return this.#of.contention.isLonger[this.#group] === 1;
	}

	get contendingNow(): number {
		return this.#of.contention.contending[this.#group];
	}

	get holder(): string | undefined {
		return this.contendingNow > 0 ? this.#of.contention.holderOf(this.#group) : undefined;
	}

	get otherHolders(): number {
		return this.contendingNow > 0 ? this.#of.contention.otherHoldersOf(this.#group) : 0;
	}

	get via(): Location | undefined {
		return this.#of.beyond.isOwnFirst ? this.#of.beyond.of(this.#group) : undefined;
	}

	get own(): Location | undefined {
		return this.#of.beyond.isOwnFirst ? undefined : this.#of.beyond.of(this.#group);
	}

	protected override get location(): Location {
		return this.#of.grouping.locations[this.#group];
	}

	get #samples(): number {
		return this.#of.isInTicks ? this.tickSamples : this.cpuSamples;
	}

	get #threads(): Ranked {
		this.#ranked ??= this.#of.ranking.of([this.#group], maxTopThreads);
		return this.#ranked;
	}
}
