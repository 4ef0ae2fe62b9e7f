import {rootNode} from '../../model/frame.js';
import type {Dictionary, Facts} from '../../model/snapshot.js';
import {stateCount} from '../../model/thread-state.js';
import {viaOfBuckets} from '../facts/left-out.js';
import type {Scope} from '../facts/scope.js';
import {stackIndex, type Grouping} from '../facts/stack-index.js';
import type {Place, StateTicks} from '../types.js';
import type {Paths} from './paths.js';
import type {PathTree, Weight} from './path-tree.js';

/**
A node: how far up its samples are. `at` has the nodes of the dictionary where they stand now, and `sums` what stands
at each. Most have one: a caller's samples are then its callee's, and their sums are the same object.
*/
type Callers = {
	readonly group: number;
	/** The node that it calls, -1 for none; 0 is below the roots. */
	readonly callee: number;
	readonly isRoot: boolean;
	readonly at: number[];
	readonly sums: Sums[];
	ticks: number;
	cpuNs: number;
	/** Its number among paths, 0 until somebody asks. */
	path: number;
};

/** `states`: ticks by state where they are counted, of facts alone; sums of others know what they are sums of. */
type Sums = {ticks: number; cpuNs: number; readonly states: number[] | undefined; readonly of: Sums[] | undefined};

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
	readonly #children = new Map<number, readonly number[]>();
	readonly #viaOfRoot: ((group: number) => Place | undefined) | undefined;

	constructor(facts: Facts, dictionary: Dictionary, {
		grouping, paths, startOf, ends, beginsWithCallers = false, countsStates = false,
	}: Upwards, scope: Pick<Scope, 'countedMask' | 'unit'>, isKept: (node: number) => boolean) {
		this.#dictionary = dictionary;
		this.#grouping = grouping;
		this.#paths = paths;
		this.#beginsWithCallers = beginsWithCallers;
		const {attributed} = stackIndex(dictionary);
		const {countedMask} = scope;
		// Those without a row are of group 0, as nothing else is.
		const groupOfFact = new Int32Array(ends ? facts.count : 0);
		/** By node: one more than its index in `all`, 0 for none. */
		const placeOf = new Int32Array(dictionary.nodeCount);
		const all = newCallers(0, -1, false);
		this.#nodes = [all];
		for (let fact = 0; fact < facts.count; fact++) {
			const node = facts.node[fact];
			if (node === rootNode || !isKept(node)) {
				continue;
			}

			// Attribution is that of the stack as it is taken: the own line, or the first that has one.
			const start = startOf ? startOf(node) : attributed[ends ? ends[node] : node];
			if (ends) {
				groupOfFact[fact] = grouping.groupOfFrame[dictionary.nodeFrame[start]];
			}

			if (placeOf[start] === 0) {
				all.at.push(start);
				placeOf[start] = all.sums.push({
					ticks: 0, cpuNs: 0, states: countsStates ? noTicks() : undefined, of: undefined,
				});
			}

			const sums = all.sums[placeOf[start] - 1];
			const ticks = facts.ticks[fact];
			sums.ticks += (countedMask & (1 << facts.state[fact])) === 0 ? 0 : ticks;
			sums.cpuNs += facts.cpuNs[fact];
			if (sums.states) {
				sums.states[facts.state[fact]] += ticks;
			}
		}

		for (const {ticks, cpuNs} of all.sums) {
			all.ticks += ticks;
			all.cpuNs += cpuNs;
		}

		this.#viaOfRoot = ends && viaOfBuckets(dictionary, {
			facts, ends, bucketOfFact: groupOfFact, buckets: grouping.places.length,
		}, scope);
	}

	childrenOf(node: number): readonly number[] {
		let children = this.#children.get(node);
		if (!children) {
			children = this.#makeChildren(node, node === 0 && !this.#beginsWithCallers);
			this.#children.set(node, children);
		}

		return children;
	}

	hasChildren(node: number): boolean {
		const {nodeParent} = this.#dictionary;
		return this.#nodes[node].at.some(at => nodeParent[at] !== rootNode);
	}

	groupOf(node: number): number {
		return this.#nodes[node].group;
	}

	keyOf(node: number): string {
		// From the root that it stands for, or the last that has a number, up to it: stacks may be deep.
		const unknown: Callers[] = [];
		let known = this.#nodes[node];
		for (; known.path === 0 && known.callee >= 0; known = this.#nodes[known.callee]) {
			unknown.push(known);
		}

		let {path} = known;
		for (const callers of unknown.reverse()) {
			path = this.#paths.numberOf(path, callers.group);
			callers.path = path;
		}

		return `u${path}`;
	}

	self(node: number): Weight {
		return this.#nodes[node].isRoot ? this.#nodes[node] : noWeight;
	}

	total(node: number): Weight {
		return this.#nodes[node];
	}

	states(node: number): StateTicks {
		const ticks = noTicks();
		const open = [...this.#nodes[node].sums];
		for (let sums = open.pop(); sums; sums = open.pop()) {
			for (const [state, count] of (sums.states ?? []).entries()) {
				ticks[state] += count;
			}

			for (const part of sums.of ?? []) {
				open.push(part);
			}
		}

		return ticks;
	}

	viaOf(node: number): Place | undefined {
		const {isRoot, group} = this.#nodes[node];
		return isRoot ? this.#viaOfRoot?.(group) : undefined;
	}

	#makeChildren(node: number, areRoots: boolean): number[] {
		const {at, sums} = this.#nodes[node];
		const {nodeParent, nodeFrame} = this.#dictionary;
		const {groupOfFrame} = this.#grouping;
		if (at.length === 1) {
			const caller = areRoots ? at[0] : nodeParent[at[0]];
			return caller === rootNode || isEmpty(sums[0]) ? [] : [this.#nodes.push(callersOfOne(groupOfFrame[nodeFrame[caller]], node, areRoots, caller, sums[0])) - 1];
		}

		const ofGroup = new Map<number, number>();
		/** By caller: where it stands in its node's list. */
		const placeOf = new Map<number, number>();
		for (const [index, callee] of at.entries()) {
			const caller = areRoots ? callee : nodeParent[callee];
			const part = sums[index];
			if (caller === rootNode || isEmpty(part)) {
				continue;
			}

			const group = groupOfFrame[nodeFrame[caller]];
			let child = ofGroup.get(group);
			if (child === undefined) {
				child = this.#nodes.push(newCallers(group, node, areRoots)) - 1;
				ofGroup.set(group, child);
			}

			const callers = this.#nodes[child];
			callers.ticks += part.ticks;
			callers.cpuNs += part.cpuNs;
			const place = placeOf.get(caller);
			if (place === undefined) {
				placeOf.set(caller, callers.at.push(caller) - 1);
				callers.sums.push(part);
			} else {
				callers.sums[place] = together(callers.sums[place], part);
			}
		}

		return [...ofGroup.values()];
	}
}

function newCallers(group: number, callee: number, isRoot: boolean): Callers {
	return {
		group, callee, isRoot, at: [], sums: [], ticks: 0, cpuNs: 0, path: 0,
	};
}

function callersOfOne(group: number, callee: number, isRoot: boolean, at: number, sums: Sums): Callers {
	return {
		group, callee, isRoot, at: [at], sums: [sums], ticks: sums.ticks, cpuNs: sums.cpuNs, path: 0,
	};
}

function isEmpty({ticks, cpuNs}: Sums): boolean {
	return ticks === 0 && cpuNs === 0;
}

/** The sum of two; of the first of these there is no other use. */
function together(sum: Sums, part: Sums): Sums {
	return {
		ticks: sum.ticks + part.ticks, cpuNs: sum.cpuNs + part.cpuNs, states: undefined, of: [sum, part],
	};
}

/** Of each state. */
function noTicks(): number[] {
	const ticks: number[] = [];
	for (let state = 0; state < stateCount; state++) {
		ticks.push(0);
	}

	return ticks;
}
