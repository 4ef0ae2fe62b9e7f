import {safe, type Printable} from '../util/printable.js';
import {fromNames, lookUp} from '../model/column-types.js';
import {rootNode, unattributed} from '../model/frame.js';
import {eventKinds, type EventKind} from '../model/schema.js';
import type {Dictionary, Snapshot} from '../model/snapshot.js';
import {stateCode} from '../model/thread-state.js';
import type {PastFigures} from './columns/column.js';
import {
	attributionOf, callingLinesOfBuckets, endsOf, ownOfBuckets, viaOfBuckets, type CallingLines,
} from './counters/attribution.js';
import {alignedTo} from './counters/aligned.js';
import {eventsByCause, measuredInWindow} from './counters/allocated.js';
import {codeKind, type CodeKind} from './counters/own-code.js';
import {BucketSums, rankingOf, sumsByNode, CountedRow, type Sums, type CountedFigures} from './counters/buckets.js';
import {effectiveUnit, isCounted, scopeOf, type Scope} from './counters/scope.js';
import {
	effectiveSampleSize, eventsMs, eventsPerS, percentOf, sampledMs, shareError, threadsInStep,
} from './counters/share.js';
import {stackIndex, type Grouping} from './counters/stack-index.js';
import {membersOf} from './counters/thread-table.js';
import {contentionByLocation, type ContentionByLocation} from './locks/newest-sample.js';
import {eventWholes, isOfEvents, type Location, type Measure, type PartFigure, type Query} from './types/query.js';

/** Figures of a window that its rows read, by group. */
type GroupFigures = CountedFigures & {
	readonly grouping: Grouping;
	/** Sums of the samples with the group anywhere on their stack. */
	readonly totals: Sums;
	readonly contention: ContentionByLocation;
	/** Undefined if no events were recorded. */
	readonly events?: GroupEvents;
	/** The rule of own code. */
	readonly app: Query['app'];
	/** Unless own code is first: returns the line of own code, and the program's lines, that led to some groups. */
	readonly ownOf?: (groups: readonly number[]) => Location | undefined;
	readonly callingLinesOf?: (groups: readonly number[]) => CallingLines | undefined;
};

/** By group: what its own events of each kind count for, and the bytes allocated by it and by what it calls. */
type GroupEvents = {
	readonly sums: Readonly<Record<EventKind, BucketSums>>;
	readonly totalAllocated: Float64Array;
	readonly overMs: number;
};

/** Where a row is among those of the JVM's work, which open: see the fields of `LineRow`. */
type RowPlace = {
	readonly isOpen?: boolean;
	readonly parentKey?: string;
	/** The number of methods compiled in the window. */
	readonly methodCount?: number;
};

/** A row of the Lines view: a location and what was counted there. */
export class LineRow extends CountedRow<GroupFigures> {
	/** The program's lines that led to it, once they have been looked up. */
	#known?: {readonly lines: CallingLines | undefined};

	constructor(bucket: number, counted: GroupFigures, readonly place: RowPlace = {}) {
		super(bucket, counted);
	}

	/** Whether it is open; undefined if there is nothing to open. */
	get isOpen(): boolean | undefined {
		return this.place.isOpen;
	}

	/** Whether it is the JVM's own work, or CPU time that has no place. */
	get isAside(): boolean {
		return this.isOpen !== undefined || this.className === unattributed.className;
	}

