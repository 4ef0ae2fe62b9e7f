import {lookUp} from '../../model/column-types.js';
import {getOrCreate} from '../../util/get-or-create.js';
import {jvmWork} from '../../model/jvm-stacks.js';
import {rootNode} from '../../model/frame.js';
import {rowsInWindow} from '../../model/rows-in-window.js';
import {counterColumns} from '../../model/schema.js';
import type {Counters, Dictionary, Snapshot} from '../../model/snapshot.js';
import {stateCode, threadStates} from '../../model/thread-state.js';
import {filterOf, type RowFilter} from '../filter/filter.js';
import {maskOf, stateSets} from '../filter/state-sets.js';
import type {Measure, Query, Unit} from '../types/query.js';
import {alignedTo, withoutNegativeCpu} from './aligned.js';
import {stackIndex} from './stack-index.js';
import {threadKind} from './thread-table.js';
import {isWaitForWork, type OwnCodeRule} from './waiting-stacks.js';

/** The counters that a query counts. State masks have bit n for state code n. */
export type Scope = {
	/** Counters in other states are ignored (the filter's `state:`). */
	readonly stateMask: number;
	/** Only ticks in these states count, but CPU time in all states. */
	readonly countedMask: number;
	/** By thread: 1 if it counts; undefined: all count. */
	readonly threads: Uint8Array | undefined;
	readonly unit: Unit;
	readonly native?: boolean;
	/**
	Rows of the JVM's own work: all by themselves, one for each kind of work, or one for all compilations; by default
	see `withoutSmallWork`.
	*/
	readonly work?: 'all' | 'as-one' | 'jit-as-one';
	/** Samples of threads that wait for work do not count; the rule tells their stacks. */
	readonly workRule?: OwnCodeRule;
	readonly filter: RowFilter;
};

export const allStatesMask = (1 << threadStates.length) - 1;

/** Returns the scope of a query's states, thread keys and filter in a snapshot; ignores an invalid filter. */
export function scopeOf(snapshot: Snapshot, query: Query): Scope {
	const filter = filterOf(query.filter);
	const stateMask = filter.stateMask ?? allStatesMask;
	const countedMask = filter.stateMask ?? maskOf(query.states);
	return {
		stateMask,
		countedMask,
		threads: threadsOf(snapshot, query, filter),
		unit: unitFor(query.unit, countedMask),
		native: query.native,
		workRule: query.withoutWaitsForWork ? query : undefined,
		filter,
	};
}

/**
Returns a query's unit. Percentages become shares of ticks if RUNNABLE does not count, as blocked and waiting threads
use no CPU; percentages of a core become shares of CPU time if the window has no length, as in some profiles of other
tools.
*/
export function effectiveUnit(query: Query, overMs = Infinity): Unit {
	const unit = query.unit === 'core' && overMs === 0 ? 'cpu' : query.unit;
	return unitFor(unit, filterOf(query.filter).stateMask ?? maskOf(query.states));
}

/** Returns what figures of a query are in: `effectiveUnit` or, for ticks of one kind of states, that kind. */
export function measureOf(query: Query, overMs?: number): Measure {
	const unit = effectiveUnit(query, overMs);
	const mask = filterOf(query.filter).stateMask ?? maskOf(query.states);
	const only = (['blocked', 'waiting'] as const).find(id =>
		(mask & ~maskOf(stateSets.find(set => set.id === id)!.states)) === 0);
	return unit === 'ticks' ? only ?? unit : unit;
}

function unitFor(unit: Unit, countedMask: number): Unit {
	const isPercent = unit === 'core' || unit === 'cpu';
	return isPercent && (countedMask & (1 << stateCode.RUNNABLE)) === 0 ? 'ticks' : unit;
}

function threadsOf({threads}: Snapshot, {threadKeys, javaOnly}: Query, {thread}: RowFilter): Uint8Array | undefined {
	if (!threadKeys && !thread && !javaOnly) {
		return undefined;
	}

	const isCounted = (index: number) =>
		(!threadKeys || threadKeys.has(threads.key[index])) && (!thread || thread(threads.name[index]))
		&& (!javaOnly || threadKind(threads.flags[index]) === 'java');
	return Uint8Array.from({length: threads.count}, (_, index) => Number(isCounted(index)));
}

/** Whether a thread counts in the scope. */
export function isCounted({threads}: Pick<Scope, 'threads'>, thread: number): boolean {
	return !threads || threads[thread] === 1;
}

