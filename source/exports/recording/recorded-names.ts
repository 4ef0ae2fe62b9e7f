import type {Printable} from '../../util/printable.js';
import {bounds} from '../../model/saved-values.js';
import type {Dictionary} from '../../model/snapshot.js';
import {VarintReader} from '../../util/varints.js';
import {depthsOf, maxNameCharacters, maxNodes, maxOwnFrames, maxStrings, tooMany} from '../common/limits.js';

const [minLine, maxLine] = bounds.line({strings: 0, frames: 0, nodes: 0, threads: 0});

/** Collects the dictionary of a recording from its blocks, which are untrusted. */
export class ReadNames {
	/** Number of frames of a stack, by its node; empty until `dictionary` is called. */
	depths: Int32Array = new Int32Array();
	readonly #strings: Printable[] = [];
	/** Class, method, file, line. */
	readonly #frames: readonly number[][] = [[], [], [], []];
	/** Parent, frame. */
	readonly #nodes: readonly number[][] = [[], []];

	/** Adds the new names; returns false if names before them are missing. Throws RangeError. */
	take(names: Uint8Array): boolean {
		const from = new VarintReader(names, maxNameCharacters);
		const [classes, methods, files, lines] = this.#frames;
		const [parents, frames] = this.#nodes;
		// Adds the new entries of one kind to the `count` earlier ones; returns false if some in between are missing.
		const takeKind = (count: number, most: number, plural: string, read: (id: number) => void) => {
			const first = from.number();
			const end = first + from.number();
			if (end > most) {
				throw tooMany(most, plural);
			}

			const isKnown = first <= count;
			if (isKnown) {
				for (let id = first; id < end; id++) {
					read(id);
				}
			}

			return isKnown;
		};

		return takeKind(this.#strings.length, maxStrings, 'names', id => {
			this.#strings[id] = from.text();
		}) && takeKind(classes.length, maxOwnFrames, 'frames', id => {
			for (const names of [classes, methods, files]) {
				names[id] = from.below(this.#strings.length);
			}

			lines[id] = Math.max(minLine, Math.min(maxLine, from.signed()));
		}) && takeKind(parents.length, maxNodes, 'distinct stacks', id => {
			parents[id] = from.below(Math.max(1, id));
			frames[id] = from.below(classes.length);
		});
	}

	/** Returns the dictionary. Throws RangeError if it is incomplete or too large. */
	dictionary(): Dictionary {
		const [frameClass, frameMethod, frameFile, frameLine] = this.#frames.map(column => Int32Array.from(column));
		const [nodeParent, nodeFrame] = this.#nodes.map(column => Int32Array.from(column));
		const dictionary = {
			strings: this.#strings,
			frameCount: frameClass.length,
			frameClass,
			frameMethod,
			frameFile,
			frameLine,
			nodeCount: nodeParent.length,
			nodeParent,
			nodeFrame,
		};
		this.depths = depthsOf(dictionary);
		return dictionary;
	}
}
