import {recordsInWindow} from '../../model/records-in-window.js';
import {counterColumns} from '../../model/schema.js';
import type {Counters, Snapshot} from '../../model/snapshot.js';
import {stateCode, threadStates} from '../../model/thread-state.js';
import {filterOf, type RowFilter} from '../filter/filter.js';
import {maskOf, stateSets} from '../filter/state-sets.js';
import type {Measure, Query, Unit} from '../types/query.js';
import {alignedTo, settledCounters} from './aligned.js';
import {stackIndex} from './stack-index.js';
import {threadKind} from './thread-kind.js';

/** Which counters a query counts and how. State masks have the bit of a state's code. */
export type Scope = {
	/** Counters in other states are left out altogether (the filter's `state:`). */
	readonly stateMask: number;
	readonly countedMask: number;
	/** By thread index: 1 for threads that count; undefined for all. */
	readonly threads: Uint8Array | undefined;
	readonly unit: Unit;
	/** Native code counts by itself, see `Query.native`. */
	readonly native?: boolean;
	readonly filter: RowFilter;
};

export const allStatesMask = (1 << threadStates.length) - 1;

/** The scope of the query's states, thread keys and filter in this snapshot; an invalid filter is ignored. */
export function scopeOf(snapshot: Snapshot, query: Query): Scope {
	const filter = filterOf(query.filter);
	const stateMask = filter.stateMask ?? allStatesMask;
	const countedMask = filter.stateMask ?? maskOf(query.states);
	return {
		stateMask, countedMask, threads: threadsOf(snapshot, query, filter), unit: unitFor(query.unit, countedMask), native: query.native, filter,
	};
}

/** The unit in force: blocked and waiting threads use no CPU, so their lines are measured in ticks. */
export function effectiveUnit(query: Query): Unit {
	return unitFor(query.unit, filterOf(query.filter).stateMask ?? maskOf(query.states));
}

/** What shares of a query are of: as `effectiveUnit`, with the one kind of states that ticks are of, if there is one. */
export function measureOf(query: Query): Measure {
	const unit = effectiveUnit(query);
	const mask = filterOf(query.filter).stateMask ?? maskOf(query.states);
	const only = (['blocked', 'waiting'] as const).find(id => (mask & ~maskOf(stateSets.find(set => set.id === id)!.states)) === 0);
	return unit === 'ticks' ? only ?? unit : unit;
}

function unitFor(unit: Unit, countedMask: number): Unit {
	return unit === 'cpu' && (countedMask & (1 << stateCode.RUNNABLE)) === 0 ? 'ticks' : unit;
}

function threadsOf({threads}: Snapshot, {threadKeys, javaOnly}: Query, {thread}: RowFilter): Uint8Array | undefined {
	if (!threadKeys && !thread && !javaOnly) {
		return undefined;
	}

	const counted = new Uint8Array(threads.count);
	for (let index = 0; index < threads.count; index++) {
		const isCounted = (!threadKeys || threadKeys.has(threads.key[index])) && (!thread || thread(threads.name[index])) && (!javaOnly || threadKind(threads.flags[index]) === 'java');
		counted[index] = isCounted ? 1 : 0;
	}

	return counted;
}

/** Whether a thread, by its index, is one that the scope looks at. */
export function isCounted({threads}: Pick<Scope, 'threads'>, thread: number): boolean {
	return !threads || threads[thread] === 1;
}

/**
What was counted between `since` (undefined: the session's start) and the snapshot, within the scope. Native code counts
for its Java callers unless the scope says otherwise: then counters may have the same key.
*/
export function countersInWindow(snapshot: Snapshot, since: Snapshot | undefined, scope: Pick<Scope, 'stateMask' | 'threads' | 'native'>): Counters {
	const {counters, dictionary} = snapshot;
	const {stateMask, threads} = scope;
	const isWanted = stateMask === allStatesMask && !threads ? undefined : (index: number) => (stateMask & (1 << counters.state[index])) !== 0 && isCounted(scope, counters.thread[index]);
	const settled = settledCounters(dictionary, recordsInWindow(counterColumns, counters, alignedTo(snapshot, since)?.counters, isWanted));
	const {folded} = stackIndex(dictionary);
	return folded && !scope.native ? {...settled, node: settled.node.subarray(0, settled.count).map(node => folded[node])} : settled;
}
