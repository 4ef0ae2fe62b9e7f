import {rootNode} from '../../model/frame.js';
import type {Dictionary} from '../../model/snapshot.js';
import {TupleIndex} from '../../model/tuple-index.js';
import {stackIndex, type Grouping} from '../counters/stack-index.js';
import type {GroupBy} from '../types/rows.js';

/**
Numbers for paths of places, from 1 on: a path and one more place make another path. The same in all snapshots of a
session, so that rows keep their keys. 0 is the empty path; a path's number is greater than that of its beginning.
*/
export class Paths {
	readonly #index = new TupleIndex(2);

	/** The path that goes on from `path` with a place (its group). */
	numberOf(path: number, group: number): number {
		this.#index.key[0] = path;
		this.#index.key[1] = group;
		return this.#index.intern() + 1;
	}

	/** How many there are, the empty one too. */
	get count(): number {
		return this.#index.size + 1;
	}

	/** The path without its last place, and that place. */
	parentOf(path: number): number {
		return this.#index.get(path - 1, 0);
	}

	groupOf(path: number): number {
		return this.#index.get(path - 1, 1);
	}
}

/** Which path each stack takes, by its node; 0 for stacks that are looked at from no path. */
export type PathOfNode = {readonly paths: Paths; readonly pathOf: Int32Array};

/** The paths from threads' roots that stacks take, seen as lines, methods or classes. */
class StackPaths implements PathOfNode {
	readonly paths = new Paths();
	/** By node: its path. */
	pathOf = new Int32Array(1);
	#nodeCount = 1;

	/** Adds what is new in the dictionary. */
	update({nodeCount, nodeParent, nodeFrame}: Dictionary, {groupOfFrame}: Grouping): void {
		if (nodeCount > this.pathOf.length) {
			const longer = new Int32Array(Math.max(nodeCount, this.pathOf.length * 2));
			longer.set(this.pathOf);
			this.pathOf = longer;
		}

		// Callers have smaller ids than their callees.
		for (let node = Math.max(this.#nodeCount, rootNode + 1); node < nodeCount; node++) {
			this.pathOf[node] = this.paths.numberOf(this.pathOf[nodeParent[node]], groupOfFrame[nodeFrame[node]]);
		}

		this.#nodeCount = Math.max(this.#nodeCount, nodeCount);
	}
}

type SessionPaths = {readonly down: Map<GroupBy, StackPaths>; readonly up: Map<GroupBy, Paths>};

/** By the strings of a session, see `stackIndex`. */
const sessions = new WeakMap<readonly string[], SessionPaths>();

function pathsOf({strings}: Dictionary): SessionPaths {
	let paths = sessions.get(strings);
	if (!paths) {
		paths = {down: new Map(), up: new Map()};
		sessions.set(strings, paths);
	}

	return paths;
}

/** The session's paths from threads' roots, up to those of this dictionary. */
export function stackPaths(dictionary: Dictionary, by: GroupBy): StackPaths {
	const {down} = pathsOf(dictionary);
	const paths = down.get(by) ?? new StackPaths();
	down.set(by, paths);
	paths.update(dictionary, stackIndex(dictionary).grouping(by));
	return paths;
}

/** The session's paths from hot lines, of rows that were looked at. */
export function callerPaths(dictionary: Dictionary, by: GroupBy): Paths {
	const {up} = pathsOf(dictionary);
	const paths = up.get(by) ?? new Paths();
	up.set(by, paths);
	return paths;
}
