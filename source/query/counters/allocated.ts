import {rowsInWindow} from '../../model/rows-in-window.js';
import {eventColumns, eventKinds} from '../../model/schema.js';
import type {Counters, Snapshot} from '../../model/snapshot.js';
import {stateCode} from '../../model/thread-state.js';
import {alignedTo, withoutNegativeCpu} from './aligned.js';
import {isCounted, type Scope} from './scope.js';

const allocKind = eventKinds.indexOf('alloc');

/**
Returns what was allocated between `since` (undefined: the session's start) and the snapshot, by thread and stack, in
the form of counters: their `cpuNs` are bytes, and `squaredUs` squares of kilobytes of 1000 bytes. None is below 0: a
thread's events may represent more than it has allocated, which averages out.
*/
export function allocatedInWindow(...window: Parameters<typeof eventsInWindow>): Counters {
	const [{dictionary}] = window;
	return withoutNegativeCpu(dictionary, eventsInWindow(...window));
}

/** Returns the bytes that each thread allocated in a window: what its own sum grew by. */
export function allocatedByThread(...window: Parameters<typeof eventsInWindow>): Float64Array {
	const [{threads}] = window;
	const sums = new Float64Array(threads.count);
	const {count, thread, cpuNs} = eventsInWindow(...window);
	for (let index = 0; index < count; index++) {
		sums[thread[index]] += cpuNs[index];
	}

	return sums;
}

function eventsInWindow(
	snapshot: Snapshot,
	since: Snapshot | undefined,
	scope: Pick<Scope, 'stateMask' | 'threads'>,
): Counters {
	const {events} = snapshot;
	// A thread that allocates is running.
	const isRunnable = (scope.stateMask & (1 << stateCode.RUNNABLE)) !== 0;
	const {count, thread, node, amount, squares} = rowsInWindow(
		eventColumns,
		events,
		alignedTo(snapshot, since)?.events,
		index => isRunnable && events.kind[index] === allocKind && isCounted(scope, events.thread[index]),
	);
	const none = new Float64Array(count);
	return {
		count,
		thread,
		node,
		state: new Uint8Array(count).fill(stateCode.RUNNABLE),
		ticks: none,
		cpuNs: amount,
		squaredTicks: none,
		squaredUs: squares,
	};
}
