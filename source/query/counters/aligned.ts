import {
	makeArrays, namesOf, newArray, select, type Columns,
} from '../../model/column-types.js';
import {endedThreadsKey} from '../../model/sample.js';
import {
	contentionColumns, counterColumns, threadNumbers, type KeyedColumns, type RecordArrays,
} from '../../model/schema.js';
import type {
	Snapshot, ThreadTable, Dictionary, Counters,
} from '../../model/snapshot.js';
import {stackIndex} from './stack-index.js';

/** What was found last for a snapshot: it is asked for again by each query of a refresh. */
const found = new WeakMap<Snapshot, {readonly now: WeakRef<Snapshot>; readonly aligned: Snapshot}>();

/**
An earlier snapshot with its counters at the indices of a later one, so that they can be subtracted: those of threads
whose records are free by now move to the record of ended threads.
*/
export function alignedTo(now: Snapshot, then: Snapshot): Snapshot;
export function alignedTo(now: Snapshot, then: Snapshot | undefined): Snapshot | undefined;
export function alignedTo(now: Snapshot, then: Snapshot | undefined): Snapshot | undefined {
	if (!then || now === then) {
		return then;
	}

	const known = found.get(then);
	if (known?.now.deref() === now) {
		return known.aligned;
	}

	const aligned = align(now, then);
	found.set(then, {now: new WeakRef(now), aligned});
	if (aligned !== then) {
		// Aligned once more it is the same.
		found.set(aligned, {now: new WeakRef(now), aligned});
	}

	return aligned;
}

function align(now: Snapshot, then: Snapshot): Snapshot {
	const ended = now.threads.key.subarray(0, now.threads.count).indexOf(endedThreadsKey);
	const recordOf = Int32Array.from({length: then.threads.count}, (_, thread) => thread);
	let isSame = true;
	for (let thread = 0; thread < then.threads.count; thread++) {
		if (thread >= now.threads.count || now.threads.serial[thread] !== then.threads.serial[thread]) {
			recordOf[thread] = ended;
			isSame = false;
		}
	}

	return isSame || ended === -1
		? then
		: {
			...then,
			threads: alignedThreads(now.threads, then.threads, recordOf),
			counters: alignedCounters(counterColumns, now.counters, then.counters, recordOf, ended),
			contention: alignedCounters(contentionColumns, now.contention, then.contention, recordOf, ended),
		};
}

function alignedThreads(now: ThreadTable, then: ThreadTable, recordOf: Int32Array): ThreadTable {
	return {
		...now,
		...makeArrays(threadNumbers, select(threadNumbers, {window: 'difference'}), (column, name) => {
			const sums = newArray(column, now.count);
			for (let thread = 0; thread < then.count; thread++) {
				sums[recordOf[thread]] += then[name][thread];
			}

			return sums;
		}),
	};
}

function alignedCounters<C extends KeyedColumns>(columns: C, now: RecordArrays<C>, then: RecordArrays<C>, recordOf: Int32Array, ended: number): RecordArrays<C> {
	const names = namesOf(columns as Columns) as ReadonlyArray<keyof C & string>;
	const keys = names.filter(name => columns[name].role === 'key');
	const counters = names.filter(name => columns[name].role === 'counter');
	const threadKeys = keys.filter(name => columns[name].unit === 'thread' || columns[name].unit === 'threadOrNone');
	const isCounted = (records: RecordArrays<C>, index: number) => counters.some(name => records[name][index] !== 0);
	const isOfEnded = (index: number) => threadKeys.some(name => now[name][index] === ended);
	/** By key: the rows of `now` that may have taken over what others had counted. */
	let ofEnded: Map<string, number> | undefined;
	const find = (key: string) => {
		ofEnded ??= new Map(Array.from({length: now.count}, (_, index) => index).filter(index => isOfEnded(index) && isCounted(now, index)).map(index => [keys.map(name => now[name][index]).join(' '), index]));
		return ofEnded.get(key);
	};

	const moved = Object.fromEntries(counters.map(name => [name, newArray(columns[name], now.count)])) as Record<string, Float64Array>;
	for (let index = 0; index < then.count; index++) {
		const isMoved = threadKeys.some(name => then[name][index] >= 0 && recordOf[then[name][index]] !== then[name][index]);
		const at = isMoved
			? (isCounted(then, index) ? find(keys.map(name => threadKeys.includes(name) && then[name][index] >= 0 ? recordOf[then[name][index]] : then[name][index]).join(' ')) : undefined)
			: index;
		if (at !== undefined && at < now.count) {
			for (const name of counters) {
				moved[name][at] += then[name][index];
			}
		}
	}

	return {...now, ...moved};
}

/**
Counters of a window with no CPU time below 0: what unattributed time lacks on some threads is taken from others, and
beyond that from what was recorded of these threads. So all comes to what the threads used.
*/
export function settledCounters(dictionary: Dictionary, counters: Counters): Counters {
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

	const part = positiveNs > negativeNs ? (positiveNs - negativeNs) / positiveNs : 0;
	const cpuNs = counters.cpuNs.slice(0, counters.count);
	if (part === 0) {
		takeFromRecorded(counters, node, negativeNs - positiveNs, cpuNs);
	}

	for (let counter = 0; counter < counters.count; counter++) {
		if (counters.node[counter] === node) {
			cpuNs[counter] = part * Math.max(0, cpuNs[counter]);
		}
	}

	return {...counters, cpuNs};
}

/** Takes this much off the CPU time recorded of threads that used less than that: `node` is where they lack it. */
function takeFromRecorded({count, thread, node: nodes}: Counters, node: number, lackingNs: number, cpuNs: Float64Array): void {
	const isLacking = new Set<number>();
	for (let counter = 0; counter < count; counter++) {
		if (nodes[counter] === node && cpuNs[counter] < 0) {
			isLacking.add(thread[counter]);
		}
	}

	const isTaken = (counter: number) => nodes[counter] !== node && isLacking.has(thread[counter]);
	let recordedNs = 0;
	for (let counter = 0; counter < count; counter++) {
		recordedNs += isTaken(counter) ? cpuNs[counter] : 0;
	}

	for (let counter = 0; counter < count; counter++) {
		cpuNs[counter] *= isTaken(counter) ? 1 - Math.min(1, lackingNs / recordedNs) : 1;
	}
}

/** Unattributed CPU nanoseconds between the baseline (undefined: the session's start) and the snapshot, at least 0. */
export function unattributedNs(snapshot: Snapshot, since: Snapshot | undefined): number {
	const {dictionary, counters} = snapshot;
	const before = alignedTo(snapshot, since)?.counters;
	const {unattributed} = stackIndex(dictionary);
	if (unattributed === 0) {
		return 0;
	}

	let sum = 0;
	for (let counter = 0; counter < counters.count; counter++) {
		if (counters.node[counter] === unattributed) {
			sum += counters.cpuNs[counter] - (before?.cpuNs[counter] ?? 0);
		}
	}

	return Math.max(0, sum);
}
