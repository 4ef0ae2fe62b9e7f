import {type Methods} from '../hotspot/methods.js';
import {type JavaThread} from '../threads/java-thread.js';
import {FollowedThreads} from './followed-threads.js';
import {type PerfCalls} from './perf-calls.js';
import {recordMs, type Period} from './period.js';
import {type RecordedStack, type RecordedStacks} from './recorded-stack.js';
import {type ThreadRecord} from './records.js';
import {ringRecords} from './thread-event.js';
import {standAt, type Recorded, type RunningTimer} from './running-timer.js';

/** A ring with so few records has room for twice as many. */
const roomy = 3;

/** After so long without a look all events are closed: nobody wants them. Samples are a minute apart at most. */
const forgottenMs = 90_000;

/** CPU nanoseconds missing from a thread's records that are no longer waited with for its next native call. */
const missingNs = 60e6;

/**
Gets the stacks of threads that run by events on their CPU clocks, whose records the kernel writes while the thread is
interrupted: nobody is stopped.
*/
export class PerfTimer implements RunningTimer {
	/** An event of a thread that has ended is closed unread. */
	readonly ended: readonly RecordedStack[] = [];
	/** Records that are not to be had while a thread is in a system call, for want of rights. */
	readonly leavesKernelOut: boolean;
	readonly #threads: FollowedThreads;
	readonly #stacks: RecordedStacks;
	readonly #period: Period;
	#timeout?: NodeJS.Timeout;

	constructor(calls: PerfCalls, stacks: RecordedStacks, options: {readonly withKernel: boolean; readonly period: Period; readonly aliveMs?: number}) {
		this.leavesKernelOut = !options.withKernel;
		this.#threads = new FollowedThreads(calls, options.withKernel, options.aliveMs);
		this.#stacks = stacks;
		this.#period = options.period;
	}

	/** Takes all records, walks their stacks, and looks who of the threads that are not settled is to have an event. */
	look(awake: readonly JavaThread[]): Recorded {
		const nowMs = performance.now();
		let count = 0;
		let lostCount = 0;
		let mostRecords = 0;
		let recorded = 0;
		for (const [thread, followed, event] of this.#threads.withEvents()) {
			const {records, weightsNs, lost} = event.take(this.#period.ns);
			followed.beyond?.add(thread.cpuNs, thread.lifeTurns, {
				countNs: event.countNs(), recordedNs: weightsNs.reduce((sum, ns) => sum + ns, 0), aheadNs: event.periodNs,
			});
			followed.fresh = this.#walk(thread, records, weightsNs);
			followed.last = followed.fresh.at(-1) ?? followed.last;
			count += records.length;
			lostCount += lost;
			mostRecords = Math.max(mostRecords, records.length);
			recorded += records.length > 0 ? 1 : 0;
		}

		this.#period.adapt(lostCount, mostRecords <= roomy);
		this.#threads.update(awake, nowMs, this.#period.ns);
		this.#watch();
		return {costMs: recorded > 0 ? count * recordMs / recorded : 0, lost: lostCount};
	}

	stand(thread: JavaThread): boolean {
		const followed = this.#threads.of(thread);
		if (!followed?.event) {
			return false;
		}

		standAt(thread, followed.last, stack => this.#stacks.isStillMounted(stack));
		return true;
	}

	get roomMs(): number {
		return ringRecords * this.#period.ns / 1e6;
	}

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

	takeWaking(thread: JavaThread): number {
		return this.#threads.of(thread)?.beyond?.take() ?? 0;
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
			const stack = this.#stacks.walk(record, thread.block);
			if (stack) {
				stack.weightNs = weightsNs[index];
				stacks.push(stack);
			}
		}

		return stacks;
	}

	#watch(): void {
		this.#timeout ??= setTimeout(() => {
			this.letGo();
		}, forgottenMs).unref();
		this.#timeout.refresh();
	}
}
