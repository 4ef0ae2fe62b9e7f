import {rootNode} from '../../model/frame.js';
import type {Dictionary} from '../../model/snapshot.js';
import {sumOf} from '../../util/sum.js';
import type {RowFilter, RowTerm} from '../filter/filter.js';
import type {Location} from '../types/query.js';
import {locationName} from './location.js';
import type {Grouping} from './stack-index.js';

/** Maximum number of terms, each a bit of an Int32; further ones are ignored. */
const maxTerms = 30;

/** Applies a filter to stacks: any frame may match a term. Matches each location and node only once. */
export class StackFilter {
	readonly #terms: readonly RowTerm[];
	readonly #dictionary: Dictionary;
	readonly #groupOfFrame: Int32Array;
	/** By location: bit i is set if the text of term i matches it. */
	readonly #bitsOfLocation: Int32Array;
	readonly #bitsOfStack: Int32Array;

	constructor(
		{terms = []}: RowFilter,
		dictionary: Dictionary,
		{locations, groupOfFrame}: Pick<Grouping, 'locations' | 'groupOfFrame'>,
	) {
		this.#terms = terms.slice(0, maxTerms);
		this.#dictionary = dictionary;
		this.#groupOfFrame = groupOfFrame;
		this.#bitsOfLocation = new Int32Array(this.isEmpty ? 0 : locations.length);
		this.#bitsOfStack = new Int32Array(this.isEmpty ? 0 : dictionary.nodeCount);
		if (!this.isEmpty) {
			this.#matchAll(locations);
		}
	}

	get isEmpty(): boolean {
		return this.#terms.length === 0;
	}

	/** Whether a row passes, by its figures, its innermost `depth` frames, and the bits of terms `found` elsewhere. */
	passes(node: number, depth: number, figureOf: Parameters<RowTerm['figures']>[0], found = 0): boolean {
		const bits = found | (Number.isFinite(depth) ? this.#bitsOfTop(node, depth) : this.#bitsOfStack[node]);
		return this.#terms.every(({isNegated, hasFigures, figures}, term) => {
			const isFound = ((bits >> term) & 1) === 1;
			return (isFound || (hasFigures && figures(figureOf))) !== isNegated;
		});
	}

	/** Bits of the terms that only a matching text satisfies. */
	get wanted(): number {
		return sumOf(
			this.#terms.entries(),
			([term, {isNegated, hasFigures}]) => isNegated || hasFigures ? 0 : 1 << term,
		);
	}

	/** Returns the bits of the terms whose text matches a group's location. */
	foundIn(group: number): number {
		return this.#bitsOfLocation[group] ?? 0;
	}

	/** Returns the bits of the terms whose text matches a location. */
	foundInName(location: Location): number {
		const name = locationName(location);
		return sumOf(this.#terms.entries(), ([term, {text}]) => text(name) ? 1 << term : 0);
	}

	/** Returns the bits of the terms whose text matches a frame between two nodes of a stack, `end` excluded. */
	foundBetween(from: number, end: number): number {
		const {nodeParent, nodeFrame} = this.#dictionary;
		let bits = 0;
		for (let node = from; node !== rootNode && node !== end; node = nodeParent[node]) {
			bits |= this.foundIn(this.#groupOfFrame[nodeFrame[node]]);
		}

		return bits;
	}

	#matchAll(locations: readonly Location[]): void {
		for (let location = 1; location < locations.length; location++) {
			this.#bitsOfLocation[location] = this.foundInName(locations[location]);
		}

		// Callers have smaller ids than their callees.
		const {nodeCount, nodeParent, nodeFrame} = this.#dictionary;
		for (let node = rootNode + 1; node < nodeCount; node++) {
			this.#bitsOfStack[node] = this.#bitsOfStack[nodeParent[node]]
				| this.#bitsOfLocation[this.#groupOfFrame[nodeFrame[node]]];
		}
	}

	#bitsOfTop(from: number, depth: number): number {
		const {nodeParent, nodeFrame} = this.#dictionary;
		let bits = 0;
		for (let node = from, left = depth; node !== rootNode && left > 0; node = nodeParent[node], left--) {
			bits |= this.#bitsOfLocation[this.#groupOfFrame[nodeFrame[node]]];
		}

		return bits;
	}
}
