import {rootNode} from '../../model/frame.js';
import type {Counters, Snapshot} from '../../model/snapshot.js';
import {stateCode} from '../../model/thread-state.js';
import {sortRows} from '../columns/sort.js';
import {endsOf, viaOfBuckets} from '../counters/attribution.js';
import {CounterBuckets, CounterRanking, BucketSums} from '../counters/buckets.js';
import {countersInWindow, scopeOf, type Scope} from '../counters/scope.js';
import {threadsInStep} from '../counters/share.js';
import {StackFilter} from '../counters/stack-filter.js';
import {stackIndex} from '../counters/stack-index.js';
import {figuresOf, type FilterFields} from '../filter/filter.js';
import {mostOf} from '../locks/contention-by-location.js';
import type {Query} from '../types/rows.js';
import {
	SameStacks, StackHistogramRow, type Frames, type RowSource,
} from './rows.js';
import {stackColumns} from './columns.js';

/** Names of threads kept for a row. */
const maxTopThreads = 3;

/**
Identical stacks between `baseline` (undefined: the session's start) and `snapshot`, counted over all threads and states
("voted for"); filtered (a word may be in any frame) and sorted. They are compared by their frames, the first
`query.depth` of them where that is set, so that lock addresses and names of threads split nothing; with
`query.ownFirst` by those from the program's own code on. Samples without Java
frames are not in it, nor are stacks with neither counted ticks nor CPU time.
*/
export function queryStackHistogram(snapshot: Snapshot, since: Snapshot | undefined, query: Query): {readonly rows: readonly StackHistogramRow[]; readonly allRows: number} {
	const {dictionary} = snapshot;
	const depth = query.depth ?? Infinity;
	const scope = scopeOf(snapshot, query);
	const counters = countersInWindow(snapshot, since, scope);
	const lines = stackIndex(dictionary).grouping('line');
	const stacks = new SameStacks(dictionary, lines, depth);
	const ends = endsOf(dictionary, query);
	const stackOfCounter = new Int32Array(counters.count);
	for (let counter = 0; counter < counters.count; counter++) {
		stackOfCounter[counter] = stacks.numberOf(ends ? ends[counters.node[counter]] : counters.node[counter]);
	}

	const sums = new BucketSums(counters, stackOfCounter, stacks.firstNode.length, scope);
	const rows = rowsOf(snapshot, sums, counters, scope, {
		inStep: threadsInStep(snapshot, since), dictionary, lines, depth, stacks, ends, app: query.app,
	});
	const filter = new StackFilter(scope.filter, dictionary, lines);
	const leftOut = ends && !filter.isEmpty ? foundInLeftOut(counters, sums, filter, ends) : undefined;
	const shown = filter.isEmpty
		? rows
		: rows.filter(row => filter.passes(row.node, depth, figuresOf(filterFields, row), leftOut?.[row.stack]));
	return {rows: sortRows(shown, stackColumns, query.sort), allRows: rows.length};
}

const filterFields: Omit<FilterFields<StackHistogramRow>, 'text'> = {
	percent: row => row.percent, cpuMs: row => row.cpuNs / 1e6, ticks: row => row.ticks, threads: row => row.threadCount, blocked: row => row.states[stateCode.BLOCKED] > 0 ? row.threadCount : 0,
};

/** By the number of a stack: terms of the filter whose text is in what its samples stood in beyond the program's own code. */
function foundInLeftOut(counters: Counters, {selfTicks, bucketOfCounter}: BucketSums, filter: StackFilter, ends: Int32Array): Int32Array {
	const found = new Int32Array(selfTicks.length);
	for (let counter = 0; counter < counters.count; counter++) {
		found[bucketOfCounter[counter]] |= filter.foundBetween(counters.node[counter], ends[counters.node[counter]]);
	}

	return found;
}

function rowsOf(snapshot: Snapshot, sums: BucketSums, counters: Counters, {unit, countedMask}: Scope, frames: Frames): StackHistogramRow[] {
	const {threads, dictionary} = snapshot;
	const stackCount = sums.selfTicks.length;
	let ranking: CounterRanking | undefined;
	const source: RowSource = {
		sums,
		frames,
		isInTicks: unit === 'ticks',
		threadsOf(stack) {
			ranking ??= new CounterRanking(counters, new CounterBuckets(sums.bucketOfCounter, stackCount), counters.thread, threads.count, countedMask);
			const {count, top} = ranking.of([stack], maxTopThreads);
			return {count, names: top.map(thread => threads.name[thread])};
		},
		viaOf: frames.ends
			? viaOfBuckets(dictionary, {
				counters, ends: frames.ends, bucketOfCounter: sums.bucketOfCounter, buckets: stackCount,
			}, {unit, countedMask})
			: () => undefined,
		usualNode: stack => usualNode(counters, sums.bucketOfCounter, stack),
	};
	const isCpuCounted = (countedMask & (1 << stateCode.RUNNABLE)) !== 0;
	const rows: StackHistogramRow[] = [];
	for (let stack = 1; stack < stackCount; stack++) {
		const [ticks, cpuNs] = [sums.selfTicks[stack], sums.selfCpuNs[stack]];
		if (ticks > 0 || (isCpuCounted && cpuNs > 0)) {
			rows.push(new StackHistogramRow(stack, source));
		}
	}

	return rows;
}

function usualNode({count, node, ticks}: Counters, stackOfCounter: Int32Array, stack: number): number {
	const ticksOfNode = new Map<number, number>();
	for (let counter = 0; counter < count; counter++) {
		if (stackOfCounter[counter] === stack) {
			ticksOfNode.set(node[counter], ticks[counter] + (ticksOfNode.get(node[counter]) ?? 0));
		}
	}

	return mostOf(ticksOfNode)?.[0] ?? rootNode;
}
