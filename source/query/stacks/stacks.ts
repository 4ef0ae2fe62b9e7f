import {rootNode} from '../../model/frame.js';
import type {Dictionary, Counters, Snapshot} from '../../model/snapshot.js';
import {stateCount, threadStates} from '../../model/thread-state.js';
import {locationName} from '../counters/location.js';
import {countersInWindow, scopeOf, type Scope} from '../counters/scope.js';
import {percentOf} from '../counters/share.js';
import {sortRowsBy} from '../columns/sort.js';
import {framesOf} from '../counters/stack-index.js';
import type {Location, Query, StackRow} from '../types/rows.js';

/**
Stacks between `baseline` (undefined: the session's start) and `snapshot`, identical ones in the same counted state put
together over all threads; those without Java frames left out. Filtered (a word may match any frame); in the order of
the unit: most CPU time, then ticks, or the other way round.
*/
export function queryStacks(snapshot: Snapshot, since: Snapshot | undefined, query: Query): StackRow[] {
	const scope = scopeOf(snapshot, query);
	const counters = countersInWindow(snapshot, since, {stateMask: scope.countedMask, threads: scope.threads});
	const rows = stackRows(snapshot.dictionary, counters, scope);
	const {row: matches} = scope.filter;
	return sortStacks(matches
		? rows.filter(row => matches({
			text: row.frames.map(frame => locationName(frame)).join('\n'), percent: row.percent, totalPercent: row.percent, cpuMs: row.cpuNs / 1e6, ticks: row.ticks, totalTicks: row.ticks,
			threads: row.threadCount, blocked: row.state === 'BLOCKED' ? row.threadCount : 0, stuckS: 0,
		}))
		: rows, scope);
}

/** Rows of the counters that have Java frames, in no order. Shares are of the whole of these counters. */
export function stackRows(dictionary: Dictionary, counters: Counters, {unit}: Pick<Scope, 'unit'>): StackRow[] {
	const merged = merge(dictionary, counters);
	let [wholeTicks, wholeCpuNs] = [0, 0];
	for (const stack of merged) {
		wholeTicks += stack.ticks;
		wholeCpuNs += stack.cpuNs;
	}

	return merged.map(stack => new LazyStackRow(stack, unit === 'ticks' ? percentOf(stack.ticks, wholeTicks) : percentOf(stack.cpuNs, wholeCpuNs), dictionary));
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
	#key: string | undefined;

	constructor(stack: MergedStack, percent: number, dictionary: Dictionary) {
		this.ticks = stack.ticks;
		this.cpuNs = stack.cpuNs;
		this.state = threadStates[stack.state];
		this.percent = percent;
		this.threadCount = stack.threadCount;
		this.#node = stack.node;
		this.#dictionary = dictionary;
	}

	get key(): string {
		this.#key ??= `${this.#node}:${this.state}`;
		return this.#key;
	}

	get frames(): readonly Location[] {
		return framesOf(this.#dictionary, this.#node);
	}
}

/** Samples of the same stack in the same state, put together. A counter is of one thread alone. */
function merge({nodeCount}: Dictionary, counters: Counters): MergedStack[] {
	const rows: MergedStack[] = [];
	const rowOf = new Int32Array(nodeCount * stateCount);
	for (let index = 0; index < counters.count; index++) {
		const node = counters.node[index];
		if (node === rootNode) {
			continue;
		}

		const state = counters.state[index];
		const slot = (node * stateCount) + state;
		if (rowOf[slot] === 0) {
			rowOf[slot] = rows.push({
				node, state, ticks: 0, cpuNs: 0, threadCount: 0,
			});
		}

		const row = rows[rowOf[slot] - 1];
		row.ticks += counters.ticks[index];
		row.cpuNs += counters.cpuNs[index];
		row.threadCount++;
	}

	return rows;
}
