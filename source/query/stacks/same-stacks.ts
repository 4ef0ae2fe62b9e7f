import {rootNode} from '../../model/frame.js';
import type {Dictionary} from '../../model/snapshot.js';
import type {Grouping} from '../counters/stack-index.js';

/** 2^32 divided by the golden ratio, as a signed number. */
const goldenRatio = -1_640_531_527;

/**
Numbers for stacks, from 1 on, the same for those whose first `depth` frames from the top are of the same places; the
empty stack has none. Infinity compares whole stacks.
*/
export class SameStacks {
	/** By number: the node of the first stack that has it. */
	readonly firstNode: number[] = [rootNode];
	readonly #dictionary: Dictionary;
	readonly #groupOfFrame: Int32Array;
	readonly #depth: number;
	readonly #numberOfNode: Int32Array;
	/** By the hash of the frames: the number that was given last, and by number the one before with the same hash. */
	readonly #lastOfHash = new Map<number, number>();
	readonly #before: number[] = [0];

	constructor(dictionary: Dictionary, {groupOfFrame}: Pick<Grouping, 'groupOfFrame'>, depth: number) {
		this.#dictionary = dictionary;
		this.#groupOfFrame = groupOfFrame;
		this.#depth = depth;
		this.#numberOfNode = new Int32Array(dictionary.nodeCount);
	}

	/** The number of a node's stack; 0 for the empty one. */
	numberOf(node: number): number {
		if (node !== rootNode && this.#numberOfNode[node] === 0) {
			this.#numberOfNode[node] = Number.isFinite(this.#depth) ? this.#find(node) : this.firstNode.push(node) - 1;
		}

		return this.#numberOfNode[node];
	}

	#find(node: number): number {
		const hash = this.#hashOf(node);
		const last = this.#lastOfHash.get(hash) ?? 0;
		for (let number = last; number > 0; number = this.#before[number]) {
			if (this.#isSame(this.firstNode[number], node)) {
				return number;
			}
		}

		const number = this.firstNode.push(node) - 1;
		this.#before.push(last);
		this.#lastOfHash.set(hash, number);
		return number;
	}

	#hashOf(from: number): number {
		const {nodeParent, nodeFrame} = this.#dictionary;
		let hash = 0;
		for (let node = from, left = this.#depth; node !== rootNode && left > 0; node = nodeParent[node], left--) {
			hash = Math.imul(hash ^ this.#groupOfFrame[nodeFrame[node]], goldenRatio);
			hash ^= hash >>> 15;
		}

		return hash;
	}

	#isSame(a: number, b: number): boolean {
		const {nodeParent, nodeFrame} = this.#dictionary;
		for (let left = this.#depth; left > 0 && a !== b; left--) {
			if (a === rootNode || b === rootNode || this.#groupOfFrame[nodeFrame[a]] !== this.#groupOfFrame[nodeFrame[b]]) {
				return false;
			}

			[a, b] = [nodeParent[a], nodeParent[b]];
		}

		return true;
	}
}
