import {rootNode} from '../../model/frame.js';
import type {Dictionary} from '../../model/snapshot.js';
import {TupleIndex} from '../../model/tuple-index.js';
import type {Grouping} from '../counters/stack-index.js';

/**
Numbers for stacks, from 1 on, the same for those whose first `depth` frames from the top are of the same places; the
empty stack has none. Infinity compares whole stacks.
*/
export class SameStacks {
	/** By number: the node of the first stack that has it. */
	readonly firstNode: number[] = [rootNode];
	readonly #numberOfNode: Int32Array;
	/** The paths of places from the top of a stack: that without the last place, and this; and by path the stack's number. */
	readonly #paths = new TupleIndex(2);
	readonly #numberOfPath = new Map<number, number>();

	constructor(readonly dictionary: Dictionary, readonly grouping: Pick<Grouping, 'groupOfFrame'>, readonly depth: number) {
		this.#numberOfNode = new Int32Array(dictionary.nodeCount);
	}

	/** The number of a node's stack; 0 for the empty one. */
	numberOf(node: number): number {
		if (node !== rootNode && this.#numberOfNode[node] === 0) {
			this.#numberOfNode[node] = this.#find(node);
		}

		return this.#numberOfNode[node];
	}

	#find(node: number): number {
		const path = Number.isFinite(this.depth) ? this.#pathOf(node) : undefined;
		const number = (path === undefined ? undefined : this.#numberOfPath.get(path)) ?? this.firstNode.push(node) - 1;
		if (path !== undefined) {
			this.#numberOfPath.set(path, number);
		}

		return number;
	}

	#pathOf(top: number): number {
		const {nodeParent, nodeFrame} = this.dictionary;
		let path = -1;
		for (let node = top, left = this.depth; node !== rootNode && left > 0; node = nodeParent[node], left--) {
			this.#paths.key[0] = path;
			this.#paths.key[1] = this.grouping.groupOfFrame[nodeFrame[node]];
			path = this.#paths.intern();
		}

		return path;
	}
}
