import type * as crypto from 'node:crypto';
import {createRequire} from 'node:module';
import {nativeCodeLine, nativeLine, rootNode} from '../../model/frame.js';
import type {Dictionary} from '../../model/snapshot.js';
import {TupleIndex} from '../../model/tuple-index.js';
import {ownLocation} from '../../query/counters/attribution.js';
import {locationName} from '../../query/counters/location.js';
import {framesOf, type Grouping} from '../../query/counters/stack-index.js';
import type {Location, Query} from '../../query/types/query.js';
import {CountedRow, type CountedFigures} from '../../query/counters/counted-row.js';
import {mostOf} from '../../query/locks/contention-by-location.js';

/** The sums that rows read their figures from, by the numbers of their stacks. */
export type CountedStacks = CountedFigures & {
	readonly stacks: StackNumbers;
	readonly ends: Int32Array | undefined;
	readonly app: Query['app'];
};

/** A row of the Stacks view: identical stacks. Its location is the innermost frame, with own code first of own code. */
export class StackHistogramRow extends CountedRow<CountedStacks> {
	readonly key: string;
	#fingerprint: string | undefined;

	constructor(bucket: number, counted: CountedStacks) {
		super(bucket, counted);
		this.key = String(this.node);
	}

	get node(): number {
		return this.counted.stacks.firstNode[this.bucket];
	}

	/** The frames compared, innermost first. */
	get frames(): readonly Location[] {
		const {dictionary, depth} = this.counted.stacks;
		return framesOf(dictionary, this.node, depth);
	}

	/** All frames; with own code first, those of the whole stack that most samples had. */
	get wholeFrames(): readonly Location[] {
		const {stacks: {dictionary}, ends, sums: {buckets, counters: {node, ticks}}} = this.counted;
		const ticksOfNode = new Map<number, number>();
		for (const counter of ends ? buckets.countersOf(this.bucket) : []) {
			ticksOfNode.set(node[counter], ticks[counter] + (ticksOfNode.get(node[counter]) ?? 0));
		}

		return framesOf(dictionary, mostOf(ticksOfNode)?.[0] ?? this.node);
	}

	/** Without own code first: the innermost line of own code on the stack, if that is not its top. */
	get own(): Location | undefined {
		const {stacks: {dictionary}, ends, app} = this.counted;
		return ends ? undefined : ownLocation(dictionary, this.node, {app});
	}

	get fingerprint(): string {
		this.#fingerprint ??= fingerprintOf(this.frames);
		return this.#fingerprint;
	}

	protected override get location(): Location {
		const {dictionary, grouping: {locations, groupOfFrame}} = this.counted.stacks;
		return locations[groupOfFrame[dictionary.nodeFrame[this.node]]];
	}

	/** Whether the row counts the stack of a node. */
	isOf(node: number): boolean {
		const {stacks, ends} = this.counted;
		return node !== rootNode && stacks.numberOf(ends ? ends[node] : node) === this.bucket;
	}
}

/** Loaded with the first fingerprint, as it would delay the first frame of the screen. */
let library: typeof crypto | undefined;

/** Returns a frame as java.lang.StackTraceElement prints it; native code as library and function. */
export function frameText({className, method, file, line}: Location): string {
	if (line === nativeCodeLine) {
		return locationName({className, method, file, line});
	}

	const source = line === nativeLine ? 'Native Method' : (line >= 0 ? `${file || 'Unknown Source'}:${line}` : file || 'Unknown Source');
	return `${className}.${method}(${source})`;
}

/** Returns a stack as text, the innermost frame first: a line for each, after a tab. */
export function stackLines(frames: readonly Location[]): string {
	return frames.map(frame => `\t${frameText(frame)}\n`).join('');
}

/** Returns the MD5 of a stack's lines, as the votes format prints it: the same in every session. */
function fingerprintOf(frames: readonly Location[]): string {
	library ??= createRequire(import.meta.url)('node:crypto') as typeof crypto;
	return library.createHash('md5').update(stackLines(frames)).digest('hex');
}

/** Numbers stacks from 1 on, alike for those with the same first `depth` locations; the empty stack is 0. */
export class StackNumbers {
	/** By number: the node of the first stack that has it. */
	readonly firstNode: number[] = [rootNode];
	readonly #numberOfNode: Int32Array;
	/** Interns paths of locations from the top of a stack: a shorter path, and the location after it. */
	readonly #paths = new TupleIndex(2);
	readonly #numberOfPath = new Map<number, number>();

	constructor(readonly dictionary: Dictionary, readonly grouping: Pick<Grouping, 'groupOfFrame' | 'locations'>, readonly depth: number) {
		this.#numberOfNode = new Int32Array(dictionary.nodeCount);
	}

	/** Returns the number of a node's stack; 0 for the empty one. */
	numberOf(node: number): number {
		if (node !== rootNode && this.#numberOfNode[node] === 0) {
			this.#numberOfNode[node] = this.#find(node);
		}

		return this.#numberOfNode[node];
	}

	#find(node: number): number {
		// Each node is a whole stack of its own; only their first frames may be the same.
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
		for (let node = top, remaining = this.depth; node !== rootNode && remaining > 0; node = nodeParent[node], remaining--) {
			this.#paths.key[0] = path;
			this.#paths.key[1] = this.grouping.groupOfFrame[nodeFrame[node]];
			path = this.#paths.intern();
		}

		return path;
	}
}
