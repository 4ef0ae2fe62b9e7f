import {rootNode} from '../../model/frame.js';
import type {Dictionary} from '../../model/snapshot.js';
import type {FilterRow, RowFilter, RowTerm} from '../filter/filter.js';
import {placeName} from './place.js';
import type {Grouping} from './stack-index.js';

/** Terms that there are bits for; a filter of more is not typed by people, and the rest of it does not count. */
const maxTerms = 30;

/**
A filter asked of stacks: a word may be in any of their frames. What a frame has is looked at once for each place, and
of a whole stack once for each node, as stacks share their callers.
*/
export class StackFilter {
	readonly #terms: readonly RowTerm[];
	readonly #dictionary: Dictionary;
	readonly #groupOfFrame: Int32Array;
	/** By place, and by node for all frames from it to the root: bit i where term i's text fits. */
	readonly #ofPlace: Int32Array;
	readonly #ofNode: Int32Array;

	constructor({terms = []}: RowFilter, dictionary: Dictionary, {places, groupOfFrame}: Pick<Grouping, 'places' | 'groupOfFrame'>) {
		this.#terms = terms.slice(0, maxTerms);
		this.#dictionary = dictionary;
		this.#groupOfFrame = groupOfFrame;
		this.#ofPlace = new Int32Array(this.isEmpty ? 0 : places.length);
		this.#ofNode = new Int32Array(this.isEmpty ? 0 : dictionary.nodeCount);
		if (!this.isEmpty) {
			this.#look(places.map(place => placeName(place)));
		}
	}

	/** Whether every stack passes. */
	get isEmpty(): boolean {
		return this.#terms.length === 0;
	}

	/**
	Whether the stack of `depth` frames from a node passes, whose row has these figures (asked for where a term does).
	*/
	passes(node: number, depth: number, figures: () => Omit<FilterRow, 'text'>): boolean {
		const bits = Number.isFinite(depth) ? this.#bitsOfTop(node, depth) : this.#ofNode[node];
		return this.#terms.every(({isNegated, hasFigures, figures: fit}, term) => (((bits >> term) & 1) === 1 || (hasFigures && fit(figures()))) !== isNegated);
	}

	#look(names: readonly string[]): void {
		for (let place = 1; place < names.length; place++) {
			for (const [term, {text}] of this.#terms.entries()) {
				this.#ofPlace[place] |= text(names[place]) ? 1 << term : 0;
			}
		}

		// Callers have smaller ids than their callees.
		const {nodeCount, nodeParent, nodeFrame} = this.#dictionary;
		for (let node = rootNode + 1; node < nodeCount; node++) {
			this.#ofNode[node] = this.#ofNode[nodeParent[node]] | this.#ofPlace[this.#groupOfFrame[nodeFrame[node]]];
		}
	}

	#bitsOfTop(from: number, depth: number): number {
		const {nodeParent, nodeFrame} = this.#dictionary;
		let bits = 0;
		for (let node = from, left = depth; node !== rootNode && left > 0; node = nodeParent[node], left--) {
			bits |= this.#ofPlace[this.#groupOfFrame[nodeFrame[node]]];
		}

		return bits;
	}
}
