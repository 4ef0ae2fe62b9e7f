import {type Methods} from '../hotspot/methods.js';
import {type JavaThread} from '../threads/java-thread.js';
import {FollowedThreads} from './followed-threads.js';
import {type PerfCalls} from './perf-calls.js';
import {type RecordedStack, type RecordedStacks} from './recorded-stack.js';
import {type ThreadRecord} from './records.js';

/**
CPU nanoseconds between two records of a thread: no round number, so that no program is in step with it.
*/
const usualPeriodNs = 10_007_000;

/** What a record costs the thread that it is of, milliseconds: 20 to 29 microseconds were measured. */
const recordMs = 0.025;

/** The part of the budget that records may take. */
const aim = 0.9;

/** A ring with so few records has room for twice as many, and for how many looks in a row that must be so. */
const roomy = 3;
const roomyLooks = 100;

/** However rare samples are, records come so often. */
const longestPeriodNs = 1e9;

/** After so long without a look all events are closed: nobody wants them. Samples are a minute apart at most. */
const forgottenMs = 90_000;

/** CPU nanoseconds missing from a thread's records that are no longer waited with for its next native call. */
const missingNs = 60e6;

/** What the timer did for a sample. */
export type Recorded = {
	/** The time that records took the threads they are of, milliseconds: the mean over these threads, an estimate. */
	readonly costMs: number;
	readonly lost: number;
};

/**
Gets the stacks of threads that run by events on their CPU clocks, whose records the kernel writes while the thread is
interrupted: nobody is stopped.
*/
export class PerfTimer {
	/** Records that are not to be had while a thread is in a system call, for want of rights. */
	readonly leavesKernelOut: boolean;
	readonly #threads: FollowedThreads;
	readonly #stacks: RecordedStacks;
	readonly #shortestNs: number;
	#periodNs: number;
	/** Looks in a row that found rings with much room. */
	#roomy = 0;
	#timeout?: NodeJS.Timeout;

	constructor(calls: PerfCalls, stacks: RecordedStacks, options: {readonly withKernel: boolean; readonly maxOverheadPercent: number}) {
		this.leavesKernelOut = !options.withKernel;
		this.#threads = new FollowedThreads(calls, options.withKernel);
		this.#stacks = stacks;
		this.#shortestNs = Math.max(usualPeriodNs, recordMs * 1e6 / (aim * Math.max(0.0001, options.maxOverheadPercent / 100)));
		this.#periodNs = this.#shortestNs;
	}

	/** Takes all records, walks their stacks, and looks who of the threads that are not settled is to have an event. */
	look(awake: readonly JavaThread[]): Recorded {
		const nowMs = performance.now();
		let count = 0;
		let lostCount = 0;
		let mostRecords = 0;
		let recorded = 0;
		for (const [thread, followed, event] of this.#threads.withEvents()) {
			const {records, weightsNs, lost} = event.take(this.#periodNs);
			followed.fresh = this.#walk(thread, records, weightsNs);
			followed.last = followed.fresh.at(-1) ?? followed.last;
			count += records.length;
			lostCount += lost;
			mostRecords = Math.max(mostRecords, records.length);
			recorded += records.length > 0 ? 1 : 0;
		}

		this.#setPeriod(lostCount, mostRecords);
		this.#threads.update(awake, nowMs, this.#periodNs);
		this.#watch();
		return {costMs: recorded > 0 ? count * recordMs / recorded : 0, lost: lostCount};
	}

	/**
	Gives a thread that executes Java code, and so keeps no anchor, the stack of its newest record, or an unknown one
	before there is any; false for one that can have no event.
	*/
	stand(thread: JavaThread): boolean {
		const followed = this.#threads.of(thread);
		if (!followed?.event) {
			return false;
		}

		const {last} = followed;
		thread.setWalked(undefined);
		thread.isHeapMissing = last?.isHeapMissing ?? false;
		thread.end = last?.end ?? 'broken';
		thread.frames = last?.frames ?? thread.frames.slice(0, 0);
		// The frames of a virtual thread that is gone, or may be, count for its carrier.
		thread.carrierStart = last && last.carrierStart >= 0 && this.#stacks.isStillMounted(last) ? last.carrierStart : -1;
		return true;
	}

	/** The stacks that a thread used CPU time at since the previous sample. */
	recorded(thread: JavaThread): readonly RecordedStack[] {
		return this.#threads.of(thread)?.fresh ?? [];
	}

	/**
	CPU nanoseconds of a thread that are not to be placed yet: what it may have used since its newest record. Where
	system calls are not recorded, what is missing was used in native code, unless there is a lot of it and the thread
	is never seen there. 0 for a thread that has no event, Infinity before its stack is known.
	*/
	awaitedNs(thread: JavaThread, methods: Methods): number {
		const followed = this.#threads.of(thread);
		if (!followed?.event) {
			return 0;
		}

		if (thread.frames.length === 0) {
			return thread.end === 'broken' ? Number.POSITIVE_INFINITY : followed.event.periodNs;
		}

		const isInNative = methods.ofFrame(thread.frames[0])?.isNative ?? false;
		return followed.event.periodNs + (this.leavesKernelOut && !isInNative ? missingNs : 0);
	}

	/** Closes all events, until the next look. */
	letGo(): void {
		clearTimeout(this.#timeout);
		this.#timeout = undefined;
		this.#threads.clear();
	}

	#walk(thread: JavaThread, records: readonly ThreadRecord[], weightsNs: readonly number[]): RecordedStack[] {
		const stacks: RecordedStack[] = [];
		for (const [index, record] of records.entries()) {
			const stack = this.#stacks.walk(thread, record);
			if (stack) {
				stack.weightNs = weightsNs[index];
				stacks.push(stack);
			}
		}

		return stacks;
	}

	/**
	Where rings run over, as samples are rare, records come half as often, and again as often as before when there was
	room for a while. A change begins the period anew, which loses what was used of it.
	*/
	#setPeriod(lost: number, mostRecords: number): void {
		this.#roomy = lost > 0 || mostRecords > roomy ? 0 : this.#roomy + 1;
		if (lost > 0) {
			this.#periodNs = Math.min(this.#periodNs * 2, Math.max(longestPeriodNs, this.#shortestNs));
		} else if (this.#roomy >= roomyLooks) {
			this.#periodNs = Math.max(this.#periodNs / 2, this.#shortestNs);
			this.#roomy = 0;
		}
	}

	#watch(): void {
		this.#timeout ??= setTimeout(() => {
			this.letGo();
		}, forgottenMs).unref();
		this.#timeout.refresh();
	}
}
