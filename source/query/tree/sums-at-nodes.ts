import type {Counters} from '../../model/snapshot.js';
import {stateCount} from '../../model/thread-state.js';
import type {StateTicks} from '../types/rows.js';

/**
Sums of counters, a number each: those counted come first, and behind them sums of two others. In arrays and not in
objects: there are as many as a large tree has paths.
*/
export class SumsAtNodes {
	readonly #ticks: number[] = [];
	readonly #cpuNs: number[] = [];
	/** Ticks at [sum * stateCount + state] of the counted ones, where states are counted. */
	readonly #states: number[] | undefined;
	/** Of those that are sums of two: the two. */
	readonly #first: number[] = [];
	readonly #second: number[] = [];
	#counted = 0;

	constructor(countsStates: boolean) {
		this.#states = countsStates ? [] : undefined;
	}

	/** A sum to count counters in; there are none of two yet. */
	start(): number {
		for (let state = 0; state < (this.#states ? stateCount : 0); state++) {
			this.#states!.push(0);
		}

		this.#cpuNs.push(0);
		this.#counted = this.#ticks.push(0);
		return this.#counted - 1;
	}

	/** Adds a counter; its ticks count by its state where `isCounted`, in `states` always. */
	add(sum: number, counters: Counters, counter: number, isCounted: boolean): void {
		const ticks = counters.ticks[counter];
		this.#cpuNs[sum] += counters.cpuNs[counter];
		this.#ticks[sum] += isCounted ? ticks : 0;
		if (this.#states) {
			this.#states[(sum * stateCount) + counters.state[counter]] += ticks;
		}
	}

	/** The sum of two. */
	together(first: number, second: number): number {
		this.#first.push(first);
		this.#second.push(second);
		this.#cpuNs.push(this.#cpuNs[first] + this.#cpuNs[second]);
		return this.#ticks.push(this.#ticks[first] + this.#ticks[second]) - 1;
	}

	ticks(sum: number): number {
		return this.#ticks[sum];
	}

	cpuNs(sum: number): number {
		return this.#cpuNs[sum];
	}

	isEmpty(sum: number): boolean {
		return this.#ticks[sum] === 0 && this.#cpuNs[sum] === 0;
	}

	/** Ticks of some sums together, by state. */
	states(sums: readonly number[]): StateTicks {
		const ticks = Array.from({length: stateCount}, () => 0);
		const open = [...sums];
		for (let sum = open.pop(); sum !== undefined; sum = open.pop()) {
			if (sum >= this.#counted) {
				open.push(this.#first[sum - this.#counted], this.#second[sum - this.#counted]);
				continue;
			}

			for (let state = 0; state < stateCount; state++) {
				ticks[state] += this.#states?.[(sum * stateCount) + state] ?? 0;
			}
		}

		return ticks;
	}
}
