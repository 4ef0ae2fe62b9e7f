import {getOrCreate} from '../util/get-or-create.js';
import {rootNode} from '../model/frame.js';
import type {Dictionary, Counters, Snapshot} from '../model/snapshot.js';
import {stateCount, threadStates, type ThreadState} from '../model/thread-state.js';
import {membersOf} from './counters/thread-table.js';
import {locationName} from './counters/location.js';
import {countersInWindow, scopeOf, type Scope} from './counters/scope.js';
import {percentOf} from './counters/share.js';
import {sortRowsBy} from './columns/sort.js';
import {framesOf} from './counters/stack-index.js';
import {filtered} from './filter/filter.js';
import type {Location, Query} from './types/query.js';

/** Returns identical stacks in the same state that pass the filter, sorted by the unit. */
export function queryStacks(snapshot: Snapshot, since: Snapshot | undefined, query: Query): readonly StackRow[] {
	const scope = scopeOf(snapshot, query);
	const counters = countersInWindow(snapshot, since, {...scope, stateMask: scope.countedMask});
	return filtered(stackRows(snapshot, counters, scope), scope.filter, {
		text: row => row.frames.map(frame => locationName(frame)).join('\n'),
		percent: row => row.percent,
		cpuMs: row => row.cpuNs / 1e6,
		ticks: row => row.ticks,
		threads: row => row.threadCount,
		blocked: row => row.state === 'BLOCKED' ? row.threadCount : 0,
	});
}

/** Returns the rows of counters with frames, sorted by the unit, then by key. Shares are of these counters' sum. */
export function stackRows(
	{dictionary, threads}: Pick<Snapshot, 'dictionary' | 'threads'>,
	counters: Counters,
	{unit}: Pick<Scope, 'unit'>,
): StackRow[] {
	const whole = {ticks: 0, cpuNs: 0};
	const rows = new Map<number, StackRow>();
	// A thread has several counters for a stack and state if native code counts at its callers.
	const known = new Set<number>();
	for (let index = 0; index < counters.count; index++) {
		const [thread, node, state, ticks, cpuNs] = [
			counters.thread[index],
			counters.node[index],
			counters.state[index],
			counters.ticks[index],
			counters.cpuNs[index],
		];
		if (node !== rootNode) {
			const stack = (node * stateCount) + state;
			const row = getOrCreate(rows, stack, () => new StackRow(node, threadStates[state], dictionary));
			row.ticks += ticks;
			row.cpuNs += cpuNs;
			row.threadCount += known.has((stack * threads.count) + thread) ? 0 : membersOf(threads, thread);
			known.add((stack * threads.count) + thread);
			whole.ticks += ticks;
			whole.cpuNs += cpuNs;
		}
	}

	const [cpuNs, ticks] = [(row: StackRow) => row.cpuNs, (row: StackRow) => row.ticks];
	const sorted = sortRowsBy([...rows.values()], unit === 'ticks' ? [ticks, cpuNs] : [cpuNs, ticks], -1);
	for (const row of sorted) {
		row.percent = unit === 'ticks' ? percentOf(row.ticks, whole.ticks) : percentOf(row.cpuNs, whole.cpuNs);
	}

	return sorted;
}

/** Identical stacks in the same state, summed over all threads. */
export class StackRow {
	readonly key: string;
	ticks = 0;
	cpuNs = 0;
	percent = 0;
	threadCount = 0;

	constructor(readonly node: number, readonly state: ThreadState, readonly dictionary: Dictionary) {
		this.key = `${node}:${state}`;
	}

	/** Innermost first. */
	get frames(): readonly Location[] {
		return framesOf(this.dictionary, this.node);
	}
}
