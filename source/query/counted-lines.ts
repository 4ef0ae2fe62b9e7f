import {rootNode} from '../model/frame.js';
import type {Dictionary, Snapshot} from '../model/snapshot.js';
import {stateCode} from '../model/thread-state.js';
import type {PastFigures} from './columns/column.js';
import {
	attributionOf, endsOf, ownOfBuckets, viaOfBuckets,
} from './counters/attribution.js';
import {alignedTo} from './counters/aligned.js';
import {
	BucketSums, rankingOf, sumsByNode, type Sums,
} from './counters/buckets.js';
import {CountedRow, type CountedFigures} from './counters/counted-row.js';
import {
	countersInWindow, effectiveUnit, isCounted, scopeOf, type Scope,
} from './counters/scope.js';
import {percentOf, samplesOf, threadsInStep} from './counters/share.js';
import {stackIndex, type Grouping} from './counters/stack-index.js';
import {membersOf} from './counters/members.js';
import {contentionByLocation, type ContentionByLocation} from './locks/contention-by-location.js';
import type {Location, Measure, Query} from './types/query.js';

/** What the rows of a window are read from, by group. */
type LineFigures = CountedFigures & {
	readonly grouping: Grouping;
	/** Of samples with the group anywhere on their stack. */
	readonly totals: Sums;
	readonly contention: ContentionByLocation;
	/** Without own code first: the line of the program's own code by which most samples came. */
	readonly ownOf?: (groups: readonly number[]) => Location | undefined;
};

/** A row of the Lines view: a location and what was counted there. */
export class LineRow extends CountedRow<LineFigures> {
	get key(): string {
		return this.counted.grouping.keys[this.bucket];
	}

	get totalTicks(): number {
		return this.counted.totals.ticks[this.bucket];
	}

	get totalCpuNs(): number {
		return this.counted.totals.cpuNs[this.bucket];
	}

	get totalPercent(): number {
		const {isInTicks, sums} = this.counted;
		return isInTicks ? percentOf(this.totalTicks, sums.wholeTicks) : percentOf(this.totalCpuNs, sums.wholeCpuNs);
	}

	get blockedNow(): number {
		return this.counted.contention.blocked[this.bucket];
	}

	/** How long the longest of them has, 0 when none is; at least so long where it was blocked before the first sample. */
	get stuckMs(): number {
		return this.counted.contention.longestMs[this.bucket];
	}

	get stuckAtLeast(): boolean {
		return this.counted.contention.isLonger[this.bucket] === 1;
	}

	/** Threads that stand here in the newest sample and are held up by another, BLOCKED or parked for a lock. */
	get contendingNow(): number {
		return this.counted.contention.contending[this.bucket];
	}

	/** Who holds most of them up, undefined where that is not known; and how many others do. */
	get holder(): string | undefined {
		return this.contendingNow > 0 ? this.counted.contention.holderOf(this.bucket) : undefined;
	}

	get otherHolders(): number {
		return this.contendingNow > 0 ? this.counted.contention.otherHoldersOf(this.bucket) : 0;
	}

	/** The line of the program's own code by which most of the row's samples came, if it is not the row's. */
	get own(): Location | undefined {
		return this.counted.ownOf?.([this.bucket]);
	}

	protected override get location(): Location {
		return this.counted.grouping.locations[this.bucket];
	}
}

export type LineTable = {
	readonly rows: readonly LineRow[];
	/** Number of rows before the filter. */
	readonly allRows: number;
	/** The whole of shares: CPU nanoseconds and counted ticks of samples with Java frames. */
	readonly wholeCpuNs: number;
	readonly wholeTicks: number;
	/** What shares are of, where that is not what the query's unit and states say. */
	readonly measure?: Measure;
	/** What the rows are, or what most of them come from, in a sentence. */
	readonly finding?: string;
	/** Independent samples that shares of the CPU time rest on, and ticks that are one observation. */
	readonly cpuSamples: number;
	readonly ticksPerObservation: number;
};

/** All lines of a window, in no order, and what their shares are of. */
export type CountedLines = Omit<LineTable, 'allRows'>;

