import {rootNode} from '../../model/frame.js';
import type {Dictionary} from '../../model/snapshot.js';
import type {RowFilter, RowTerm} from '../filter/filter.js';
import type {Location} from '../types/query.js';
import {locationName} from './location.js';
import type {Grouping} from './stack-index.js';

/** Terms that there are bits for; a filter of more is not typed by people, and the rest of it does not count. */
const maxTerms = 30;

/** A filter asked of stacks: a word may be in any of their frames. Looked up once for each location and node. */
export class StackFilter {
	readonly #terms: readonly RowTerm[];
	readonly #dictionary: Dictionary;
	readonly #groupOfFrame: Int32Array;
	/** By place, and by node for all frames from it to the root: bit i where term i's text fits. */
	readonly #ofLocation: Int32Array;
	readonly #ofNode: Int32Array;

	constructor({terms = []}: RowFilter, dictionary: Dictionary, {locations, groupOfFrame}: Pick<Grouping, 'locations' | 'groupOfFrame'>) {
		this.#terms = terms.slice(0, maxTerms);
		this.#dictionary = dictionary;
		this.#groupOfFrame = groupOfFrame;
		this.#ofLocation = new Int32Array(this.isEmpty ? 0 : locations.length);
		this.#ofNode = new Int32Array(this.isEmpty ? 0 : dictionary.nodeCount);
		if (!this.isEmpty) {
			this.#look(locations);
		}
	}

	/** Whether every stack passes. */
	get isEmpty(): boolean {
		return this.#terms.length === 0;
	}

	/** Whether the top `depth` frames from a node pass, with a row's figures; `besides`: terms that fit by other text. */
	passes(node: number, depth: number, figureOf: Parameters<RowTerm['figures']>[0], besides = 0): boolean {
		const bits = besides | (Number.isFinite(depth) ? this.#bitsOfTop(node, depth) : this.#ofNode[node]);
		return this.#terms.every(({isNegated, hasFigures, figures: fit}, term) => (((bits >> term) & 1) === 1 || (hasFigures && fit(figureOf))) !== isNegated);
	}

	/** Terms that ask for a text: bit i for term i. */
	get wanted(): number {
		let bits = 0;
		for (const [term, {isNegated, hasFigures}] of this.#terms.entries()) {
			bits |= isNegated || hasFigures ? 0 : 1 << term;
		}

		return bits;
	}

	/** Terms whose text fits a place, by its group: bit i for term i. */
	foundIn(group: number): number {
		return this.#ofLocation[group] ?? 0;
	}

	/** Terms whose text fits a location of any group: bit i for term i. */
	foundInName(location: Location): number {
		const name = locationName(location);
		let bits = 0;
		for (const [term, {text}] of this.#terms.entries()) {
			bits |= text(name) ? 1 << term : 0;
		}

		return bits;
	}

	/** The same of the frames of a stack from a node on to that of `end`, which is not one of them. */
	foundBetween(from: number, end: number): number {
		const {nodeParent, nodeFrame} = this.#dictionary;
		let bits = 0;
		for (let node = from; node !== rootNode && node !== end; node = nodeParent[node]) {
			bits |= this.foundIn(this.#groupOfFrame[nodeFrame[node]]);
		}

		return bits;
	}

	#look(locations: readonly Location[]): void {
		for (let location = 1; location < locations.length; location++) {
			this.#ofLocation[location] = this.foundInName(locations[location]);
		}

		// Callers have smaller ids than their callees.
		const {nodeCount, nodeParent, nodeFrame} = this.#dictionary;
		for (let node = rootNode + 1; node < nodeCount; node++) {
			this.#ofNode[node] = this.#ofNode[nodeParent[node]] | this.#ofLocation[this.#groupOfFrame[nodeFrame[node]]];
		}
	}

	#bitsOfTop(from: number, depth: number): number {
		const {nodeParent, nodeFrame} = this.#dictionary;
		let bits = 0;
		for (let node = from, left = depth; node !== rootNode && left > 0; node = nodeParent[node], left--) {
			bits |= this.#ofLocation[this.#groupOfFrame[nodeFrame[node]]];
		}

		return bits;
	}
}
