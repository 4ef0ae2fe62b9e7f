import {makeArrays, namesOf, newArray, select, type Columns} from '../../model/column-types.js';
import {endedThreadsKey} from '../../model/sample.js';
import {
	contentionColumns, counterColumns, eventColumns, threadNumbers, type KeyedColumns, type RowArrays,
} from '../../model/schema.js';
import type {Snapshot, ThreadTable, Dictionary, Counters} from '../../model/snapshot.js';
import {sumUpTo} from '../../util/sum.js';
import {stackIndex} from './stack-index.js';

/** The last result by earlier snapshot: every query of a refresh needs it. */
const lastAligned = new WeakMap<Snapshot, {readonly now: WeakRef<Snapshot>; readonly aligned: Snapshot}>();

/**
Returns an earlier snapshot with a later one's indexes, to subtract; freed rows of threads count as (ended threads).
*/
export function alignedTo(now: Snapshot, then: Snapshot): Snapshot;
export function alignedTo(now: Snapshot, then: Snapshot | undefined): Snapshot | undefined;
export function alignedTo(now: Snapshot, then: Snapshot | undefined): Snapshot | undefined {
	if (!then || now === then) {
		return then;
	}

	const known = lastAligned.get(then);
	if (known?.now.deref() === now) {
		return known.aligned;
	}

	const aligned = align(now, then);
	lastAligned.set(then, {now: new WeakRef(now), aligned});
	if (aligned !== then) {
		// Aligning it again changes nothing.
		lastAligned.set(aligned, {now: new WeakRef(now), aligned});
	}

	return aligned;
}

function align(now: Snapshot, then: Snapshot): Snapshot {
	const ended = now.threads.key.subarray(0, now.threads.count).indexOf(endedThreadsKey);
	/** By thread of `then`: the thread of `now` that has its counts. */
	const threadOf = Int32Array.from({length: then.threads.count}, (_, thread) => thread);
	let isSame = true;
	for (let thread = 0; thread < then.threads.count; thread++) {
		if (thread >= now.threads.count || now.threads.serial[thread] !== then.threads.serial[thread]) {
			threadOf[thread] = ended;
			isSame = false;
		}
	}

	return isSame || ended === -1
		? then
		: {
			...then,
			threads: alignedThreads(now.threads, then.threads, threadOf),
			counters: alignedCounters(counterColumns, now.counters, then.counters, threadOf, ended),
			contention: alignedCounters(contentionColumns, now.contention, then.contention, threadOf, ended),
			events: alignedCounters(eventColumns, now.events, then.events, threadOf, ended),
		};
}

function alignedThreads(now: ThreadTable, then: ThreadTable, threadOf: Int32Array): ThreadTable {
	return {
		...now,
		...makeArrays(threadNumbers, select(threadNumbers, {window: 'difference'}), (column, name) => {
			const sums = newArray(column, now.count);
			for (let thread = 0; thread < then.count; thread++) {
				sums[threadOf[thread]] += then[name][thread];
			}

			return sums;
		}),
	};
}

