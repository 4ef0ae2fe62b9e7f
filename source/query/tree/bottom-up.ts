import {rootNode} from '../../model/frame.js';
import type {Dictionary, Facts} from '../../model/snapshot.js';
import {viaOfBuckets} from '../facts/left-out.js';
import type {Scope} from '../facts/scope.js';
import {stackIndex, type Grouping} from '../facts/stack-index.js';
import type {Place, StateTicks} from '../types.js';
import type {Paths} from './paths.js';
import type {PathTree, Weight} from './path-tree.js';
import {SumsAtNodes} from './sums-at-nodes.js';

/** Where samples of several stacks have come to: nodes of the dictionary, and what stands at each. */
type Places = {readonly at: number[]; readonly sums: number[]; ticks: number; cpuNs: number};

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

/**
From the lines that samples count for to their callers. Only what is asked for is made. A node is how far up its samples
are. Most have come to one place: a caller's samples are then its callee's, and their sums are the same.
*/
export class BottomUp implements PathTree {
	readonly #dictionary: Dictionary;
	readonly #grouping: Grouping;
	readonly #paths: Paths;
	readonly #beginsWithCallers: boolean;
	readonly #sums: SumsAtNodes;
	readonly #group: number[] = [0];
	/** By node: the node that it calls, -1 for none; 0 is below the roots. */
	readonly #callee: number[] = [-1];
	/** By node: its number among paths, 0 until somebody asks. */
	readonly #path: number[] = [0];
	/** By node: its place, the node of the dictionary and its sum; of several, -1 and their number in `#several`. */
	readonly #at: number[] = [-1];
	readonly #sumAt: number[] = [0];
	readonly #several: Places[];
	/** By node with one place: its child, 0 until somebody asks, and -1 for none. */
	readonly #child: number[] = [0];
	/** By node with several: its children once somebody has asked. */
	readonly #children = new Map<number, readonly number[]>();
	/** By group, and by node of the dictionary, while children are made: one more than where it stands, else 0. */
	readonly #childOf: Int32Array;
	readonly #placeOf: Int32Array;
	readonly #viaOfRoot: ((group: number) => Place | undefined) | undefined;

	constructor(facts: Facts, dictionary: Dictionary, {
		grouping, paths, startOf, ends, beginsWithCallers = false, countsStates = false,
	}: Upwards, scope: Pick<Scope, 'countedMask' | 'unit'>, isKept: (node: number) => boolean) {
		this.#dictionary = dictionary;
		this.#grouping = grouping;
		this.#paths = paths;
		this.#beginsWithCallers = beginsWithCallers;
		this.#sums = new SumsAtNodes(countsStates);
		this.#childOf = new Int32Array(grouping.places.length);
		this.#placeOf = new Int32Array(dictionary.nodeCount);
		const {attributed} = stackIndex(dictionary);
		const {countedMask} = scope;
		// Those without a row are of group 0, as nothing else is.
		const groupOfFact = new Int32Array(ends ? facts.count : 0);
		const all = noPlaces();
		this.#several = [all];
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

			if (this.#placeOf[start] === 0) {
				all.at.push(start);
				this.#placeOf[start] = all.sums.push(this.#sums.start());
			}

			this.#sums.add(all.sums[this.#placeOf[start] - 1], facts, fact, (countedMask & (1 << facts.state[fact])) !== 0);
		}

		for (const [index, sum] of all.sums.entries()) {
			all.ticks += this.#sums.ticks(sum);
			all.cpuNs += this.#sums.cpuNs(sum);
			this.#placeOf[all.at[index]] = 0;
		}