	/** The key of the open row of which it is a part. */
	get parentKey(): string | undefined {
		return this.place.parentKey;
	}

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
		const {unit, sums} = this.counted;
		return unit === 'ticks' ? percentOf(this.totalTicks, sums.wholeTicks) : percentOf(this.totalCpuNs, sums.wholeCpuNs);
	}

	/** Bytes allocated at the line and in what it calls. */
	get totalAllocatedBytes(): number {
		return this.counted.events?.totalAllocated[this.bucket] ?? 0;
	}

	get blockedNow(): number {
		return this.counted.contention.blocked[this.bucket];
	}

	get stuckMs(): number {
		return this.counted.contention.longestMs[this.bucket];
	}

	get stuckAtLeast(): boolean {
		return this.counted.contention.longestAtLeast[this.bucket] === 1;
	}

	get contendingNow(): number {
		return this.counted.contention.contending[this.bucket];
	}

	get holder(): Printable | undefined {
		return this.contendingNow > 0 ? this.counted.contention.holderOf(this.bucket) : undefined;
	}

	get otherHolders(): number {
		return this.contendingNow > 0 ? this.counted.contention.otherHoldersOf(this.bucket) : 0;
	}

	/** The line of own code, libraries other than the JDK's included, that led to most of its samples. */
	get ownAt(): Location | undefined {
		return this.counted.ownOf?.([this.bucket]);
	}

	/** The program's line that led to most of its samples; undefined if it is one itself. */
	get own(): Location | undefined {
		return this.#callingLines?.at;
	}

	/** How many other lines of the program led to at least a tenth of it each. */
	get otherOwn(): number {
		return this.#callingLines?.others ?? 0;
	}

	/** Whose code it is; a library's that the program called is no own code, even if it is by the rule of `--app`. */
	get codeKind(): CodeKind {
		return this.own ? 'library' : codeKind(this, this.counted.app);
	}

	protected override get location(): Location {
		return this.counted.grouping.locations[this.bucket];
	}

	/** Returns what events of a kind at the line itself count for; 0 if they were not recorded. */
	events(kind: EventKind): number {
		return this.counted.events?.sums[kind].selfCpuNs[this.bucket] ?? 0;
	}

	/** Returns the share of that in all events of the kind, and half the width of its 95 % interval. */
	eventShare(kind: EventKind): PartFigure {
		const sums = this.counted.events?.sums[kind];
		const percent = percentOf(this.events(kind), sums?.wholeCpuNs ?? 0);
		const samples = sums ? effectiveSampleSize(sums.cpu(this.bucket), sums.whole.cpu) : 0;
		return {percent, error: shareError(percent, samples), of: eventWholes[kind]};
	}

	eventsPerS(kind: EventKind): number {
		return eventsPerS(this.events(kind), this.counted.events?.overMs ?? 0);
	}

	/** Returns the same row at another place. */
	at(place: RowPlace): LineRow {
		return new LineRow(this.bucket, this.counted, place);
	}

	get #callingLines(): CallingLines | undefined {
		this.#known ??= {lines: this.counted.callingLinesOf?.([this.bucket])};
		return this.#known.lines;
	}
}

export type LineTable = {
	readonly rows: readonly LineRow[];
	readonly allRows: number;
	/** 100% of shares: CPU nanoseconds and counted ticks of samples with frames. */
	readonly wholeCpuNs: number;
	readonly wholeTicks: number;
	/** What shares relate to, if it is not what the query's unit and states imply. */
	readonly measure?: Measure;
	/** A sentence on what the rows are, or where most of them come from. */
	readonly finding?: Printable;
	/** The number of independent samples of CPU time, and how many counted ticks make one independent observation. */
	readonly cpuSamples: number;
	readonly ticksPerObservation: number;
};

export type CountedLines = Omit<LineTable, 'allRows'> & {
	/** By bucket of a row of the JVM's work, the nodes of its parts, if all work of a kind is one row. */
	readonly workParts: ReadonlyMap<number, readonly number[]>;
};

/** Returns the locations with counted ticks or CPU time in the window. */
export function countedLines(
	snapshot: Snapshot,
	since: Snapshot | undefined,
	query: Query,
	scope: Scope,
): CountedLines {
	const {dictionary, threads} = snapshot;
	const {nodeCount, nodeFrame} = dictionary;
	const {countedMask, unit} = scope;
	const counters = measuredInWindow(snapshot, since, scope, {byCause: true});
	const grouping = stackIndex(dictionary).grouping(query.by);
	const attributed = attributionOf(dictionary, query);
	const byNode = sumsByNode(counters, nodeCount, scope);
	const groupOfNode = lookUp(grouping.groupOfFrame, lookUp(nodeFrame, attributed, nodeCount));
	const sums = new BucketSums(counters, byNode, groupOfNode, grouping.locations.length, scope);
	const totals = totalsOf(dictionary, byNode, grouping);
	const {wholeCpuNs, wholeTicks} = sums;
	const ends = endsOf(dictionary, query);
	const ranked = {counters, buckets: sums.buckets, scope, app: query.app};
	const events = eventsByGroup(snapshot, since, {scope, grouping, groupOfNode});
	const figures: GroupFigures = {
		grouping,
		sums,
		totals,
		threads,
		threadsInStep: threadsInStep(snapshot, since),
		unit,
		app: query.app,
		overMs: sampledMs(snapshot, since),
		threadRanking: rankingOf(counters, sums.buckets, scope, counter => counters.thread[counter], {
			sizeOf: thread => membersOf(threads, thread),
		}),
		contention: contentionByLocation(snapshot, attributed, grouping, scope),
		events,
		...(ends
			? {viaOf: viaOfBuckets(dictionary, ends, ranked)}
			: {
				ownOf: ownOfBuckets(dictionary, query, ranked),
				callingLinesOf: callingLinesOfBuckets(dictionary, query, ranked),
			}),
	};
	const isCpuCounted = isOfEvents(unit) || (countedMask & (1 << stateCode.RUNNABLE)) !== 0;
	const busy = busyFigures(figures);
	const rows: LineRow[] = [];
	for (let group = 1; group < grouping.locations.length; group++) {
		const isBusy = busy.some(of => of[group] > 0);
		if (totals.ticks[group] > 0 || (isCpuCounted && isBusy)) {
			rows.push(new LineRow(group, figures));
		}
	}

	const bucketOfNode = (node: number) => grouping.groupOfFrame[nodeFrame[node]];
	return {
		rows,
		workParts: new Map([...counters.workParts ?? []].map(([node, parts]) => [bucketOfNode(node), parts])),
		wholeCpuNs,
		wholeTicks,
		cpuSamples: effectiveSampleSize(sums.whole.cpu, sums.whole.cpu),
		ticksPerObservation: wholeTicks > 0 ? figures.threadsInStep * sums.whole.ticks.squares / wholeTicks : 1,
	};
}