/** Returns the indexes of the threads that count in the scope. */
export function countedThreads({threads: {count}}: Snapshot, scope: Pick<Scope, 'threads'>): number[] {
	return Array.from({length: count}, (_, thread) => thread).filter(thread => isCounted(scope, thread));
}

/** Counters of a window. `workParts`: by node of the JVM's work, the nodes whose CPU time counts there as well. */
export type WindowCounters = Counters & {readonly workParts?: ReadonlyMap<number, readonly number[]>};

/**
Returns the counters between `since` (undefined: the session's start) and the snapshot, within the scope. Unless
`scope.native`, native code counts at its Java callers, so several counters may have the same key.
*/
export function countersInWindow(
	snapshot: Snapshot,
	since: Snapshot | undefined,
	scope: Pick<Scope, 'stateMask' | 'threads' | 'native' | 'work' | 'workRule'>,
): WindowCounters {
	const {counters, dictionary} = snapshot;
	const {stateMask, threads, workRule} = scope;
	const isWanted
		= stateMask === allStatesMask && !threads && !workRule
			? undefined
			: (index: number) =>
				(stateMask & (1 << counters.state[index])) !== 0
				&& isCounted(scope, counters.thread[index])
				&& !(workRule && isWaitForWork(dictionary, counters.node[index], counters.state[index], workRule));
	const balanced = withoutNegativeCpu(
		dictionary,
		rowsInWindow(counterColumns, counters, alignedTo(snapshot, since)?.counters, isWanted),
	);
	const {folded} = stackIndex(dictionary);
	const inJava
		= folded && !scope.native ? {...balanced, node: lookUp(folded, balanced.node, balanced.count)} : balanced;
	return scope.work === 'all' ? inJava : withoutSmallWork(inJava, dictionary, scope.work);
}

const minWorkRowPercent = 1;

/**
Counts small rows of JVM work for their callers: short compilations for `[jit] C2`, a small `[jit] C2` for `[jit]`; or
all compilations for `[jit]`, or all work of a kind for its outermost frame.
*/
function withoutSmallWork(
	counters: Counters,
	dictionary: Dictionary,
	work: 'as-one' | 'jit-as-one' | undefined,
): WindowCounters {
	const {nodeCount, nodeParent, nodeFrame, frameClass, strings} = dictionary;
	const isAsOne = (node: number) => work === 'as-one'
		|| (work === 'jit-as-one' && strings[frameClass[nodeFrame[node]]] === jvmWork.jit);
	const {isBelowWork} = stackIndex(dictionary);
	if (!isBelowWork) {
		return counters;
	}

	const cpuNs = new Float64Array(nodeCount);
	let wholeNs = 0;
	for (let counter = 0; counter < counters.count; counter++) {
		cpuNs[counters.node[counter]] += counters.cpuNs[counter];
		wholeNs += counters.cpuNs[counter];
	}

	/** By node: where its counters count. Callers have smaller ids than what they call. */
	let target: Int32Array | undefined;
	const parts = work === 'as-one' ? nodesWithCpu(cpuNs, isBelowWork) : [];
	for (let node = nodeCount - 1; node > rootNode; node--) {
		if (isBelowWork[node] === 1 && (100 * cpuNs[node] < minWorkRowPercent * wholeNs || isAsOne(node))) {
			target ??= Int32Array.from({length: nodeCount}, (_, index) => index);
			target[node] = nodeParent[node];
			cpuNs[nodeParent[node]] += cpuNs[node];
		}
	}

	if (!target) {
		return counters;
	}

	for (let node = rootNode + 1; node < nodeCount; node++) {
		target[node] = target[target[node]];
	}

	const workParts = new Map<number, number[]>();
	for (const part of parts) {
		getOrCreate(workParts, target[part], () => []).push(part);
	}

	return {...counters, node: lookUp(target, counters.node, counters.count), workParts};
}

/** Returns the nodes of the JVM's work with CPU time of their own. */
function nodesWithCpu(cpuNs: Float64Array, isBelowWork: Uint8Array): number[] {
	const nodes: number[] = [];
	for (let node = rootNode + 1; node < cpuNs.length; node++) {
		if (isBelowWork[node] === 1 && cpuNs[node] > 0) {
			nodes.push(node);
		}
	}

	return nodes;
}
