import {bounds} from '../../model/saved-values.js';
import type {Dictionary, Snapshot} from '../../model/snapshot.js';
import {VarintReader} from '../../model/varints.js';
import {
	checkStacks, depthsOf, maxNameCharacters, maxNodes, maxOwnFrames, tooMany,
} from '../pprof/limits.js';

/** Capacity of the table. */
const maxStrings = 65_536;

const [minLine, maxLine] = bounds.line({
	strings: 0, frames: 0, nodes: 0, threads: 0,
});

/** Collects the dictionary of a recording from its members, which are untrusted. */
export class ReadNames {
	readonly #strings: string[] = [];
	/** Class, method, file, line. */
	readonly #frames: readonly number[][] = [[], [], [], []];
	/** Parent, frame. */
	readonly #nodes: readonly number[][] = [[], []];
	/** By node: how many frames its stack has. */
	#depths: Int32Array = new Int32Array();

	/** Adds the new names; returns false if names before them are missing. Throws RangeError. */
	take(names: Uint8Array): boolean {
		const from = new VarintReader(names, maxNameCharacters);
		const [classes] = this.#frames;
		const [parents] = this.#nodes;
		const isWhole = (there: number, most: number, called: string, read: (id: number) => void) => {
			const first = from.number();
			const end = first + from.number();
			if (end > most) {
				throw tooMany(most, called);
			}

			const isKnown = first <= there;
			if (isKnown) {
				for (let id = first; id < end; id++) {
					read(id);
				}
			}

			return isKnown;
		};

		return isWhole(this.#strings.length, maxStrings, 'names', id => {
			put([this.#strings], id, [from.text()]);
		}) && isWhole(classes.length, maxOwnFrames, 'frames', id => {
			const ids = Array.from({length: 3}, () => from.below(this.#strings.length));
			put(this.#frames, id, [...ids, Math.max(minLine, Math.min(maxLine, from.signed()))]);
		}) && isWhole(parents.length, maxNodes, 'distinct stacks', id => {
			const [parent, frame] = [from.below(Math.max(1, id)), from.below(classes.length)];
			put(this.#nodes, id, [parent, frame]);
		});
	}

	/** Returns the dictionary. Throws RangeError if it is incomplete or too large. */
	dictionary(): Dictionary {
		const [frameClass, frameMethod, frameFile, frameLine] = this.#frames.map(column => Int32Array.from(column));
		const [nodeParent, nodeFrame] = this.#nodes.map(column => Int32Array.from(column));
		const dictionary = {
			strings: this.#strings, frameCount: frameClass.length, frameClass, frameMethod, frameFile, frameLine, nodeCount: nodeParent.length, nodeParent, nodeFrame,
		};
		this.#depths = depthsOf(dictionary);
		return dictionary;
	}

	/** Throws RangeError if the stacks of all counters have too many frames. */
	checkStacks({counters}: Snapshot): void {
		checkStacks(this.#depths, counters);
	}
}

/** Appends an entry to the columns if its id is new. */
function put<Value>(columns: readonly Value[][], id: number, values: readonly Value[]): void {
	if (columns[0].length === id) {
		for (const [index, column] of columns.entries()) {
			column.push(values[index]);
		}
	}
}