/** Returns the figures of groups, any of which is reason enough for a row if the states of CPU time count. */
function busyFigures({unit, totals, events}: GroupFigures): readonly Float64Array[] {
	return events && !isOfEvents(unit)
		? [totals.cpuNs, events.totalAllocated, ...eventKinds.map(kind => events.sums[kind].selfCpuNs)]
		: [totals.cpuNs];
}

/** Returns what events of a window count for, by group; undefined if none were recorded. */
function eventsByGroup(
	snapshot: Snapshot,
	since: Snapshot | undefined,
	{scope, grouping, groupOfNode}: {
		readonly scope: Scope;
		readonly grouping: Grouping;
		readonly groupOfNode: Int32Array;
	},
): GroupEvents | undefined {
	if (snapshot.events.count === 0) {
		return undefined;
	}

	const {dictionary} = snapshot;
	const counters = fromNames(eventKinds, kind => eventsByCause(kind, snapshot, since, scope));
	const byNode = fromNames(eventKinds, kind => sumsByNode(counters[kind], dictionary.nodeCount, scope));
	const sums = fromNames(eventKinds, kind =>
		new BucketSums(counters[kind], byNode[kind], groupOfNode, grouping.locations.length, scope));
	const {cpuNs: totalAllocated} = totalsOf(dictionary, byNode.alloc, grouping);
	return {sums, totalAllocated, overMs: eventsMs(snapshot, since)};
}

/** Returns, by group, the sums of all samples with it on their stack; turns `byNode` into sums of subtrees. */
function totalsOf(
	{nodeCount, nodeParent, nodeFrame}: Dictionary,
	byNode: Sums,
	{locations, groupOfFrame, outermost}: Grouping,
): Sums {
	const totals = {ticks: new Float64Array(locations.length), cpuNs: new Float64Array(locations.length)};
	// Callees have greater ids than their callers: one pass from the end sums every subtree.
	for (let node = nodeCount - 1; node > rootNode; node--) {
		if (outermost[node] === 1) {
			totals.ticks[groupOfFrame[nodeFrame[node]]] += byNode.ticks[node];
			totals.cpuNs[groupOfFrame[nodeFrame[node]]] += byNode.cpuNs[node];
		}

		byNode.ticks[nodeParent[node]] += byNode.ticks[node];
		byNode.cpuNs[nodeParent[node]] += byNode.cpuNs[node];
	}

	return totals;
}

/**
Returns the CPU time of a window at each location, or its ticks for queries in ticks; nothing for those of events. One
result serves all filters.
*/
export function pastOfLines(snapshot: Snapshot, since: Snapshot | undefined, query: Query): PastFigures {
	const {dictionary: {nodeFrame, nodeParent}, counters: {count, node, thread, state, ...now}} = snapshot;
	const scope = scopeOf(snapshot, {...query, filter: safe``});
	const index = stackIndex(snapshot.dictionary);
	const {isBelowWork} = index;
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
			const usedNs = now.cpuNs[counter] - (isOld ? then.cpuNs[counter] : 0);
			cpuNs[group] += usedNs;
			// Whether the JVM's own work gets rows of its own depends on the window: count it for all its callers, too.
			for (let work = at; isBelowWork?.[work] === 1; work = nodeParent[work]) {
				cpuNs[groupOfFrame[nodeFrame[nodeParent[work]]]] += usedNs;
			}

			ticks[group] += ((scope.countedMask >> state[counter]) & 1)
				* (now.ticks[counter] - (isOld ? then.ticks[counter] : 0));
		}
	}

	return (key, queryNow) => {
		const unit = effectiveUnit(queryNow);
		const figures = unit === 'ticks' ? ticks : cpuNs;
		return isOfEvents(unit) ? 0 : Math.max(0, figures[groupOfKey.get(key) ?? -1] ?? 0);
	};
}
