import {rootNode} from '../../model/frame.js';
import type {Dictionary, Facts} from '../../model/snapshot.js';
import {stateCount} from '../../model/thread-state.js';
import {viaOfBuckets} from '../facts/left-out.js';
import type {Scope} from '../facts/scope.js';
import {stackIndex, type Grouping} from '../facts/stack-index.js';
import type {Place, StateTicks} from '../types.js';
import type {Paths} from './paths.js';
import type {PathTree, Weight} from './path-tree.js';

/** A node: how far up its samples are, by the node of the dictionary where they stand now. */
type Callers = {readonly path: number; readonly group: number; readonly isRoot: boolean; readonly weights: Map<number, Sums>; ticks: number; cpuNs: number};

/** Ticks by state where they are counted. */
type Sums = {ticks: number; cpuNs: number; readonly states: number[] | undefined};

/** Where paths begin, and how they are numbered. */
export type Upwards = {
	readonly grouping: Grouping;
	readonly paths: Paths;
	/** By node: the node where its samples begin; that of the line they count for when left out. */
	readonly startOf?: (node: number) => number;
	/** By node: where its stack is taken to end, if not where it does (`endsOf`). */
	readonly ends?: Int32Array;
	/** Roots are the callers of where samples begin, and not that itself. */
	readonly beginsWithCallers?: boolean;
	readonly countsStates?: boolean;
};

const noWeight: Weight = Object.freeze({ticks: 0, cpuNs: 0});

/** From the lines that samples count for to their callers. Only what is asked for is made. */
export class BottomUp implements PathTree {
	readonly #dictionary: Dictionary;
	readonly #grouping: Grouping;
	readonly #paths: Paths;
	readonly #nodes: Callers[];
	readonly #beginsWithCallers: boolean;
	readonly #countsStates: boolean;
	readonly #children = new Map<number, readonly number[]>();
	readonly #viaOfRoot: ((group: number) => Place | undefined) | undefined;

	constructor(facts: Facts, dictionary: Dictionary, {
		grouping, paths, startOf, ends, beginsWithCallers = false, countsStates = false,
	}: Upwards, scope: Pick<Scope, 'countedMask' | 'unit'>, isKept: (node: number) => boolean) {
		this.#dictionary = dictionary;
		this.#grouping = grouping;
		this.#paths = paths;
		this.#beginsWithCallers = beginsWithCallers;
		this.#countsStates = countsStates;
		const {attributed} = stackIndex(dictionary);
		const {countedMask} = scope;
		// Those without a row are of group 0, as nothing else is.
		const groupOfFact = new Int32Array(ends ? facts.count : 0);
		const all: Callers = {
			path: 0, group: 0, isRoot: false, weights: new Map(), ticks: 0, cpuNs: 0,
		};
		this.#nodes = [all];
		for (let fact = 0; fact < facts.count; fact++) {
			const node = facts.node[fact];
			if (node !== rootNode && isKept(node)) {
				const ticks = facts.ticks[fact];
				// Attribution is that of the stack as it is taken: the own line, or the first that has one.
				const start = startOf ? startOf(node) : attributed[ends ? ends[node] : node];
				if (ends) {
					groupOfFact[fact] = grouping.groupOfFrame[dictionary.nodeFrame[start]];
				}

				const weight = this.#add(all, start, (countedMask & (1 << facts.state[fact])) === 0 ? 0 : ticks, facts.cpuNs[fact]);
				if (weight.states) {
					weight.states[facts.state[fact]] += ticks;
				}
			}
		}

		this.#viaOfRoot = ends && viaOfBuckets(dictionary, {
			facts, ends, bucketOfFact: groupOfFact, buckets: grouping.places.length,
		}, scope);
	}

	childrenOf(node: number): readonly number[] {
		let children = this.#children.get(node);
		if (!children) {
			children = this.#makeChildren(this.#nodes[node], node === 0 && !this.#beginsWithCallers);
			this.#children.set(node, children);
		}

		return children;
	}

	hasChildren(node: number): boolean {
		const {nodeParent} = this.#dictionary;
		for (const at of this.#nodes[node].weights.keys()) {
			if (nodeParent[at] !== rootNode) {
				return true;
			}
		}

		return false;
	}

	groupOf(node: number): number {
		return this.#nodes[node].group;
	}

	keyOf(node: number): string {
		return `u${this.#nodes[node].path}`;
	}

	self(node: number): Weight {
		return this.#nodes[node].isRoot ? this.#nodes[node] : noWeight;
	}

	total(node: number): Weight {
		return this.#nodes[node];
	}

	states(node: number): StateTicks {
		const sums = noTicks();
		for (const {states = []} of this.#nodes[node].weights.values()) {
			for (const [state, ticks] of states.entries()) {
				sums[state] += ticks;
			}
		}

		return sums;
	}

	viaOf(node: number): Place | undefined {
		const {isRoot, group} = this.#nodes[node];
		return isRoot ? this.#viaOfRoot?.(group) : undefined;
	}

	#makeChildren({path, weights}: Callers, areRoots: boolean): number[] {
		const {nodeParent, nodeFrame} = this.#dictionary;
		const ofGroup = new Map<number, number>();
		for (const [at, {ticks, cpuNs, states}] of weights) {
			const caller = areRoots ? at : nodeParent[at];
			if (caller === rootNode || (ticks === 0 && cpuNs === 0)) {
				continue;
			}

			const group = this.#grouping.groupOfFrame[nodeFrame[caller]];
			let child = ofGroup.get(group);
			if (child === undefined) {
				child = this.#nodes.push({
					path: this.#paths.numberOf(path, group), group, isRoot: areRoots, weights: new Map(), ticks: 0, cpuNs: 0,
				}) - 1;
				ofGroup.set(group, child);
			}

			const weight = this.#add(this.#nodes[child], caller, ticks, cpuNs);
			if (states && weight.states) {
				for (let state = 0; state < stateCount; state++) {
					weight.states[state] += states[state];
				}
			}
		}

		return [...ofGroup.values()];
	}

	#add(node: Callers, at: number, ticks: number, cpuNs: number): Sums {
		node.ticks += ticks;
		node.cpuNs += cpuNs;
		let weight = node.weights.get(at);
		if (!weight) {
			weight = {ticks: 0, cpuNs: 0, states: this.#countsStates ? noTicks() : undefined};
			node.weights.set(at, weight);
		}

		weight.ticks += ticks;
		weight.cpuNs += cpuNs;
		return weight;
	}
}

/** Of each state. */
function noTicks(): number[] {
	const ticks: number[] = [];
	for (let state = 0; state < stateCount; state++) {
		ticks.push(0);
	}

	return ticks;
}
