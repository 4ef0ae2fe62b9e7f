import {rootNode} from '../model/frame.js';
import type {Dictionary, Facts, Snapshot} from '../model/snapshot.js';
import {stateCode, stateCount} from '../model/thread-state.js';
import {voteColumns} from './columns/vote-columns.js';
import {sortRows} from './columns/sort.js';
import {endsOf, ownPlace} from './facts/attribution.js';
import {FactBuckets, FactRanking} from './facts/fact-ranking.js';
import {viaOfBuckets} from './facts/left-out.js';
import {SameStacks} from './facts/same-stacks.js';
import {factsInWindow, scopeOf, type Scope} from './facts/scope.js';
import {effectiveSamples, percentOf, shareError} from './facts/share.js';
import {StackFilter} from './facts/stack-filter.js';
import {stackIndex, type Grouping} from './facts/stack-index.js';
import {fingerprintOf} from './fingerprint.js';
import {mostOf} from './standing-now.js';
import type {Place, Query, VoteRow} from './types.js';

/** Names of threads kept for a row. */
const maxTopThreads = 3;

/**
Identical stacks between `baseline` (undefined: the session's start) and `snapshot`, counted over all threads and states
("voted for"); filtered (a word may be in any frame) and sorted. They are compared by their frames, the first
`query.depth` of them where that is set, so that lock addresses and names of threads split nothing; with
`query.ownFirst` by those from the program's own code on. Samples without Java
frames are not in it, nor are stacks with neither counted ticks nor CPU time.
*/
export function queryVotes(snapshot: Snapshot, baseline: Snapshot | undefined, query: Query): {readonly rows: readonly VoteRow[]; readonly allRows: number} {
	const {dictionary} = snapshot;
	const depth = query.depth ?? Infinity;
	const scope = scopeOf(snapshot, query);
	const facts = factsInWindow(snapshot, baseline, scope);
	const lines = stackIndex(dictionary).grouping('line');
	const stacks = new SameStacks(dictionary, lines, depth);
	const ends = endsOf(dictionary, query);
	const sums = new VoteSums(facts, stacks, scope, ends);
	const rows = rowsOf(snapshot, sums, facts, scope, {
		dictionary, lines, depth, stacks, ends, app: query.app,
	});
	const filter = new StackFilter(scope.filter, dictionary, lines);
	const leftOut = ends && !filter.isEmpty ? foundInLeftOut(facts, sums, filter, ends) : undefined;
	const shown = filter.isEmpty
		? rows
		: rows.filter(row => filter.passes(row.node, depth, () => ({
			percent: row.percent, totalPercent: row.percent, cpuMs: row.cpuNs / 1e6, ticks: row.ticks, totalTicks: row.ticks,
			threads: row.threadCount, blocked: row.states[stateCode.BLOCKED] > 0 ? row.threadCount : 0, stuckS: 0,
		}), leftOut?.[row.stack]));
	return {rows: sortRows(shown, voteColumns, query.sort), allRows: rows.length};
}

/** By the number of a stack: terms of the filter whose text is in what its samples stood in beyond the program's own code. */
function foundInLeftOut(facts: Facts, {ticks, stackOfFact}: VoteSums, filter: StackFilter, ends: Int32Array): Int32Array {
	const found = new Int32Array(ticks.length);
	for (let fact = 0; fact < facts.count; fact++) {
		found[stackOfFact[fact]] |= filter.foundBetween(facts.node[fact], ends[facts.node[fact]]);
	}

	return found;
}

function rowsOf(snapshot: Snapshot, sums: VoteSums, facts: Facts, {unit, countedMask}: Scope, frames: Frames): LazyVoteRow[] {
	const {threads, dictionary} = snapshot;
	const stackCount = sums.ticks.length;
	let ranking: FactRanking | undefined;
	const source: RowSource = {
		sums,
		frames,
		isInTicks: unit === 'ticks',
		wholeSamples: unit === 'ticks' ? sums.wholeTicks : effectiveSamples(sums.wholeCpuNs, sums.squaredCpuNs),
		threadsOf(stack) {
			ranking ??= new FactRanking(facts, new FactBuckets(sums.stackOfFact, stackCount), facts.thread, threads.count, countedMask);
			const {count, top} = ranking.of(stack, maxTopThreads);
			return {count, names: top.map(thread => threads.name[thread])};
		},
		viaOf: frames.ends
			? viaOfBuckets(dictionary, {
				facts, ends: frames.ends, bucketOfFact: sums.stackOfFact, buckets: stackCount,
			}, {unit, countedMask})
			: () => undefined,
		usualNode: stack => usualNode(facts, sums.stackOfFact, stack),
	};
	const isCpuCounted = (countedMask & (1 << stateCode.RUNNABLE)) !== 0;
	const rows: LazyVoteRow[] = [];
	for (let stack = 1; stack < stackCount; stack++) {
		const [ticks, cpuNs] = [sums.ticks[stack], sums.cpuNs[stack]];
		if (ticks > 0 || (isCpuCounted && cpuNs > 0)) {
			rows.push(new LazyVoteRow(stack, source));
		}
	}

	return rows;
}

/** Sums by the number of a stack. */
class VoteSums {
	readonly ticks: Float64Array;
	readonly cpuNs: Float64Array;
	/** Ticks at [stack * stateCount + state], every state. */
	readonly states: Float64Array;
	/** By fact; 0 for those without Java frames. */
	readonly stackOfFact: Int32Array;
	wholeTicks = 0;
	wholeCpuNs = 0;
	/** Sum over the samples of their CPU time squared. */
	squaredCpuNs = 0;

