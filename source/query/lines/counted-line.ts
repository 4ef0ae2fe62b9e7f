import type {Snapshot} from '../../model/snapshot.js';
import {stateCount} from '../../model/thread-state.js';
import type {FactRanking, Ranked} from '../facts/fact-ranking.js';
import {AtPlace} from '../facts/place.js';
import {percentOf, shareError} from '../facts/share.js';
import type {Grouping} from '../facts/stack-index.js';
import type {StandingNow} from '../standing-now.js';
import type {LineRow, Place, StateTicks} from '../types.js';
import type {LineSums} from './line-sums.js';
import type {OtherSide} from './other-side.js';

/** Names of threads kept for a row. */
const maxTopThreads = 3;

/** What the rows of a window are read from, by group. */
export type CountedFigures = {
	readonly grouping: Grouping;
	readonly sums: LineSums;
	readonly threads: Snapshot['threads'];
	readonly ranking: FactRanking;
	readonly standing: StandingNow;
	readonly beyond: OtherSide;
	/** Shares are of ticks, not of CPU time. */
	readonly isInTicks: boolean;
	/** As many equal samples would say as much of shares. */
	readonly samples: number;
};

/**
A row of thousands of which a screen shows some: each figure is looked up, or worked out, when somebody asks for it.
*/
export class CountedLine extends AtPlace implements LineRow {
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
		return shareError(this.selfPercent, this.#of.samples);
	}

	get states(): StateTicks {
		this.#states ??= [...this.#of.sums.states.subarray(this.#group * stateCount, (this.#group + 1) * stateCount)];
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
		return this.#of.standing.blocked[this.#group];
	}

	get stuckMs(): number {
		return this.#of.standing.longestMs[this.#group];
	}

	get stuckAtLeast(): boolean {
		return this.#of.standing.isLonger[this.#group] === 1;
	}

	get heldUpNow(): number {
		return this.#of.standing.heldUp[this.#group];
	}

	get holder(): string | undefined {
		return this.heldUpNow > 0 ? this.#of.standing.holderOf(this.#group) : undefined;
	}

	get otherHolders(): number {
		return this.heldUpNow > 0 ? this.#of.standing.otherHoldersOf(this.#group) : 0;
	}

	get via(): Place | undefined {
		return this.#of.beyond.isOwnFirst ? this.#of.beyond.of(this.#group) : undefined;
	}

	get own(): Place | undefined {
		return this.#of.beyond.isOwnFirst ? undefined : this.#of.beyond.of(this.#group);
	}

	protected override get place(): Place {
		return this.#of.grouping.places[this.#group];
	}

	get #threads(): Ranked {
		this.#ranked ??= this.#of.ranking.of(this.#group, maxTopThreads);
		return this.#ranked;
	}
}
