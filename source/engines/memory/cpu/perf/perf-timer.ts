import {constants} from 'node:os';
import {threadFlag} from '../../../../model/sample.js';
import {type UnattributedReason} from '../../../common/engine.js';
import {type JavaThread} from '../../threads/java-thread.js';
import {refusalOf, type PerfCalls} from './perf-calls.js';
import {recordMs} from './period.js';
import {type RecordedStack, type RecordedStacks} from './recorded-stack.js';
import {setCurrentStack, type RunningTimer} from './running-timer.js';
import {ThreadEvent, ringRecords, ringSizes} from './thread-event.js';

/** CPU nanoseconds within `busyWithinMs` from which on a thread gets an event of its own. */
const busyNs = 1e6;
const busyWithinMs = 1000;

/** A thread that uses less than `busyNs` for this long loses its event. */
const idleMs = 2000;

/** Maximum number of events. From each of `smallerFrom` on, new rings are smaller, so that all take at most 16 MB. */
const eventLimit = 512;
const smallerFrom = [16, 48] as const;

/** How long after a refusal no event is tried for a thread. */
const refusedMs = 5000;

/** Records of a thread that uses CPU time. */
type ThreadRecords = {
	event?: ThreadEvent;
	/** The newest recorded stack. */
	last?: RecordedStack;
	/** Stacks recorded since the previous sample, oldest first. */
	fresh: RecordedStack[];
	/** CPU time used since `sinceMs`. */
	usedNs: number;
	sinceMs: number;
	/** No event is tried before this time; -Infinity if none was refused. */
	refusedUntilMs: number;
	round: number;
};

/**
Takes the stacks of running threads from events on their own CPU clocks. Opens events for the threads that use CPU time,
as the kernel permits, and closes them when they no longer do.
*/
export class PerfTimer implements RunningTimer {
	/** Always empty: events of ended threads are closed unread. */
	readonly ended: readonly RecordedStack[] = [];
	readonly #calls: PerfCalls;
	readonly #stacks: RecordedStacks;
	readonly #withKernel: boolean;
	readonly #periodNs: number;
	readonly #records = new Map<JavaThread, ThreadRecords>();
	#events = 0;
	#round = 0;
	/** Index of the largest size that is used: with larger ones some threads found no room at all. */
	#largest = 0;
	#isTooLarge = false;
	/** Threads that were refused an event in the newest sample, and the last error. */
	#refused = 0;
	#error = 0;

	constructor(calls: PerfCalls, stacks: RecordedStacks, {withKernel, periodNs}: {readonly withKernel: boolean; readonly periodNs: number}) {
		this.#calls = calls;
		this.#stacks = stacks;
		this.#withKernel = withKernel;
		this.#periodNs = periodNs;
	}

