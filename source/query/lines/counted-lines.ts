import type {Snapshot} from '../../model/snapshot.js';
import {stateCode} from '../../model/thread-state.js';
import {attributionOf} from '../counters/attribution.js';
import {CounterBuckets, CounterRanking} from '../counters/ranking.js';
import {countersInWindow, type Scope} from '../counters/scope.js';
import {samplesOf, threadsInStep} from '../counters/share.js';
import {stackIndex} from '../counters/stack-index.js';
import {contentionByLocation} from '../locks/contention-by-location.js';
import type {LineTable, Query, Unit} from '../types/rows.js';
import {CountedLine, type CountedFigures} from './counted-line.js';
import {LineSums} from './line-sums.js';
import {OtherSide} from './other-side.js';

/** All lines of a window, in no order, and what their shares are of. */
export type CountedLines = Omit<LineTable, 'rows' | 'allRows' | 'above'> & {readonly rows: readonly CountedLine[]};

type Counted = {
	readonly asked: readonly unknown[];
	/** By the units that were asked for. */
	readonly lines: Map<Unit, CountedLines>;
	in(scope: Scope): CountedLines;
};

/** What was counted of the snapshot asked for last: another order, filter or unit finds it there. */
const counted = new WeakMap<Snapshot, Counted>();
let last: WeakRef<Snapshot> | undefined;

/**
The places with counted ticks or CPU time between `baseline` (undefined: the session's start) and `snapshot`. The same
question gets the same rows.
*/
export function countedLines(snapshot: Snapshot, since: Snapshot | undefined, query: Query, scope: Scope): CountedLines {
	const asked = [since, query.by, query.ownFirst === true, query.app, scope.stateMask, scope.countedMask, scope.threads?.join('')];
	let known = counted.get(snapshot);
	if (!known || known.asked.some((value, index) => value !== asked[index])) {
		counted.delete(last?.deref() ?? snapshot);
		known = {asked, lines: new Map(), in: count(snapshot, since, query, scope)};
		counted.set(snapshot, known);
		last = new WeakRef(snapshot);
	}

	const lines = known.lines.get(scope.unit) ?? known.in(scope);
	known.lines.set(scope.unit, lines);
	return lines;
}

function count(snapshot: Snapshot, since: Snapshot | undefined, query: Query, scope: Scope): Counted['in'] {
	const {dictionary, threads} = snapshot;
	const {countedMask} = scope;
	const counters = countersInWindow(snapshot, since, scope);
	const grouping = stackIndex(dictionary).grouping(query.by);
	const attributed = attributionOf(dictionary, query);
	const sums = new LineSums(snapshot, counters, scope, attributed, grouping);
	const {wholeCpuNs, wholeTicks} = sums;
	const inStep = threadsInStep(snapshot, since);
	const locations = grouping.locations.length;
	const buckets = new CounterBuckets(sums.bucketOfCounter, locations);
	const shared: Omit<CountedFigures, 'beyond' | 'isInTicks'> = {
		grouping, sums, threads, inStep, ranking: new CounterRanking(counters, buckets, counters.thread, threads.count, countedMask), contention: contentionByLocation(snapshot, attributed, grouping, scope),
	};
	const isCpuCounted = (countedMask & (1 << stateCode.RUNNABLE)) !== 0;
	return inUnit => {
		const isInTicks = inUnit.unit === 'ticks';
		const figures: CountedFigures = {
			...shared, isInTicks, beyond: new OtherSide(snapshot, counters, inUnit, query, buckets),
		};
		const rows: CountedLine[] = [];
		for (let group = 1; group < locations; group++) {
			if (sums.totalTicks[group] > 0 || (isCpuCounted && sums.totalCpuNs[group] > 0)) {
				rows.push(new CountedLine(group, figures));
			}
		}

		return {
			rows, wholeCpuNs, wholeTicks, cpuSamples: samplesOf(sums.cpu(), sums.cpu()), ticksPerObservation: wholeTicks > 0 ? inStep * sums.wholeSquaredTicks / wholeTicks : 1,
		};
	};
}
