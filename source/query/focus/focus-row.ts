import {percentOf, shareError} from '../facts/share.js';
import {OpenRow, type RowSource, type Standing} from '../tree/open-row.js';
import type {FocusRow, StateTicks} from '../types.js';

/** What rows of a focus are made from; shares are of the method's own time. */
export type FocusSource = RowSource & {
	readonly part: FocusRow['part'];
	/** Samples that shares of CPU time rest on, see `effectiveSamples`. */
	readonly cpuSamples: number;
	/** Milliseconds of a thread's time that a tick stands for. */
	readonly tickMs: number;
};

/** A row of the tree under or above a method: thread time, which is what `total` of a tree row means here, and CPU time. */
export class FocusTreeRow extends OpenRow implements FocusRow {
	readonly #source: FocusSource;

	constructor(node: number, source: FocusSource, standing?: Standing) {
		super(node, source, standing);
		this.#source = source;
	}

	get part(): FocusRow['part'] {
		return this.#source.part;
	}

	get isMethod(): boolean {
		return this.node === 0;
	}

	get wallMs(): number {
		return this.totalTicks * this.#source.tickMs;
	}

	get cpuPercent(): number {
		return percentOf(this.totalCpuNs, this.#source.whole.cpuNs);
	}

	get wallError(): number {
		return shareError(this.totalPercent, this.#source.whole.ticks);
	}

	get cpuError(): number {
		return shareError(this.cpuPercent, this.#source.cpuSamples);
	}

	get states(): StateTicks {
		return this.#source.tree.states!(this.node);
	}
}
