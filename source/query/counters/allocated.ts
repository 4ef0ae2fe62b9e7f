import {rowsInWindow} from '../../model/rows-in-window.js';
import {rootNode} from '../../model/frame.js';
import {eventColumns, eventKinds, type EventKind} from '../../model/schema.js';
import type {Counters, Dictionary, Snapshot} from '../../model/snapshot.js';
import {stateCode} from '../../model/thread-state.js';
import {isOfEvents} from '../types/query.js';
import {alignedTo, withoutNegativeCpu} from './aligned.js';
import {countersInWindow, isCounted, type Scope, type WindowCounters} from './scope.js';

type Window = readonly [
	snapshot: Snapshot,
	since: Snapshot | undefined,
	scope: Pick<Scope, 'stateMask' | 'threads'>,
];

/**
Returns what was allocated between `since` (undefined: the session's start) and the snapshot, by thread and stack, in
the form of counters: their `cpuNs` are bytes, and `squaredUs` squares of thousands of bytes. None is below 0: a
thread's events may represent more than it has allocated, which averages out.
*/
export function allocatedInWindow(...window: Window): Counters {
	const [{dictionary}] = window;
	return withoutNegativeCpu(dictionary, eventsInWindow('alloc', ...window));
}

/**
Returns the exceptions that were made in a window, by thread and stack, in the form of counters: their `cpuNs` are
exceptions, and `squaredUs` squares of thousands of them. The innermost frame of a stack is that of the exception's
class, see `eventColumns`.
*/
export function exceptionsInWindow(...window: Window): Counters {
	return eventsInWindow('exceptions', ...window);
}

/** Returns the threads started in a window, by thread and stack, in the form of counters: their `cpuNs` are starts. */
export function startsInWindow(...window: Window): Counters {
	return eventsInWindow('starts', ...window);
}

/**
Returns what a scope's unit counts in a window: `countersInWindow` or, in their form, what events count for. Frames of
exceptions' classes are the innermost of their stacks, unless `byCause`.
*/
export function measuredInWindow(
	snapshot: Snapshot,
	since: Snapshot | undefined,
	scope: Parameters<typeof countersInWindow>[2] & Pick<Scope, 'unit'>,
	{byCause = false}: {readonly byCause?: boolean} = {},
): WindowCounters {
	const {unit} = scope;
	if (!isOfEvents(unit)) {
		return countersInWindow(snapshot, since, scope);
	}

	return unit === 'exceptions' && !byCause
		? exceptionsInWindow(snapshot, since, scope)
		: eventsByCause(unit, snapshot, since, scope);
}

/** Returns what events of a kind count for in a window, by thread and by the stack whose line caused them. */
export function eventsByCause(kind: EventKind, ...window: Window): Counters {
	if (kind === 'alloc') {
		return allocatedInWindow(...window);
	}

	if (kind === 'starts') {
		return startsInWindow(...window);
	}

	const [{dictionary}] = window;
	const exceptions = exceptionsInWindow(...window);
	return {...exceptions, node: exceptions.node.map(each => makerOf(dictionary, each))};
}

/** Returns the stack that made an exception, from that with its class; the same for (unattributed). */
export function makerOf({nodeParent}: Dictionary, node: number): number {
	return nodeParent[node] === rootNode ? node : nodeParent[node];
}

/** Returns a kind's amount by thread in a window; of bytes what the thread's own sum grew by. */
export function eventsByThread(kind: EventKind, ...window: Window): Float64Array {
	const [{threads}] = window;
	const sums = new Float64Array(threads.count);
	const {count, thread, cpuNs} = eventsInWindow(kind, ...window);
	for (let index = 0; index < count; index++) {
		sums[thread[index]] += cpuNs[index];
	}

	return sums;
}

function eventsInWindow(wanted: EventKind, ...[snapshot, since, scope]: Window): Counters {
	const {events} = snapshot;
	const kind = eventKinds.indexOf(wanted);
	// A thread that allocates, makes an exception or starts a thread is running.
	const isRunnable = (scope.stateMask & (1 << stateCode.RUNNABLE)) !== 0;
	const {count, thread, node, amount, squares} = rowsInWindow(
		eventColumns,
		events,
		alignedTo(snapshot, since)?.events,
		index => isRunnable && events.kind[index] === kind && isCounted(scope, events.thread[index]),
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
		// As if exceptions were nanoseconds.
		squaredUs: wanted === 'alloc' ? squares : squares.map(each => each / 1e6),
	};
}
