import {rootNode} from '../../model/frame.js';
import type {Dictionary, Counters, Snapshot} from '../../model/snapshot.js';
import {stateCount, threadStates} from '../../model/thread-state.js';
import {locationName} from '../counters/location.js';
import {countersInWindow, scopeOf, type Scope} from '../counters/scope.js';
import {percentOf} from '../counters/share.js';
import {sortRowsBy} from '../columns/sort.js';
import {framesOf, stackIndex} from '../counters/stack-index.js';
import type {Location, Query, StackRow} from '../types/rows.js';
import {SameStacks} from './same-stacks.js';

/**
Stacks between `baseline` (undefined: the session's start) and `snapshot`, identical ones in the same counted state put
together over all threads; those without Java frames left out. Filtered (a word may match any frame); in the order of
the unit: most CPU time, then ticks, or the other way round. With `depth`, stacks are compared and shown by that many
frames from the top.
*/
export function queryStacks(snapshot: Snapshot, since: Snapshot | undefined, query: Query, depth = Infinity): StackRow[] {
	const scope = scopeOf(snapshot, query);
	const counters = countersInWindow(snapshot, since, {stateMask: scope.countedMask, threads: scope.threads});
	const rows = stackRows(snapshot.dictionary, counters, scope, depth);
	const {row: matches} = scope.filter;
	return sortStacks(matches
		? rows.filter(row => matches({
			text: row.frames.map(frame => locationName(frame)).join('\n'), percent: row.percent, totalPercent: row.percent, cpuMs: row.cpuNs / 1e6, ticks: row.ticks, totalTicks: row.ticks,
			threads: row.threadCount, blocked: row.state === 'BLOCKED' ? row.threadCount : 0, stuckS: 0,
		}))
		: rows, scope);
}

/** Rows of the counters that have Java frames, in no order. Shares are of the whole of these counters. */
export function stackRows(dictionary: Dictionary, counters: Counters, {unit}: Pick<Scope, 'unit'>, depth = Infinity): StackRow[] {
	const merged = merge(dictionary, counters, depth);
	let [wholeTicks, wholeCpuNs] = [0, 0];
	for (const stack of merged) {
		wholeTicks += stack.ticks;
		wholeCpuNs += stack.cpuNs;
	}

	return merged.map(stack => new LazyStackRow(stack, unit === 'ticks' ? percentOf(stack.ticks, wholeTicks) : percentOf(stack.cpuNs, wholeCpuNs), dictionary, depth));
}

/** In the unit's order, equal ones by key. */
export function sortStacks(rows: readonly StackRow[], {unit}: Pick<Scope, 'unit'>): StackRow[] {
	const [cpuNs, ticks] = [(row: StackRow) => row.cpuNs, (row: StackRow) => row.ticks];
	return sortRowsBy(rows, unit === 'ticks' ? [ticks, cpuNs] : [cpuNs, ticks], -1);
}

type MergedStack = {readonly node: number; readonly state: number; ticks: number; cpuNs: number; threadCount: number};

class LazyStackRow implements StackRow {
	readonly ticks: number;
	readonly cpuNs: number;
	readonly state: StackRow['state'];
	readonly percent: number;
	readonly threadCount: number;
	readonly #node: number;
	readonly #dictionary: Dictionary;
	readonly #depth: number;
	#key: string | undefined;

	constructor(stack: MergedStack, percent: number, dictionary: Dictionary, depth: number) {
		this.ticks = stack.ticks;
		this.cpuNs = stack.cpuNs;
		this.state = threadStates[stack.state];
		this.percent = percent;
		this.threadCount = stack.threadCount;
		this.#node = stack.node;
		this.#dictionary = dictionary;
		this.#depth = depth;
	}

	get key(): string {
		this.#key ??= `${this.#node}:${this.state}`;
		return this.#key;
	}

	get frames(): readonly Location[] {
		return framesOf(this.#dictionary, this.#node, this.#depth);
	}
}

/** Samples of the same stack in the same state, put together; the first one's node stands for all. */
function merge(dictionary: Dictionary, counters: Counters, depth: number): MergedStack[] {
	const rows: MergedStack[] = [];
	const stacks = new SameStacks(dictionary, stackIndex(dictionary).grouping('line'), depth);
	const rowOf = new Map<number, MergedStack>();
	const threads = new Map<MergedStack, Set<number>>();
	for (let index = 0; index < counters.count; index++) {
		const node = counters.node[index];
		if (node === rootNode) {
			continue;
		}

		const state = counters.state[index];
		const slot = (stacks.numberOf(node) * stateCount) + state;
		let row = rowOf.get(slot);
		if (!row) {
			row = {
				node, state, ticks: 0, cpuNs: 0, threadCount: 0,
			};
			rowOf.set(slot, row);
			rows.push(row);
			threads.set(row, new Set());
		}

		row.ticks += counters.ticks[index];
		row.cpuNs += counters.cpuNs[index];
		row.threadCount = threads.get(row)!.add(counters.thread[index]).size;
	}

	return rows;
}