	/** Takes and walks all records, and opens and closes events. */
	poll(awake: readonly JavaThread[]): number {
		let count = 0;
		let recorded = 0;
		for (const [thread, followed] of this.#records) {
			const records = followed.event?.take() ?? [];
			followed.fresh = records.map(record => this.#stacks.walk(record, thread)).filter(stack => stack !== undefined);
			followed.last = followed.fresh.at(-1) ?? followed.last;
			count += records.length;
			recorded += records.length > 0 ? 1 : 0;
		}

		this.update(awake, performance.now());
		return recorded > 0 ? count * recordMs / recorded : 0;
	}

	setCurrentStack(thread: JavaThread): boolean {
		const followed = this.of(thread);
		if (!followed?.event) {
			return false;
		}

		setCurrentStack(thread, followed.last, stack => this.#stacks.isStillMounted(stack));
		return true;
	}

	get unattributed(): UnattributedReason {
		return this.finding === '' ? (this.#withKernel ? 'wakeUps' : 'systemCalls') : 'refused';
	}

	/** Says how many busy threads have no records, and why; empty if all have. */
	get finding(): string {
		const why = this.#error === constants.errno.EPERM ? 'too little memory may be locked (ulimit -l)' : refusalOf(this.#error);
		return this.#refused === 0 ? '' : `${this.#refused} ${this.#refused === 1 ? 'thread has' : 'threads have'} no records: ${why}`;
	}

	get roomMs(): number {
		return this.#events === 0 ? Infinity : ringRecords * this.#periodNs / 1e6;
	}

	recorded(thread: JavaThread): readonly RecordedStack[] {
		return this.of(thread)?.fresh ?? [];
	}

	/** Records of a thread; undefined if it has used almost no CPU. */
	of(thread: JavaThread): ThreadRecords | undefined {
		return this.#records.get(thread);
	}

	/**
	Opens and closes events according to CPU use; those of ended threads are closed unread. `awake`: threads that may
	have changed since the previous sample.
	*/
	update(awake: readonly JavaThread[], nowMs: number): void {
		this.#round++;
		if (this.#isTooLarge) {
			this.#isTooLarge = false;
			this.#largest++;
			this.release();
		}

		for (const thread of awake) {
			const known = this.#records.get(thread);
			if (known) {
				known.round = this.#round;
				this.#age(known, thread, nowMs);
			}

			if (thread.isThere && (thread.cpu.usedNs > 0 || thread.isInJava) && (thread.description.flags & threadFlag.compiler) === 0 && !thread.hasEvent) {
				const followed = this.#records.get(thread) ?? this.#add(thread, nowMs);
				if ((followed.usedNs >= busyNs || thread.isInJava) && nowMs >= followed.refusedUntilMs) {
					this.#open(followed, thread, nowMs);
				}
			}
		}

		this.#refused = 0;
		for (const [thread, followed] of this.#records) {
			const isUnchanged = followed.round !== this.#round && thread.hasValidRow && !followed.event;
			if (isUnchanged) {
				this.#age(followed, thread, nowMs);
			}

			// Fresh records must count first.
			const isIdle = followed.usedNs < busyNs && nowMs - followed.sinceMs > idleMs && !thread.isInJava && followed.fresh.length === 0;
			if (isIdle || (followed.round !== this.#round && !isUnchanged)) {
				this.#close(thread, followed);
				this.#records.delete(thread);
			} else if (nowMs < followed.refusedUntilMs) {
				this.#refused++;
			}
		}
	}

	/** Closes all events; active threads will get new ones. */
	release(): void {
		for (const [thread, followed] of this.#records) {
			this.#close(thread, followed);
		}

		this.#records.clear();
	}

	#add(thread: JavaThread, nowMs: number): ThreadRecords {
		const followed: ThreadRecords = {
			fresh: [], usedNs: thread.cpu.usedNs, sinceMs: nowMs, refusedUntilMs: Number.NEGATIVE_INFINITY, round: this.#round,
		};
		this.#records.set(thread, followed);
		return followed;
	}

	/** Adds CPU time to the current window, and starts a new window if this one is over without a decision. */
	#age(followed: ThreadRecords, thread: JavaThread, nowMs: number): void {
		if (nowMs - followed.sinceMs > (followed.event ? idleMs : busyWithinMs) && followed.usedNs >= (followed.event ? busyNs : 1)) {
			followed.usedNs = 0;
			followed.sinceMs = nowMs;
		}

		followed.usedNs += thread.cpu.usedNs;
	}

	#open(followed: ThreadRecords, thread: JavaThread, nowMs: number): void {
		for (let size = this.#sizeNow(); size < ringSizes.length; size++) {
			const event = ThreadEvent.open(this.#calls, thread.nativeId, {size: ringSizes[size], withKernel: this.#withKernel, periodNs: this.#periodNs});
			if (typeof event !== 'number') {
				followed.event = event;
				thread.hasEvent = true;
				followed.usedNs = 0;
				followed.sinceMs = nowMs;
				this.#events++;
				return;
			}

			if (event === constants.errno.ESRCH) {
				return;
			}

			this.#error = event;
		}

		followed.refusedUntilMs = nowMs + refusedMs;
		this.#isTooLarge = this.#error === constants.errno.EPERM && this.#largest < ringSizes.length - 1;
	}

	/** Index of the ring size for a new event; past the end if there are too many. */
	#sizeNow(): number {
		return this.#events >= eventLimit ? ringSizes.length : Math.max(this.#largest, smallerFrom.filter(count => this.#events >= count).length);
	}

	#close(thread: JavaThread, followed: ThreadRecords): void {
		thread.hasEvent = false;
		if (followed.event) {
			followed.event.close();
			followed.event = undefined;
			this.#events--;
		}
	}
}
