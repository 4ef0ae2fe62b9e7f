import {rootNode} from '../model/frame.js';
import type {Facts, Snapshot} from '../model/snapshot.js';
import {stateCode, stateCount} from '../model/thread-state.js';
import type {FilterRow} from './filter/filter.js';
import {lineColumns} from './columns/line-columns.js';
import {placeName} from './facts/place.js';
import {factsInWindow, scopeOf, type Scope} from './facts/scope.js';
import {effectiveSamples, percentOf, shareError} from './facts/share.js';
import {sortRows} from './columns/sort.js';
import {stackIndex, type Grouping} from './facts/stack-index.js';
import {FactRanking} from './facts/fact-ranking.js';
import {attributionOf} from './facts/attribution.js';
import {OtherSide} from './other-side.js';
import {standingNow} from './standing-now.js';
import type {
	LineRow, LineTable, Place, Query,
} from './types.js';

/** Names of threads kept for a row. */
const maxTopThreads = 3;

/**
Hot places (lines, methods or classes, as `query.by` says; with `query.ownFirst` those of the program's own code)
between `baseline` (undefined: the session's start) and `snapshot`, filtered and sorted. Samples without Java frames are
not in it. Rows with neither counted ticks nor CPU time are left out, and those without counted ticks when only blocked
or waiting samples count.
*/
export function queryLines(snapshot: Snapshot, baseline: Snapshot | undefined, query: Query): LineTable {
	const scope = scopeOf(snapshot, query);
	const facts = factsInWindow(snapshot, baseline, scope);
	const index = stackIndex(snapshot.dictionary);
	const attributed = attributionOf(snapshot.dictionary, query);
	const grouping = index.grouping(query.by);
	const sums = new LineSums(snapshot, facts, scope, attributed, grouping);
	const {threads, dictionary} = snapshot;
	const ranking = new FactRanking(facts, sums.groupOfFact, grouping.places.length, facts.thread, threads.count, scope.countedMask);
	const standing = standingNow(snapshot, attributed, grouping, scope);
	const beyond = new OtherSide(snapshot, facts, scope, query, sums.groupOfFact);
	const wholeSamples = scope.unit === 'ticks' ? sums.wholeTicks : effectiveSamples(sums.wholeCpuNs, sums.squaredCpuNs);
	const isCpuCounted = (scope.countedMask & (1 << stateCode.RUNNABLE)) !== 0;
	const rows: LineRow[] = [];
	for (let group = 1; group < grouping.places.length; group++) {
		if (sums.totalTicks[group] === 0 && (!isCpuCounted || sums.totalCpuNs[group] === 0)) {
			continue;
		}

		const [self, total] = scope.unit === 'ticks'
			? [percentOf(sums.selfTicks[group], sums.wholeTicks), percentOf(sums.totalTicks[group], sums.wholeTicks)]
			: [percentOf(sums.selfCpuNs[group], sums.wholeCpuNs), percentOf(sums.totalCpuNs[group], sums.wholeCpuNs)];
		const place = grouping.places[group];
		const ranked = ranking.of(group, maxTopThreads);
		rows.push(new CountedLine({
			className: place.className,
			method: place.method,
			file: place.file,
			line: place.line,
			key: grouping.keys[group],
			selfTicks: sums.selfTicks[group],
			totalTicks: sums.totalTicks[group],
			selfCpuNs: sums.selfCpuNs[group],
			totalCpuNs: sums.totalCpuNs[group],
			selfPercent: self,
			totalPercent: total,
			errorPercent: shareError(self, wholeSamples),
			states: [...sums.states.subarray(group * stateCount, (group + 1) * stateCount)],
			threadCount: ranked.count,
			topThreads: ranked.top.map(thread => dictionary.strings[threads.name[thread]]),
			blockedNow: standing.blocked[group],
			stuckMs: standing.longestMs[group],
			stuckAtLeast: standing.isLonger[group] === 1,
			heldUpNow: standing.heldUp[group],
			holder: standing.heldUp[group] > 0 ? standing.holderOf(group) : undefined,
		}, group, beyond));
	}

	const {row: matches} = scope.filter;
	const shown = matches ? rows.filter(row => matches(lineFilterRow(row))) : rows;
	return {
		rows: sortRows(shown, lineColumns, query.sort), allRows: rows.length, wholeCpuNs: sums.wholeCpuNs, wholeTicks: sums.wholeTicks, cpuSamples: effectiveSamples(sums.wholeCpuNs, sums.squaredCpuNs),
	};
}

/** A row; where its samples count by the other rule is found when it is asked. */
class CountedLine implements LineRow {
	readonly className: string;
	readonly method: string;
	readonly file: string;
	readonly line: number;
	readonly key: string;
	readonly selfTicks: number;
	readonly totalTicks: number;
	readonly selfCpuNs: number;
	readonly totalCpuNs: number;
	readonly selfPercent: number;
	readonly totalPercent: number;
	readonly errorPercent: number;
	readonly states: LineRow['states'];
	readonly threadCount: number;
	readonly topThreads: readonly string[];
	readonly blockedNow: number;
	readonly stuckMs: number;
	readonly stuckAtLeast: boolean;
	readonly heldUpNow: number;
	readonly holder?: string;
	readonly #group: number;
	readonly #beyond: OtherSide;