	constructor(facts: Facts, readonly stacks: SameStacks, {countedMask}: Scope, ends: Int32Array | undefined) {
		this.stackOfFact = new Int32Array(facts.count);
		for (let fact = 0; fact < facts.count; fact++) {
			this.stackOfFact[fact] = stacks.numberOf(ends ? ends[facts.node[fact]] : facts.node[fact]);
		}

		const count = stacks.firstNode.length;
		this.ticks = new Float64Array(count);
		this.cpuNs = new Float64Array(count);
		this.states = new Float64Array(count * stateCount);
		for (let fact = 0; fact < facts.count; fact++) {
			if (facts.node[fact] !== rootNode) {
				this.#add(facts, fact, countedMask);
			}
		}
	}

	#add(facts: Facts, fact: number, countedMask: number): void {
		const stack = this.stackOfFact[fact];
		const ticks = facts.ticks[fact];
		const cpuNs = facts.cpuNs[fact];
		this.states[(stack * stateCount) + facts.state[fact]] += ticks;
		this.cpuNs[stack] += cpuNs;
		this.wholeCpuNs += cpuNs;
		this.squaredCpuNs += cpuNs * cpuNs / Math.max(ticks, 1);
		if ((countedMask & (1 << facts.state[fact])) !== 0) {
			this.ticks[stack] += ticks;
			this.wholeTicks += ticks;
		}
	}
}

type Frames = {readonly dictionary: Dictionary; readonly lines: Grouping; readonly depth: number; readonly stacks: SameStacks; readonly ends: Int32Array | undefined; readonly app: Query['app']};

/** What rows are made from, when they are asked. */
type RowSource = {
	readonly sums: VoteSums;
	readonly frames: Frames;
	readonly isInTicks: boolean;
	/** Samples that shares rest on, see `shareError`. */
	readonly wholeSamples: number;
	threadsOf(stack: number): {readonly count: number; readonly names: readonly string[]};
	viaOf(stack: number): Place | undefined;
	/** The stack, by its node, that most samples of the row had. */
	usualNode(stack: number): number;
};

function usualNode({count, node, ticks}: Facts, stackOfFact: Int32Array, stack: number): number {
	const votes = new Map<number, number>();
	for (let fact = 0; fact < count; fact++) {
		if (stackOfFact[fact] === stack) {
			votes.set(node[fact], ticks[fact] + (votes.get(node[fact]) ?? 0));
		}
	}

	return mostOf(votes)?.[0] ?? rootNode;
}

/** A row that knows which it is; all else is found when it is drawn, as most rows are not. */
class LazyVoteRow implements VoteRow {
	readonly #source: RowSource;
	#threads: ReturnType<RowSource['threadsOf']> | undefined;
	#fingerprint: string | undefined;
	#key: string | undefined;

	constructor(readonly stack: number, source: RowSource) {
		this.#source = source;
	}

	get node(): number {
		return this.#source.sums.stacks.firstNode[this.stack];
	}

	get ticks(): number {
		return this.#source.sums.ticks[this.stack];
	}

	get cpuNs(): number {
		return this.#source.sums.cpuNs[this.stack];
	}

	get percent(): number {
		const {sums: {wholeTicks, wholeCpuNs}, isInTicks} = this.#source;
		return isInTicks ? percentOf(this.ticks, wholeTicks) : percentOf(this.cpuNs, wholeCpuNs);
	}

	get key(): string {
		this.#key ??= String(this.node);
		return this.#key;
	}

	get errorPercent(): number {
		return shareError(this.percent, this.#source.wholeSamples);
	}

	get states(): VoteRow['states'] {
		return [...this.#source.sums.states.subarray(this.stack * stateCount, (this.stack + 1) * stateCount)];
	}

	get threadCount(): number {
		return this.#seen.count;
	}

	get topThreads(): readonly string[] {
		return this.#seen.names;
	}

	get top(): Place {
		const {dictionary, lines} = this.#source.frames;
		return lines.places[lines.groupOfFrame[dictionary.nodeFrame[this.node]]];
	}

	get frames(): readonly Place[] {
		return framesOf(this.node, this.#source.frames);
	}

	get wholeFrames(): readonly Place[] {
		const {frames} = this.#source;
		return framesOf(frames.ends ? this.#source.usualNode(this.stack) : this.node, {...frames, depth: Infinity});
	}

	get via(): Place | undefined {
		return this.#source.viaOf(this.stack);
	}

	get own(): Place | undefined {
		const {dictionary, ends, app} = this.#source.frames;
		return ends ? undefined : ownPlace(dictionary, this.node, {app});
	}

	get #seen(): ReturnType<RowSource['threadsOf']> {
		this.#threads ??= this.#source.threadsOf(this.stack);
		return this.#threads;
	}

	isOf(node: number): boolean {
		const {stacks, ends} = this.#source.frames;
		return node !== rootNode && stacks.numberOf(ends ? ends[node] : node) === stacks.numberOf(this.node);
	}

	get fingerprint(): string {
		this.#fingerprint ??= fingerprintOf(this.frames);
		return this.#fingerprint;
	}
}

function framesOf(from: number, {dictionary: {nodeParent, nodeFrame}, lines, depth}: Frames): Place[] {
	const frames: Place[] = [];
	for (let node = from; node !== rootNode && frames.length < depth; node = nodeParent[node]) {
		frames.push(lines.places[lines.groupOfFrame[nodeFrame[node]]]);
	}

	return frames;
}
