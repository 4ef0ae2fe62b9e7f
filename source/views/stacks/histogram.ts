import type {Snapshot} from '../../model/snapshot.js';
import {stateCode} from '../../model/thread-state.js';
import {sortRows} from '../../query/columns/sort.js';
import {endsOf, viaOfBuckets} from '../../query/counters/attribution.js';
import {BucketSums, rankingOf, sumsByNode} from '../../query/counters/buckets.js';
import {membersOf} from '../../query/counters/members.js';
import {countersInWindow, scopeOf} from '../../query/counters/scope.js';
import {threadsInStep} from '../../query/counters/share.js';
import {StackFilter} from '../../query/counters/stack-filter.js';
import {stackIndex} from '../../query/counters/stack-index.js';
import {figuresOf, type FilterFields} from '../../query/filter/filter.js';
import type {Query} from '../../query/types/query.js';
import {StackNumbers, StackHistogramRow, type CountedStacks} from './rows.js';
import {stackColumns} from './columns.js';

declare module '../../query/types/query.js' {
	interface Query {
		/** Number of innermost frames of each stack that are compared; by default all. */
		readonly depth?: number;
	}
}

/** Returns identical stacks of all threads and states, counted, by their first `query.depth` frames. */
export function queryStackHistogram(snapshot: Snapshot, since: Snapshot | undefined, query: Query): {readonly rows: readonly StackHistogramRow[]; readonly allRows: number} {
	const {dictionary} = snapshot;
	const depth = query.depth ?? Infinity;
	const scope = scopeOf(snapshot, query);
	const counters = countersInWindow(snapshot, since, scope);
	const lines = stackIndex(dictionary).grouping('line');
	const stacks = new StackNumbers(dictionary, lines, depth);
	const ends = endsOf(dictionary, query);
	const stackOfNode = new Int32Array(dictionary.nodeCount);
	for (let counter = 0; counter < counters.count; counter++) {
		const node = counters.node[counter];
		stackOfNode[node] = stacks.numberOf(ends ? ends[node] : node);
	}

	const sums = new BucketSums(counters, sumsByNode(counters, dictionary.nodeCount, scope), stackOfNode, stacks.firstNode.length, scope);
	const {buckets} = sums;
	const {threads} = snapshot;
	const counted: CountedStacks = {
		stacks, sums, ends, threads, isInTicks: scope.unit === 'ticks', inStep: threadsInStep(snapshot, since), app: query.app,
		threadRanking: rankingOf(counters, buckets, scope, counter => counters.thread[counter], {sizeOf: thread => membersOf(threads, thread)}),
		viaOf: ends && viaOfBuckets(dictionary, ends, {counters, buckets, scope}),
	};
	const isCpuCounted = (scope.countedMask & (1 << stateCode.RUNNABLE)) !== 0;
	const rows: StackHistogramRow[] = [];
	for (let stack = 1; stack < stacks.firstNode.length; stack++) {
		if (sums.selfTicks[stack] > 0 || (isCpuCounted && sums.selfCpuNs[stack] > 0)) {
			rows.push(new StackHistogramRow(stack, counted));
		}
	}

	const filter = new StackFilter(scope.filter, dictionary, lines);
	const foundBeyondEnds = ends && !filter.isEmpty ? termsBeyondEnds(sums, filter, ends) : undefined;
	const shown = filter.isEmpty
		? rows
		: rows.filter(row => filter.passes(row.node, depth, figuresOf(filterFields, row), foundBeyondEnds?.[row.bucket]));
	return {rows: sortRows(shown, stackColumns, query.sort), allRows: rows.length};
}

const filterFields: Omit<FilterFields<StackHistogramRow>, 'text'> = {
	percent: row => row.selfPercent, cpuMs: row => row.selfCpuNs / 1e6, ticks: row => row.selfTicks, threads: row => row.threadCount, blocked: row => row.states[stateCode.BLOCKED] > 0 ? row.threadCount : 0,
};

/** Returns, by stack number, the filter's terms, a bit each, that match frames omitted as callees of own code. */
function termsBeyondEnds({selfTicks, counters, bucketOfNode}: BucketSums, filter: StackFilter, ends: Int32Array): Int32Array {
	const found = new Int32Array(selfTicks.length);
	for (const node of counters.node.subarray(0, counters.count)) {
		found[bucketOfNode[node]] |= filter.foundBetween(node, ends[node]);
	}

	return found;
}
