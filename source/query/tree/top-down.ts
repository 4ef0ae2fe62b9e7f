import {rootNode} from '../../model/frame.js';
import type {Dictionary, Counters} from '../../model/snapshot.js';
import {stateCount} from '../../model/thread-state.js';
import {viaOfBuckets} from '../counters/attribution.js';
import type {Scope} from '../counters/scope.js';
import type {Location, StateTicks} from '../types/rows.js';
import type {PathOfNode} from './paths.js';
import type {PathTree, Weight} from './path-tree.js';

/** The stacks of a tree: which path each takes, whether its samples count, and where it is taken to end (`endsOf`). */
type StacksOfTree = {
	readonly stacks: PathOfNode;
	readonly dictionary: Dictionary;
	readonly isKept: (node: number) => boolean;
	readonly ends: Int32Array | undefined;
};

/**
From the threads' roots to what they call. A node is a path; all sums are made in one pass, rows only of what is open.
*/
export class TopDown implements PathTree {
	readonly size: number;
	readonly #stacks: StacksOfTree;
	readonly #counters: Counters;
	readonly #scope: Pick<Scope, 'countedMask' | 'unit'>;
	/** By counter: its path, -1 where it does not count. */
	readonly #pathOfCounter: Int32Array;
	readonly #selfTicks: Float64Array;
	readonly #selfCpuNs: Float64Array;
	readonly #totalTicks: Float64Array;
	readonly #totalCpuNs: Float64Array;
	/** Children of path p are `#children[#start[p]] .. #children[#start[p + 1] - 1]`. */
	readonly #start: Int32Array;
	readonly #children: Int32Array;
	/** Ticks at [path * stateCount + state]; made when they are asked for. */
	#states: Float64Array | undefined;

	#via: ((path: number) => Location | undefined) | undefined;

	constructor(counters: Counters, stacks: StacksOfTree, scope: Pick<Scope, 'countedMask' | 'unit'>) {
		this.#stacks = stacks;
		this.#counters = counters;
		this.#scope = scope;
		const {stacks: {paths, pathOf}, isKept, ends} = stacks;
		const {countedMask} = scope;
		const {count} = paths;
		this.#pathOfCounter = new Int32Array(counters.count).fill(-1);
		this.#selfTicks = new Float64Array(count);
		this.#selfCpuNs = new Float64Array(count);
		for (let counter = 0; counter < counters.count; counter++) {
			const node = counters.node[counter];
			if (node !== rootNode && isKept(node)) {
				const path = pathOf[ends ? ends[node] : node];
				this.#pathOfCounter[counter] = path;
				this.#selfCpuNs[path] += counters.cpuNs[counter];
				this.#selfTicks[path] += (countedMask & (1 << counters.state[counter])) === 0 ? 0 : counters.ticks[counter];
			}
		}

		this.#totalTicks = Float64Array.from(this.#selfTicks);
		this.#totalCpuNs = Float64Array.from(this.#selfCpuNs);
		this.#start = new Int32Array(count + 1);
		const parents = new Int32Array(count);
		let size = 0;
		for (let path = count - 1; path > 0; path--) {
			if (this.#totalTicks[path] > 0 || this.#totalCpuNs[path] > 0) {
				const parent = paths.parentOf(path);
				parents[path] = parent;
				this.#totalTicks[parent] += this.#totalTicks[path];
				this.#totalCpuNs[parent] += this.#totalCpuNs[path];
				this.#start[parent + 1]++;
				size++;
			} else {
				parents[path] = -1;
			}
		}

		this.size = size;
		this.#children = this.#sortIn(parents, size);
	}

	childrenOf(path: number): readonly number[] {
		const children: number[] = [];
		for (let index = this.#start[path]; index < this.#start[path + 1]; index++) {
			children.push(this.#children[index]);
		}

		return children;
	}

	hasChildren(path: number): boolean {
		return this.#start[path + 1] > this.#start[path];
	}

	groupOf(path: number): number {
		return this.#stacks.stacks.paths.groupOf(path);
	}

	keyOf(path: number): string {
		return `d${path}`;
	}

	nodeOf(key: string): number | undefined {
		const path = /^d\d+$/.test(key) ? Number(key.slice(1)) : Infinity;
		return this.#totalTicks[path] > 0 || this.#totalCpuNs[path] > 0 ? path : undefined;
	}

	self(path: number): Weight {
		return {ticks: this.#selfTicks[path], cpuNs: this.#selfCpuNs[path]};
	}

	total(path: number): Weight {
		return {ticks: this.#totalTicks[path], cpuNs: this.#totalCpuNs[path]};
	}

	states(path: number): StateTicks {
		this.#states ??= this.#sumStates();
		return [...this.#states.subarray(path * stateCount, (path + 1) * stateCount)];
	}

	viaOf(path: number): Location | undefined {
		const {ends, dictionary, stacks: {paths}} = this.#stacks;
		if (!ends) {
			return undefined;
		}

		this.#via ??= viaOfBuckets(dictionary, {
			counters: this.#counters, ends, bucketOfCounter: this.#pathOfCounter.map(of => of < 0 ? paths.count : of), buckets: paths.count + 1,
		}, this.#scope);
		return this.#via(path);
	}

	#sumStates(): Float64Array {
		const {paths} = this.#stacks.stacks;
		const {count, state, ticks} = this.#counters;
		const states = new Float64Array(paths.count * stateCount);
		for (let counter = 0; counter < count; counter++) {
			const path = this.#pathOfCounter[counter];
			if (path >= 0) {
				states[(path * stateCount) + state[counter]] += ticks[counter];
			}
		}

		for (let path = paths.count - 1; path > 0; path--) {
			if (this.#totalTicks[path] > 0 || this.#totalCpuNs[path] > 0) {
				const parent = paths.parentOf(path);
				for (let code = 0; code < stateCount; code++) {
					states[(parent * stateCount) + code] += states[(path * stateCount) + code];
				}
			}
		}

		return states;
	}

	#sortIn(parents: Int32Array, size: number): Int32Array {
		const start = this.#start;
		for (let path = 1; path < start.length; path++) {
			start[path] += start[path - 1];
		}

		const next = new Int32Array(start);
		const children = new Int32Array(size);
		for (let path = 1; path < parents.length; path++) {
			if (parents[path] >= 0) {
				children[next[parents[path]]++] = path;
			}
		}

		return children;
	}
}
