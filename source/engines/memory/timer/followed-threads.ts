import {threadFlag} from '../../../model/sample.js';
import {type JavaThread} from '../threads/java-thread.js';
import {type PerfCalls} from './perf-calls.js';
import {type RecordedStack} from './recorded-stack.js';
import {ringSizes, ThreadEvent} from './thread-event.js';
import {BeyondClock} from './wakings/beyond-clock.js';

/**
CPU nanoseconds, used within a second, from which on a thread has an event: seven of 223 threads used 97 % of the CPU
time in a program that was looked at, and an event costs us half a millisecond.
*/
const busyNs = 1e6;
const busyWithinMs = 1000;

/**
Before anybody was seen at work, those that used a thousandth of the JVM's life so far, the busiest of them, have an
event: who worked before will most likely again, and until that is seen the screen would have nothing to show.
*/
const oftenBusy = 0.001;
const foremost = 32;

/** An event of a thread that used less than that for so long is closed. */
const idleMs = 2000;

/** Events at most: from each of these numbers on new ones have smaller rings, so that all take 16 MB at most. */
const eventLimit = 512;
const smallerFrom = [16, 48] as const;

/** How long a thread that can have no event is left to the other timer. */
const refusedMs = 5000;

/** errno of a thread that has ended. */
const noSuchThread = 3;

/** What is kept of a thread that uses CPU time. */
export type Followed = {
	event?: ThreadEvent;
	/** What it uses beyond its records, which is what its wakings cost; not where system calls have no records either. */
	beyond?: BeyondClock;
	/** The newest stack recorded. */
	last?: RecordedStack;
	/** The stacks recorded since the previous sample, oldest first, with a weight each. */
	fresh: RecordedStack[];
	/** CPU time used since that moment. */
	usedNs: number;
	sinceMs: number;
	/** Until when it is not tried again to open an event for it; -Infinity where none was refused. */
	refusedUntilMs: number;
	round: number;
};

/** Which threads have an event: those that use CPU time, as long as they do, and as far as the kernel allows. */
export class FollowedThreads {
	readonly #calls: PerfCalls;
	readonly #withKernel: boolean;
	readonly #aliveMs: number;
	readonly #followed = new Map<JavaThread, Followed>();
	#events = 0;
	#round = 0;
	#lookedMs = Number.NaN;
	/** Larger rings were refused, as too much memory was locked. */
	#smallest = 0;

	/** `aliveMs`: for how long the JVM has been there. */
	constructor(calls: PerfCalls, withKernel: boolean, aliveMs = Infinity) {
		this.#aliveMs = Math.max(1, aliveMs);
		this.#calls = calls;
		this.#withKernel = withKernel;
	}

	/** What is kept of a thread; undefined for one that has used next to nothing. */
	of(thread: JavaThread): Followed | undefined {
		return this.#followed.get(thread);
	}