function alignedCounters<C extends KeyedColumns>(
	columns: C,
	now: RowArrays<C>,
	then: RowArrays<C>,
	threadOf: Int32Array,
	ended: number,
): RowArrays<C> {
	const names = namesOf(columns as Columns) as ReadonlyArray<keyof C & string>;
	const keys = names.filter(name => columns[name].role === 'key');
	const sumNames = names.filter(name => columns[name].role === 'sum');
	const threadKeys = keys.filter(name => columns[name].unit === 'thread' || columns[name].unit === 'threadOrNone');
	const isCounted = (rows: RowArrays<C>, index: number) => sumNames.some(name => rows[name][index] !== 0);
	const isOfEnded = (index: number) => threadKeys.some(name => now[name][index] === ended);
	const threadNow = (thread: number) => thread < 0 ? thread : threadOf[thread];
	const keyNow = (index: number) =>
		keys.map(name => threadKeys.includes(name) ? threadNow(then[name][index]) : then[name][index]).join(' ');
	const countedRowsOfEnded = () => {
		const byKey = new Map<string, number>();
		for (let index = 0; index < now.count; index++) {
			if (isOfEnded(index) && isCounted(now, index)) {
				byKey.set(keys.map(name => now[name][index]).join(' '), index);
			}
		}

		return byKey;
	};

	/** Rows of ended threads in `now` by key: they may have taken over counts of other rows. Built at first use. */
	let ofEnded: Map<string, number> | undefined;
	const find = (key: string) => {
		ofEnded ??= countedRowsOfEnded();
		return ofEnded.get(key);
	};

	const sums = Object.fromEntries(sumNames.map(name => [name, newArray(columns[name], now.count)])) as Record<
		string,
		Float64Array
	>;
	for (let index = 0; index < then.count; index++) {
		const isMoved = threadKeys.some(name => threadNow(then[name][index]) !== then[name][index]);
		const at = isMoved ? (isCounted(then, index) ? find(keyNow(index)) : undefined) : index;
		if (at !== undefined && at < now.count) {
			for (const name of sumNames) {
				sums[name][at] += then[name][index];
			}
		}
	}

	return {...now, ...sums};
}

/**
Returns the counters of a window without negative CPU time, keeping their sum. Negative unattributed time of some
threads is subtracted from the unattributed time of others and, if that is too little, from the recorded CPU time of the
threads whose unattributed time is negative.
*/
export function withoutNegativeCpu(dictionary: Dictionary, counters: Counters): Counters {
	const node = stackIndex(dictionary).unattributed;
	if (node === 0) {
		return counters;
	}

	let [positiveNs, negativeNs] = [0, 0];
	for (let counter = 0; counter < counters.count; counter++) {
		if (counters.node[counter] === node) {
			positiveNs += Math.max(0, counters.cpuNs[counter]);
			negativeNs += Math.max(0, -counters.cpuNs[counter]);
		}
	}

	if (negativeNs === 0) {
		return counters;
	}

	const keptFraction = positiveNs > negativeNs ? (positiveNs - negativeNs) / positiveNs : 0;
	const cpuNs = counters.cpuNs.slice(0, counters.count);
	if (keptFraction === 0) {
		takeFromRecorded(counters, node, negativeNs - positiveNs, cpuNs);
	}

	for (let counter = 0; counter < counters.count; counter++) {
		if (counters.node[counter] === node) {
			cpuNs[counter] = keptFraction * Math.max(0, cpuNs[counter]);
		}
	}

	return {...counters, cpuNs};
}

/** Subtracts `excessNs` from the recorded CPU time of the threads whose time at `node`, unattributed, is negative. */
function takeFromRecorded(
	{count, thread, node: nodes}: Counters,
	node: number,
	excessNs: number,
	cpuNs: Float64Array,
): void {
	const overRecorded = new Set<number>();
	for (let counter = 0; counter < count; counter++) {
		if (nodes[counter] === node && cpuNs[counter] < 0) {
			overRecorded.add(thread[counter]);
		}
	}

	const isReduced = (counter: number) => nodes[counter] !== node && overRecorded.has(thread[counter]);
	const recordedNs = sumUpTo(count, counter => isReduced(counter) ? cpuNs[counter] : 0);
	const keptFraction = recordedNs > 0 ? 1 - Math.min(1, excessNs / recordedNs) : 0;
	for (let counter = 0; counter < count; counter++) {
		cpuNs[counter] *= isReduced(counter) ? keptFraction : 1;
	}
}

/** Returns the unattributed CPU nanoseconds of a window (`since` undefined: from the session's start), at least 0. */
export function unattributedNs(snapshot: Snapshot, since: Snapshot | undefined): number {
	const {dictionary, counters} = snapshot;
	const before = alignedTo(snapshot, since)?.counters;
	const {unattributed} = stackIndex(dictionary);
	if (unattributed === 0) {
		return 0;
	}

	return Math.max(
		0,
		sumUpTo(counters.count, counter =>
			counters.node[counter] === unattributed ? counters.cpuNs[counter] - (before?.cpuNs[counter] ?? 0) : 0),
	);
}
