import type * as crypto from 'node:crypto';
import {createRequire} from 'node:module';
import {nativeLine, rootNode} from '../../model/frame.js';
import type {Dictionary} from '../../model/snapshot.js';
import {TupleIndex} from '../../model/tuple-index.js';
import {ownLocation} from '../counters/attribution.js';
import {percentOf, samplesOf, shareError} from '../counters/share.js';
import {framesOf, type Grouping} from '../counters/stack-index.js';
import type {Location, Query, StateTicks} from '../types/rows.js';
import type {BucketSums} from '../counters/buckets.js';

export type Frames = {
	readonly dictionary: Dictionary;
	readonly lines: Grouping;
	readonly depth: number;
	readonly stacks: SameStacks;
	readonly ends: Int32Array | undefined;
	readonly app: Query['app'];
	/** See `threadsInStep`. */
	readonly inStep: number;
};

/** What rows are made from, when they are asked. */
export type RowSource = {
	readonly sums: BucketSums;
	readonly frames: Frames;
	readonly isInTicks: boolean;
	threadsOf(stack: number): {readonly count: number; readonly names: readonly string[]};
	viaOf(stacks: readonly number[]): Location | undefined;
	/** The stack, by its node, that most samples of the row had. */
	usualNode(stack: number): number;
};

/**
A row of the Stacks view: identical stacks of all threads and states put together. It knows which it is; all else is found
when it is drawn, as most rows are not.
*/
export class StackHistogramRow {
	readonly #source: RowSource;
	#threads: ReturnType<RowSource['threadsOf']> | undefined;
	#fingerprint: string | undefined;
	#key: string | undefined;

	constructor(readonly stack: number, source: RowSource) {
		this.#source = source;
	}

	get node(): number {
		return this.#source.frames.stacks.firstNode[this.stack];
	}

	/** Ticks of counted states, and CPU nanoseconds of all. */
	get ticks(): number {
		return this.#source.sums.selfTicks[this.stack];
	}

	get cpuNs(): number {
		return this.#source.sums.selfCpuNs[this.stack];
	}

	/** Share of the unit's whole, 0..100. */
	get percent(): number {
		const {sums: {wholeTicks, wholeCpuNs}, isInTicks} = this.#source;
		return isInTicks ? percentOf(this.ticks, wholeTicks) : percentOf(this.cpuNs, wholeCpuNs);
	}

	get key(): string {
		this.#key ??= String(this.node);
		return this.#key;
	}

	/** Half the width of its 95 % interval, percentage points. */
	get errorPercent(): number {
		const {isInTicks, frames, sums} = this.#source;
		return shareError(this.percent, isInTicks
			? samplesOf(sums.ticks(this.stack), sums.ticks()) / frames.inStep
			: samplesOf(sums.cpu(this.stack), sums.cpu()));
	}

	get states(): StateTicks {
		return this.#source.sums.states(this.stack);
	}

	get threadCount(): number {
		return this.#seen.count;
	}

	/** Names of the threads with the most CPU time, then ticks, there; at most three. */
	get topThreads(): readonly string[] {
		return this.#seen.names;
	}

	/** The innermost frame; with own code first that of the program's own. */
	get top(): Location {
		const {dictionary, lines} = this.#source.frames;
		return lines.locations[lines.groupOfFrame[dictionary.nodeFrame[this.node]]];
	}

	/** The frames compared, innermost first. */
	get frames(): readonly Location[] {
		const {dictionary, depth} = this.#source.frames;
		return framesOf(dictionary, this.node, depth);
	}

	/** All frames: with own code first those that most samples had. */
	get wholeFrames(): readonly Location[] {
		const {frames} = this.#source;
		return framesOf(frames.dictionary, frames.ends ? this.#source.usualNode(this.stack) : this.node);
	}

	/** As in a `LineRow`: with own code first what that called, without it the line that it came by. */
	get via(): Location | undefined {
		return this.#source.viaOf([this.stack]);
	}

	get own(): Location | undefined {
		const {dictionary, ends, app} = this.#source.frames;
		return ends ? undefined : ownLocation(dictionary, this.node, {app});
	}

	get #seen(): ReturnType<RowSource['threadsOf']> {
		this.#threads ??= this.#source.threadsOf(this.stack);
		return this.#threads;
	}

	/** Whether a stack, by its node, is one of those that the row counts. */
	isOf(node: number): boolean {
		const {stacks, ends} = this.#source.frames;
		return node !== rootNode && stacks.numberOf(ends ? ends[node] : node) === stacks.numberOf(this.node);
	}

	/** MD5 of the compared frames as `frameText` prints them. */
	get fingerprint(): string {
		this.#fingerprint ??= fingerprintOf(this.frames);
		return this.#fingerprint;
	}
}

/** Loaded with the first fingerprint: not before the first frame of the screen. */
let library: typeof crypto | undefined;

/** A frame as java.lang.StackTraceElement prints it. */
export function frameText({className, method, file, line}: Location): string {
	const source = line === nativeLine ? 'Native Method' : (line >= 0 ? `${file || 'Unknown Source'}:${line}` : file || 'Unknown Source');
	return `${className}.${method}(${source})`;
}

/** A stack as text, innermost frame first: a line for each, after a tab. */
export function stackLines(frames: readonly Location[]): string {
	return frames.map(frame => `\t${frameText(frame)}\n`).join('');
}

/** What a stack is found again by, in every session: the MD5 of its lines, as the votes format prints it. */
export function fingerprintOf(frames: readonly Location[]): string {
	library ??= createRequire(import.meta.url)('node:crypto') as typeof crypto;
	return library.createHash('md5').update(stackLines(frames)).digest('hex');
}

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