	constructor(row: Omit<LineRow, 'via' | 'own'>, group: number, beyond: OtherSide) {
		this.className = row.className;
		this.method = row.method;
		this.file = row.file;
		this.line = row.line;
		this.key = row.key;
		this.selfTicks = row.selfTicks;
		this.totalTicks = row.totalTicks;
		this.selfCpuNs = row.selfCpuNs;
		this.totalCpuNs = row.totalCpuNs;
		this.selfPercent = row.selfPercent;
		this.totalPercent = row.totalPercent;
		this.errorPercent = row.errorPercent;
		this.states = row.states;
		this.threadCount = row.threadCount;
		this.topThreads = row.topThreads;
		this.blockedNow = row.blockedNow;
		this.stuckMs = row.stuckMs;
		this.stuckAtLeast = row.stuckAtLeast;
		this.heldUpNow = row.heldUpNow;
		this.holder = row.holder;
		this.#group = group;
		this.#beyond = beyond;
	}

	get via(): Place | undefined {
		return this.#beyond.isOwnFirst ? this.#beyond.of(this.#group) : undefined;
	}

	get own(): Place | undefined {
		return this.#beyond.isOwnFirst ? undefined : this.#beyond.of(this.#group);
	}
}

/** Sums by group. A stack adds to `self` of the group it is attributed to and to `total` of each group in it. */
class LineSums {
	readonly selfTicks: Float64Array;
	readonly selfCpuNs: Float64Array;
	readonly totalTicks: Float64Array;
	readonly totalCpuNs: Float64Array;
	/** Ticks at [group * stateCount + state], every state. */
	readonly states: Float64Array;
	/** By fact: its attributed group, 0 for those without Java frames. */
	readonly groupOfFact: Int32Array;
	wholeTicks = 0;
	wholeCpuNs = 0;
	/** Sum over the samples of their CPU time squared. */
	squaredCpuNs = 0;

	constructor(snapshot: Snapshot, facts: Facts, scope: Scope, attributed: Int32Array, grouping: Grouping) {
		const groups = grouping.places.length;
		this.selfTicks = new Float64Array(groups);
		this.selfCpuNs = new Float64Array(groups);
		this.totalTicks = new Float64Array(groups);
		this.totalCpuNs = new Float64Array(groups);
		this.states = new Float64Array(groups * stateCount);
		this.groupOfFact = new Int32Array(facts.count);
		this.#addTotals(snapshot, grouping, this.#addSelf(snapshot, facts, scope, attributed, grouping));
	}

	#addSelf({dictionary}: Snapshot, facts: Facts, {countedMask}: Scope, attributed: Int32Array, {groupOfFrame}: Grouping): NodeSums {
		const ticksOfNode = new Float64Array(dictionary.nodeCount);
		const cpuNsOfNode = new Float64Array(dictionary.nodeCount);
		for (let index = 0; index < facts.count; index++) {
			const node = facts.node[index];
			if (node === rootNode) {
				continue;
			}

			const group = groupOfFrame[dictionary.nodeFrame[attributed[node]]];
			const ticks = facts.ticks[index];
			const cpuNs = facts.cpuNs[index];
			this.groupOfFact[index] = group;
			this.states[(group * stateCount) + facts.state[index]] += ticks;
			this.selfCpuNs[group] += cpuNs;
			this.wholeCpuNs += cpuNs;
			this.squaredCpuNs += cpuNs * cpuNs / Math.max(ticks, 1);
			cpuNsOfNode[node] += cpuNs;
			if ((countedMask & (1 << facts.state[index])) !== 0) {
				this.selfTicks[group] += ticks;
				this.wholeTicks += ticks;
				ticksOfNode[node] += ticks;
			}
		}

		return {ticksOfNode, cpuNsOfNode};
	}

	/** Callees have greater ids than their callers, so that one pass from the end sums every subtree. */
	#addTotals({dictionary}: Snapshot, {groupOfFrame, outermost}: Grouping, {ticksOfNode, cpuNsOfNode}: NodeSums): void {
		const {nodeParent, nodeFrame} = dictionary;
		for (let node = dictionary.nodeCount - 1; node > rootNode; node--) {
			const ticks = ticksOfNode[node];
			const cpuNs = cpuNsOfNode[node];
			if (ticks === 0 && cpuNs === 0) {
				continue;
			}

			if (outermost[node] === 1) {
				const group = groupOfFrame[nodeFrame[node]];
				this.totalTicks[group] += ticks;
				this.totalCpuNs[group] += cpuNs;
			}

			ticksOfNode[nodeParent[node]] += ticks;
			cpuNsOfNode[nodeParent[node]] += cpuNs;
		}
	}
}

type NodeSums = {readonly ticksOfNode: Float64Array; readonly cpuNsOfNode: Float64Array};

function lineFilterRow(row: LineRow): FilterRow {
	return {
		text: row.via ? `${placeName(row)}\nvia ${placeName(row.via)}` : placeName(row), percent: row.selfPercent, totalPercent: row.totalPercent, cpuMs: row.selfCpuNs / 1e6, ticks: row.selfTicks, totalTicks: row.totalTicks,
		threads: row.threadCount, blocked: row.blockedNow, stuckS: row.stuckMs / 1000,
	};
}