/** The locations with counted ticks or CPU time in the window. */
export function countedLines(snapshot: Snapshot, since: Snapshot | undefined, query: Query, scope: Scope): CountedLines {
	const {dictionary, threads} = snapshot;
	const {nodeCount, nodeFrame} = dictionary;
	const {countedMask, unit} = scope;
	const counters = countersInWindow(snapshot, since, scope);
	const grouping = stackIndex(dictionary).grouping(query.by);
	const attributed = attributionOf(dictionary, query);
	const byNode = sumsByNode(counters, nodeCount, scope);
	const sums = new BucketSums(counters, byNode, attributed.subarray(0, nodeCount).map(node => grouping.groupOfFrame[nodeFrame[node]]), grouping.locations.length, scope);
	const totals = totalsOf(dictionary, byNode, grouping);
	const {wholeCpuNs, wholeTicks} = sums;
	const inStep = threadsInStep(snapshot, since);
	const ends = endsOf(dictionary, query);
	const ranked = {counters, buckets: sums.buckets, scope};
	const figures: LineFigures = {
		grouping, sums, totals, threads, inStep, isInTicks: unit === 'ticks',
		threadRanking: rankingOf(counters, sums.buckets, scope, counter => counters.thread[counter], {sizeOf: thread => membersOf(threads, thread)}),
		contention: contentionByLocation(snapshot, attributed, grouping, scope),
		...(ends ? {viaOf: viaOfBuckets(dictionary, ends, ranked)} : {ownOf: ownOfBuckets(dictionary, query, ranked)}),
	};
	const isCpuCounted = (countedMask & (1 << stateCode.RUNNABLE)) !== 0;
	const rows: LineRow[] = [];
	for (let group = 1; group < grouping.locations.length; group++) {
		if (totals.ticks[group] > 0 || (isCpuCounted && totals.cpuNs[group] > 0)) {
			rows.push(new LineRow(group, figures));
		}
	}

	return {
		rows, wholeCpuNs, wholeTicks, cpuSamples: samplesOf(sums.whole.cpu, sums.whole.cpu), ticksPerObservation: wholeTicks > 0 ? inStep * sums.whole.ticks.squares / wholeTicks : 1,
	};
}

/** Sums by group of all samples that have it on their stack, once each; `byNode` becomes that of whole subtrees. */
function totalsOf({nodeCount, nodeParent, nodeFrame}: Dictionary, byNode: Sums, {locations, groupOfFrame, outermost}: Grouping): Sums {
	const totals = {ticks: new Float64Array(locations.length), cpuNs: new Float64Array(locations.length)};
	// Callees have greater ids than their callers, so that one pass from the end sums every subtree.
	for (let node = nodeCount - 1; node > rootNode; node--) {
		const [ticks, cpuNs] = [byNode.ticks[node], byNode.cpuNs[node]];
		if (outermost[node] === 1) {
			totals.ticks[groupOfFrame[nodeFrame[node]]] += ticks;
			totals.cpuNs[groupOfFrame[nodeFrame[node]]] += cpuNs;
		}

		byNode.ticks[nodeParent[node]] += ticks;
		byNode.cpuNs[nodeParent[node]] += cpuNs;
	}

	return totals;
}

/** CPU time, or ticks where the query that is asked by then looks at these, at each place of a window; the filter has no say. */
export function pastOfLines(snapshot: Snapshot, since: Snapshot | undefined, query: Query): PastFigures {
	const {dictionary: {nodeFrame}, counters: {count, node, thread, state, ...now}} = snapshot;
	const scope = scopeOf(snapshot, {...query, filter: ''});
	const index = stackIndex(snapshot.dictionary);
	const folded = scope.native ? undefined : index.folded;
	const {groupOfFrame, groupOfKey, keys} = index.grouping(query.by);
	const attributed = attributionOf(snapshot.dictionary, query);
	const then = alignedTo(snapshot, since)?.counters;
	const [ticks, cpuNs] = [new Float64Array(keys.length), new Float64Array(keys.length)];
	for (let counter = 0; counter < count; counter++) {
		if (isCounted(scope, thread[counter])) {
			const isOld = then !== undefined && counter < then.count;
			const at = folded ? folded[node[counter]] : node[counter];
			const group = groupOfFrame[nodeFrame[attributed[at]]];
			cpuNs[group] += now.cpuNs[counter] - (isOld ? then.cpuNs[counter] : 0);
			ticks[group] += ((scope.countedMask >> state[counter]) & 1) * (now.ticks[counter] - (isOld ? then.ticks[counter] : 0));
		}
	}

	return (key, asked) => Math.max(0, (effectiveUnit(asked) === 'ticks' ? ticks : cpuNs)[groupOfKey.get(key) ?? -1] ?? 0);
}
