import process from 'node:process';
import type {Printable} from '../../../../util/printable.js';
import {type UnattributedReason} from '../../../common/engine.js';
import {type JavaThread} from '../../threads/java-thread.js';
import {type RecordedStack} from './recorded-stack.js';

/** Takes the stacks of running threads from kernel records, without stopping them. */
export type PerfTimer = {
	/** Stacks, since the previous sample, of threads that have ended; undefined if such threads get no records. */
	readonly endedStacks?: readonly RecordedStack[];
	/** Why CPU time may be missing from the records. */
	readonly unattributed: UnattributedReason;
	/** How long a ring takes to fill up if its thread, or its CPU, always runs. */
	readonly bufferMs: number;
	/** A printable line about threads without records; empty if all have records. */
	readonly unrecordedNote?: Printable;
	/** Stack pointers from the newest records of non-Java threads, by Linux id. */
	readonly stackPointers?: ReadonlyMap<number, number>;
	/** Begins a sample, before threads and CPU times are read. Returns whether a settled thread has records. */
	begin?(): boolean;
	/** Takes and walks all records; opens and closes events. Returns a recorded thread's mean cost, milliseconds. */
	poll(changedThreads: readonly JavaThread[], threads: readonly JavaThread[], hasNewThreads: boolean): number;
	/**
	Sets the stack of a thread in Java code, which has no anchor, to its newest record's, or to an unknown one. Returns
	false if the thread is not recorded, and must be stopped instead.
	*/
	setCurrentStack(thread: JavaThread): boolean;
	/** Makes records this many times rarer than usual. */
	recordEvery(times: number): void;
	/** Returns a thread's stacks since the previous sample. */
	newStacks(thread: JavaThread): readonly RecordedStack[];
	/** Closes all events until the next sample. */
	release(): void;
};

/** A thread counts as being at its newest record for this long, and after that as long as it uses no CPU time. */
const staleNs = 1e9;

/** Sets a thread's stack to its newest record, or to an unknown one if that is missing or stale. */
export function setCurrentStack(
	thread: JavaThread,
	newest: RecordedStack | undefined,
	isStillMounted: (stack: RecordedStack) => boolean,
): void {
	if (newest && thread.cpu.usedNs > 0 && monotonicNs() - newest.timeNs > staleNs) {
		newest.isStale = true;
	}

	if (newest && !newest.isStale) {
		// If the virtual thread may have been unmounted, its frames count for the carrier.
		const carrierStart = newest.carrierStart >= 0 && isStillMounted(newest) ? newest.carrierStart : -1;
		thread.stack.setWalked({...newest, carrierStart});
	} else {
		thread.stack.setUnknown();
	}
}

/**
The period, unless the budget requires a longer one. Programs often have cycles of 1, 2, 5 or 10 ms; the fraction .618
(golden section) spreads records most evenly over them.
*/
const minPeriodNs = 9_618_034;

/** Fraction of the overhead budget that records may use. */
const budgetShare = 0.9;

/** Estimated cost of a record to its thread. */
export const recordCostMs = 0.025;

/** Returns the CPU nanoseconds between two records: the shortest period within the budget. */
export function periodOf(maxOverheadPercent: number): number {
	return Math.max(minPeriodNs, recordCostMs * 1e6 / (budgetShare * Math.max(0.0001, maxOverheadPercent / 100)));
}

/** Returns CLOCK_MONOTONIC. */
export function monotonicNs(): number {
	return Number(process.hrtime.bigint());
}
