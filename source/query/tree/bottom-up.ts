import {rootNode} from '../../model/frame.js';
import type {Dictionary, Facts} from '../../model/snapshot.js';
import type {Scope} from '../facts/scope.js';
import {stackIndex, type Grouping} from '../facts/stack-index.js';
import type {Paths} from './paths.js';
import type {PathTree, Weight} from './path-tree.js';

/** A node: how far up its samples are, by the node of the dictionary where they stand now. */
type Callers = {readonly path: number; readonly group: number; readonly isRoot: boolean; readonly weights: Map<number, {ticks: number; cpuNs: number}>; ticks: number; cpuNs: number};

const noWeight: Weight = Object.freeze({ticks: 0, cpuNs: 0});

/** From the lines that samples count for to their callers. Only what is asked for is made. */
export class BottomUp implements PathTree {
	readonly #dictionary: Dictionary;
	readonly #grouping: Grouping;
	readonly #paths: Paths;
	readonly #nodes: Callers[];
	readonly #children = new Map<number, readonly number[]>();

	constructor(facts: Facts, dictionary: Dictionary, {grouping, paths}: {readonly grouping: Grouping; readonly paths: Paths}, {countedMask}: Pick<Scope, 'countedMask'>, isKept: (node: number) => boolean) {
		this.#dictionary = dictionary;
		this.#grouping = grouping;
		this.#paths = paths;
		const {attributed} = stackIndex(dictionary);
		const all: Callers = {
			path: 0, group: 0, isRoot: false, weights: new Map(), ticks: 0, cpuNs: 0,
		};
		this.#nodes = [all];
		for (let fact = 0; fact < facts.count; fact++) {
			const node = facts.node[fact];
			if (node !== rootNode && isKept(node)) {
				add(all, attributed[node], (countedMask & (1 << facts.state[fact])) === 0 ? 0 : facts.ticks[fact], facts.cpuNs[fact]);
			}
		}
	}

	childrenOf(node: number): readonly number[] {
		let children = this.#children.get(node);
		if (!children) {
			children = this.#makeChildren(this.#nodes[node], node === 0);
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

	#makeChildren({path, weights}: Callers, areRoots: boolean): number[] {
		const {nodeParent, nodeFrame} = this.#dictionary;
		const ofGroup = new Map<number, number>();
		for (const [at, {ticks, cpuNs}] of weights) {
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

			add(this.#nodes[child], caller, ticks, cpuNs);
		}

		return [...ofGroup.values()];
	}
}

function add(node: Callers, at: number, ticks: number, cpuNs: number): void {
	node.ticks += ticks;
	node.cpuNs += cpuNs;
	const weight = node.weights.get(at);
	if (weight) {
		weight.ticks += ticks;
		weight.cpuNs += cpuNs;
	} else {
		node.weights.set(at, {ticks, cpuNs});
	}
}
