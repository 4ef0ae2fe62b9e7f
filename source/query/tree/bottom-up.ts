import {rootNode} from '../../model/frame.js';
import type {Dictionary, Counters} from '../../model/snapshot.js';
import {viaOfBuckets} from '../counters/attribution.js';
import type {Scope} from '../counters/scope.js';
import {stackIndex, type Grouping} from '../counters/stack-index.js';
import type {Location, StateTicks} from '../types/rows.js';
import type {Paths} from './paths.js';
import type {PathTree, Weight} from './path-tree.js';
import {SumsAtNodes} from './sums-at-nodes.js';

/** Where samples of several stacks have come to: nodes of the dictionary, and what stands at each. */
type Places = {readonly at: number[]; readonly sums: number[]; ticks: number; cpuNs: number};

/** Where paths begin, and how they are numbered. */
type Upwards = {
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
are. Most have come to one place: a caller's samples are then its callee's, and so on up to the thread's root. Such a run
of callers has numbers in single file, and nothing is kept of it but where it begins.
*/
export class BottomUp implements PathTree {
	readonly #dictionary: Dictionary;
	readonly #grouping: Grouping;
	readonly #paths: Paths;
	readonly #beginsWithCallers: boolean;
	readonly #sums: SumsAtNodes;
	/** Numbers that a run has; a node that has come to several places is a run of its own. */
	readonly #stride: number;
	/** By run: the node that the first calls, -1 for none; 0 is below the roots. */
	readonly #callee: number[] = [];
	/** By run: the first's group. */
	readonly #group: number[] = [];
	/** By run: the first's place, the node of the dictionary and its sum; of several, -1 and their number in `#several`. */
	readonly #at: number[] = [];
	readonly #sumAt: number[] = [];
	readonly #several: Places[];
	/** The node that was asked for last, of those that are not the first of their runs, and where it is. */
	#walked = 0;
	#walkedTo = rootNode;
	/** By node: its number among paths once somebody has asked, and its children if they are not the next in its run. */
	readonly #path = new Map<number, number>([[0, 0]]);
	readonly #children = new Map<number, readonly number[]>();
	/** By group: the root. */
	#roots: Map<number, number> | undefined;
	/** By node of the dictionary: how many are on its way to the root, with it. */
	readonly #depth: Int32Array;
	/** By group, and by node of the dictionary, while children are made: one more than where it stands, else 0. */
	readonly #childOf: Int32Array;
	readonly #placeOf: Int32Array;
	readonly #viaOfRoot: ((group: number) => Location | undefined) | undefined;

	constructor(counters: Counters, dictionary: Dictionary, {
		grouping, paths, startOf, ends, beginsWithCallers = false, countsStates = false,
	}: Upwards, scope: Pick<Scope, 'countedMask' | 'unit'>, isKept: (node: number) => boolean) {
		this.#dictionary = dictionary;
		this.#grouping = grouping;
		this.#paths = paths;
		this.#beginsWithCallers = beginsWithCallers;
		this.#sums = new SumsAtNodes(countsStates);
		this.#childOf = new Int32Array(grouping.locations.length);
		this.#placeOf = new Int32Array(dictionary.nodeCount);
		this.#depth = depthsOf(dictionary);
		this.#stride = greatest(this.#depth, 1);
		const {attributed} = stackIndex(dictionary);
		const {countedMask} = scope;
		// Those without a row are of group 0, as nothing else is.
		const groupOfCounter = new Int32Array(ends ? counters.count : 0);
		const all = noPlaces();
		this.#several = [all];
		this.#add(0, -1, -1, 0);
		for (let counter = 0; counter < counters.count; counter++) {
			const node = counters.node[counter];
			if (node === rootNode || !isKept(node)) {
				continue;
			}

			// Attribution is that of the stack as it is taken: the own line, or the first that has one.
			const start = startOf ? startOf(node) : attributed[ends ? ends[node] : node];
			if (ends) {
				groupOfCounter[counter] = grouping.groupOfFrame[dictionary.nodeFrame[start]];
			}

			if (this.#placeOf[start] === 0) {
				all.at.push(start);
				this.#placeOf[start] = all.sums.push(this.#sums.start());
			}

			this.#sums.add(all.sums[this.#placeOf[start] - 1], counters, counter, (countedMask & (1 << counters.state[counter])) !== 0);
		}

		for (const [index, sum] of all.sums.entries()) {
			all.ticks += this.#sums.ticks(sum);
			all.cpuNs += this.#sums.cpuNs(sum);
			this.#placeOf[all.at[index]] = 0;
		}

		this.#viaOfRoot = ends && viaOfBuckets(dictionary, {
			counters, ends, bucketOfCounter: groupOfCounter, buckets: grouping.locations.length,
		}, scope);
	}

	childrenOf(node: number): readonly number[] {
		const run = this.#runOf(node);
		if (this.#at[run] >= 0) {
			return node < this.#lastOf(run) ? [node + 1] : [];
		}

		const children = this.#children.get(node) ?? this.#callersOfSeveral(node, this.#areRoots(node));
		this.#children.set(node, children);
		return children;
	}

	hasChildren(node: number): boolean {
		const {nodeParent} = this.#dictionary;
		const run = this.#runOf(node);
		return this.#at[run] < 0 ? this.#several[this.#sumAt[run]].at.some(location => nodeParent[location] !== rootNode) : node < this.#lastOf(run);
	}

	endOfFile(node: number): number {
		return this.#lastOf(this.#runOf(node));
	}

	groupOf(node: number): number {
		const run = this.#runOf(node);
		return node === run * this.#stride ? this.#group[run] : this.#groupAt(this.#walkTo(node));
	}

	keyOf(node: number): string {
		// From the root that it stands for, or the last that has a number, up to it: stacks may be deep.
		const unknown: number[] = [];
		let known = node;
		for (; !this.#path.has(known); known = this.#calleeOf(known)) {
			unknown.push(known);
		}

		let path = this.#path.get(known)!;
		for (const callers of unknown.reverse()) {
			path = this.#paths.numberOf(path, this.groupOf(callers));
			this.#path.set(callers, path);
		}

		return `u${path}`;
	}

	nodeOf(key: string): number | undefined {
		let path = /^u\d+$/.test(key) ? Number(key.slice(1)) : Infinity;
		if (path >= this.#paths.count) {
			return undefined;
		}

		const groups: number[] = [];
		for (; path > 0; path = this.#paths.parentOf(path)) {
			groups.push(this.#paths.groupOf(path));
		}

		let node: number | undefined = 0;
		for (let group = groups.pop(); group !== undefined && node !== undefined; group = groups.pop()) {
			node = this.#childWith(group, node);
		}

		return node;
	}

	self(node: number): Weight {
		return this.#isRoot(node) ? this.total(node) : noWeight;
	}

	total(node: number): Weight {
		const run = this.#runOf(node);
		const sum = this.#sumAt[run];
		return this.#at[run] < 0 ? this.#several[sum] : {ticks: this.#sums.ticks(sum), cpuNs: this.#sums.cpuNs(sum)};
	}

	states(node: number): StateTicks {
		const run = this.#runOf(node);
		const sum = this.#sumAt[run];
		return this.#sums.states(this.#at[run] < 0 ? this.#several[sum].sums : [sum]);
	}

	viaOf(node: number): Location | undefined {
		return this.#isRoot(node) ? this.#viaOfRoot?.(this.groupOf(node)) : undefined;
	}

	/** Whether the children of a node are where samples begin. */
	#areRoots(node: number): boolean {
		return node === 0 && !this.#beginsWithCallers;
	}

	#isRoot(node: number): boolean {
		return node !== 0 && this.#calleeOf(node) === 0 && !this.#beginsWithCallers;
	}

	#calleeOf(node: number): number {
		const run = this.#runOf(node);
		return node === run * this.#stride ? this.#callee[run] : node - 1;
	}

	#childWith(group: number, node: number): number | undefined {
		if (node !== 0) {
			return this.childrenOf(node).find(child => this.groupOf(child) === group);
		}

		this.#roots ??= new Map(this.childrenOf(0).map(root => [this.groupOf(root), root]));
		return this.#roots.get(group);
	}

	/** Adds a run. Its first node is returned. */
	#add(group: number, callee: number, at: number, sum: number): number {
		this.#group.push(group);
		this.#callee.push(callee);
		this.#at.push(at);
		return (this.#sumAt.push(sum) - 1) * this.#stride;
	}

	#lastOf(run: number): number {
		return (run * this.#stride) + (this.#at[run] < 0 ? 0 : this.#depth[this.#at[run]] - 1);
	}

	#runOf(node: number): number {
		return Math.floor(node / this.#stride);
	}

	/** Where the samples of a node in a run of callers are; those of the next one are a step further. */
	#walkTo(node: number): number {
		const run = this.#runOf(node);
		if (this.#walked > node || this.#runOf(this.#walked) !== run) {
			this.#walked = run * this.#stride;
			this.#walkedTo = this.#at[run];
		}

		for (; this.#walked < node; this.#walked++) {
			this.#walkedTo = this.#dictionary.nodeParent[this.#walkedTo];
		}

		return this.#walkedTo;
	}

	#callersOfSeveral(node: number, areRoots: boolean): readonly number[] {
		const {at, sums} = this.#several[this.#sumAt[this.#runOf(node)]];
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
			for (const location of child.at) {
				this.#placeOf[location] = 0;
			}

			return child.at.length === 1
				? this.#add(groups[index], node, child.at[0], child.sums[0])
				: this.#add(groups[index], node, -1, this.#several.push(child) - 1);
		});
	}

	/** A caller has a sum of its callees' there. */
	#addPlace(locations: Places, caller: number, sum: number): void {
		const known = this.#placeOf[caller];
		locations.ticks += this.#sums.ticks(sum);
		locations.cpuNs += this.#sums.cpuNs(sum);
		if (known === 0) {
			locations.at.push(caller);
			this.#placeOf[caller] = locations.sums.push(sum);
		} else {
			locations.sums[known - 1] = this.#sums.together(locations.sums[known - 1], sum);
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

function greatest(numbers: Int32Array, least: number): number {
	let most = least;
	for (const number of numbers) {
		most = Math.max(most, number);
	}

	return most;
}

function depthsOf({nodeCount, nodeParent}: Dictionary): Int32Array {
	const depths = new Int32Array(nodeCount);
	// Callers have smaller ids than their callees.
	for (let node = rootNode + 1; node < nodeCount; node++) {
		depths[node] = depths[nodeParent[node]] + 1;
	}

	return depths;
}