	/**
	Looks who uses CPU time, opens events with this period and closes others. Those of threads that are in the list no
	more are closed unread. `awake`: all threads but those that are settled, which have used nothing and have no event.
	*/
	update(awake: readonly JavaThread[], nowMs: number, periodNs: number): void {
		this.#round++;
		const sinceMs = Math.max(1, nowMs - this.#lookedMs || 0);
		if (Number.isNaN(this.#lookedMs)) {
			this.#begin(awake, nowMs, periodNs);
		}

		this.#lookedMs = nowMs;
		for (const thread of awake) {
			const known = this.#followed.get(thread);
			if (known) {
				known.round = this.#round;
				this.#age(known, thread, nowMs);
			}

			if (thread.isThere && (thread.cpuNs > 0 || thread.isInJava) && (thread.flags & threadFlag.compiler) === 0 && !thread.hasEvent) {
				const share = thread.cpuNs > 0 ? Math.min(1, thread.cpuNs / 1e6 / sinceMs) : 1;
				this.#consider(this.#followed.get(thread) ?? this.#add(thread, nowMs), thread, nowMs, {periodNs, share});
			}
		}

		for (const [thread, followed] of this.#followed) {
			const isResting = followed.round !== this.#round && thread.isSettled && !followed.event;
			if (isResting) {
				this.#age(followed, thread, nowMs);
			}

			// Who has a record counts for it first.
			const isIdle = followed.usedNs < busyNs && nowMs - followed.sinceMs > idleMs && !thread.isInJava && followed.fresh.length === 0;
			if (isIdle || (followed.round !== this.#round && !isResting)) {
				this.#close(thread, followed);
				this.#followed.delete(thread);
			}
		}
	}

	/** All that have an event. */
	* withEvents(): Generator<readonly [thread: JavaThread, followed: Followed, event: ThreadEvent]> {
		for (const [thread, followed] of this.#followed) {
			if (followed.event) {
				yield [thread, followed, followed.event];
			}
		}
	}

	/** Closes all events; threads that go on using CPU time get new ones. */
	clear(): void {
		for (const [thread, followed] of this.#followed) {
			this.#close(thread, followed);
		}

		this.#followed.clear();
	}

	/** Events of the threads that used most so far. */
	#begin(awake: readonly JavaThread[], nowMs: number, periodNs: number): void {
		const shareOf = ({lifeCpuNs}: JavaThread) => Math.min(1, lifeCpuNs / 1e6 / this.#aliveMs);
		const busiest = awake
			.filter(thread => thread.isThere && shareOf(thread) >= oftenBusy && (thread.flags & threadFlag.compiler) === 0)
			.sort((a, b) => b.lifeCpuNs - a.lifeCpuNs);
		for (const thread of busiest.slice(0, foremost)) {
			this.#open(this.#add(thread, nowMs), thread, nowMs, {periodNs, share: shareOf(thread)});
		}
	}

	#add(thread: JavaThread, nowMs: number): Followed {
		const followed: Followed = {
			fresh: [], usedNs: thread.cpuNs, sinceMs: nowMs, refusedUntilMs: Number.NEGATIVE_INFINITY, round: this.#round,
		};
		this.#followed.set(thread, followed);
		return followed;
	}

	/** What was used counts for a while: for an event from that much on; against one once it was less for longer. */
	#age(followed: Followed, thread: JavaThread, nowMs: number): void {
		if (nowMs - followed.sinceMs > (followed.event ? idleMs : busyWithinMs) && followed.usedNs >= (followed.event ? busyNs : 1)) {
			followed.usedNs = 0;
			followed.sinceMs = nowMs;
		}

		followed.usedNs += thread.cpuNs;
	}

	#consider(followed: Followed, thread: JavaThread, nowMs: number, how: {readonly periodNs: number; readonly share: number}): void {
		if ((followed.usedNs >= busyNs || thread.isInJava) && nowMs >= followed.refusedUntilMs) {
			this.#open(followed, thread, nowMs, how);
		}
	}

	#open(followed: Followed, thread: JavaThread, nowMs: number, how: {readonly periodNs: number; readonly share: number}): void {
		for (let size = this.#sizeNow(); size < ringSizes.length; size++) {
			const event = ThreadEvent.open(this.#calls, thread.nativeId, {size: ringSizes[size], withKernel: this.#withKernel, ...how});
			if (typeof event !== 'number') {
				followed.event = event;
				followed.beyond = this.#withKernel ? new BeyondClock(thread.lifeTurns) : undefined;
				thread.hasEvent = true;
				followed.usedNs = 0;
				followed.sinceMs = nowMs;
				this.#events++;
				return;
			}

			if (event === noSuchThread) {
				return;
			}

			this.#smallest = Math.min(size + 1, ringSizes.length - 1);
		}

		followed.refusedUntilMs = nowMs + refusedMs;
	}

	/** Index of the size that a new ring has; none where there are too many. */
	#sizeNow(): number {
		if (this.#events >= eventLimit) {
			return ringSizes.length;
		}

		return Math.max(this.#smallest, smallerFrom.filter(count => this.#events >= count).length);
	}

	#close(thread: JavaThread, followed: Followed): void {
		thread.hasEvent = false;
		if (followed.event) {
			followed.event.close();
			followed.event = undefined;
			followed.beyond = undefined;
			this.#events--;
			this.#smallest = 0;
		}
	}
}