		this.#viaOfRoot = ends && viaOfBuckets(dictionary, {
			facts, ends, bucketOfFact: groupOfFact, buckets: grouping.places.length,
		}, scope);
	}

	childrenOf(node: number): readonly number[] {
		if (this.#at[node] >= 0) {
			const child = this.#callerOfOne(node);
			return child < 0 ? [] : [child];
		}

		const children = this.#children.get(node) ?? this.#callersOfSeveral(node, this.#areRoots(node));
		this.#children.set(node, children);
		return children;
	}

	hasChildren(node: number): boolean {
		const {nodeParent} = this.#dictionary;
		const at = this.#at[node];
		return at < 0 ? this.#several[this.#sumAt[node]].at.some(place => nodeParent[place] !== rootNode) : nodeParent[at] !== rootNode;
	}

	groupOf(node: number): number {
		return this.#group[node];
	}

	keyOf(node: number): string {
		// From the root that it stands for, or the last that has a number, up to it: stacks may be deep.
		const unknown: number[] = [];
		let known = node;
		for (; this.#path[known] === 0 && this.#callee[known] >= 0; known = this.#callee[known]) {
			unknown.push(known);
		}

		let path = this.#path[known];
		for (const callers of unknown.reverse()) {
			path = this.#paths.numberOf(path, this.#group[callers]);
			this.#path[callers] = path;
		}

		return `u${path}`;
	}

	self(node: number): Weight {
		return this.#isRoot(node) ? this.total(node) : noWeight;
	}

	total(node: number): Weight {
		const sum = this.#sumAt[node];
		return this.#at[node] < 0 ? this.#several[sum] : {ticks: this.#sums.ticks(sum), cpuNs: this.#sums.cpuNs(sum)};
	}

	states(node: number): StateTicks {
		return this.#sums.states(this.#at[node] < 0 ? this.#several[this.#sumAt[node]].sums : [this.#sumAt[node]]);
	}

	viaOf(node: number): Place | undefined {
		return this.#isRoot(node) ? this.#viaOfRoot?.(this.#group[node]) : undefined;
	}

	/** Whether the children of a node are where samples begin. */
	#areRoots(node: number): boolean {
		return node === 0 && !this.#beginsWithCallers;
	}

	#isRoot(node: number): boolean {
		return this.#callee[node] >= 0 && this.#areRoots(this.#callee[node]);
	}

	#add(group: number, callee: number, at: number, sum: number): number {
		this.#group.push(group);
		this.#callee.push(callee);
		this.#path.push(0);
		this.#at.push(at);
		this.#child.push(0);
		return this.#sumAt.push(sum) - 1;
	}

	#callerOfOne(node: number): number {
		if (this.#child[node] === 0) {
			const caller = this.#dictionary.nodeParent[this.#at[node]];
			this.#child[node] = caller === rootNode ? -1 : this.#add(this.#groupAt(caller), node, caller, this.#sumAt[node]);
		}

		return this.#child[node];
	}

	#callersOfSeveral(node: number, areRoots: boolean): readonly number[] {
		const {at, sums} = this.#several[this.#sumAt[node]];
		const {nodeParent} = this.#dictionary;
		const children: Places[] = [];
		const groups: number[] = [];
		for (const [index, callee] of at.entries()) {
			const caller = areRoots ? callee : nodeParent[callee];
			if (caller === rootNode || this.#sums.isEmpty(sums[index])) {
				continue;
			}

			const group = this.#groupAt(caller);
			if (this.#childOf[group] === 0) {
				this.#childOf[group] = groups.push(group);
				children.push(noPlaces());
			}

			this.#addPlace(children[this.#childOf[group] - 1], caller, sums[index]);
		}

		return children.map((child, index) => {
			this.#childOf[groups[index]] = 0;
			for (const place of child.at) {
				this.#placeOf[place] = 0;
			}

			return child.at.length === 1
				? this.#add(groups[index], node, child.at[0], child.sums[0])
				: this.#add(groups[index], node, -1, this.#several.push(child) - 1);
		});
	}

	/** A caller has a sum of its callees' there. */
	#addPlace(places: Places, caller: number, sum: number): void {
		const known = this.#placeOf[caller];
		places.ticks += this.#sums.ticks(sum);
		places.cpuNs += this.#sums.cpuNs(sum);
		if (known === 0) {
			places.at.push(caller);
			this.#placeOf[caller] = places.sums.push(sum);
		} else {
			places.sums[known - 1] = this.#sums.together(places.sums[known - 1], sum);
		}
	}

	#groupAt(node: number): number {
		return this.#grouping.groupOfFrame[this.#dictionary.nodeFrame[node]];
	}
}

function noPlaces(): Places {
	return {
		at: [], sums: [], ticks: 0, cpuNs: 0,
	};
}
