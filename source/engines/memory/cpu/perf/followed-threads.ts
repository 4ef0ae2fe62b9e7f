import {constants} from 'node:os';
import {threadFlag} from '../../../../model/sample.js';
import {type JavaThread} from '../../threads/java-thread.js';
import {refusalOf, type PerfCalls} from './perf-calls.js';
import {type RecordedStack} from './recorded-stack.js';
import {monotonicNs} from './period.js';
import {Ring, pageBytes, type Records} from './ring.js';

/** Bytes of stack in a record, and pages of the ring, a power of two. */
type RingSize = {readonly stackBytes: number; readonly pages: number};

/**
Ring sizes, best first. Stacks usually have 6 to 8 KB, at most 21; of a truncated copy the innermost frames are still
right. Each record takes the room of a full copy: seven fit.
*/
export const ringSizes: readonly RingSize[] = [{stackBytes: 32_768, pages: 64}, {stackBytes: 8192, pages: 16}, {stackBytes: 2048, pages: 4}];

/** Records that fit in any of these rings. */
export const ringRecords = 7;

/** Minimum of the first period, as a fraction: much shorter ones would fill the ring. */
const shortestFirst = 1 / 8;

/** Options of a thread's event. */
type ThreadEventOptions = {
	readonly size: RingSize;
	readonly periodNs: number;
	readonly withKernel: boolean;
};

/**
An event on the CPU clock of one thread, with its ring. The first record comes after a random part of a period and
counts for a whole one, so short-lived threads count correctly on average. Those that did not fit count with the others.
*/
export class ThreadEvent {
	/** Opens an event; an errno if the event or its ring is refused. */
	static open(calls: PerfCalls, tid: number, {size, withKernel, periodNs}: ThreadEventOptions): ThreadEvent | number {
		const firstNs = Math.round(periodNs * (shortestFirst + ((1 - shortestFirst) * Math.random())));
		const opened = calls.open(tid, {periodNs: firstNs, stackBytes: size.stackBytes, withKernel});
		if ('errno' in opened) {
			return opened.errno;
		}

		const mapped = calls.mapRing(opened.fd, (1 + size.pages) * pageBytes);
		if ('errno' in mapped) {
			calls.close(opened.fd);
			return mapped.errno;
		}

		return new ThreadEvent(calls, opened.fd, mapped, {firstNs, periodNs});
	}

	readonly #calls: PerfCalls;
	readonly #fd: number;
	readonly #mapped: {readonly memory: ArrayBuffer; readonly address: unknown};
	readonly #ring: Ring;
	readonly #firstNs: number;
	readonly #periodNs: number;
	/** When the period was set, after the first record. */
	#setNs = Number.POSITIVE_INFINITY;
	#isClosed = false;

	private constructor(calls: PerfCalls, fd: number, mapped: {readonly memory: ArrayBuffer; readonly address: unknown}, {firstNs, periodNs}: {readonly firstNs: number; readonly periodNs: number}) {
		this.#calls = calls;
		this.#fd = fd;
		this.#mapped = mapped;
		this.#ring = new Ring(mapped.memory);
		this.#firstNs = firstNs;
		this.#periodNs = periodNs;
	}

	/** Takes the records. */
	take(): Records {
		const {records, lost} = this.#isClosed ? {records: [], lost: 0} : this.#ring.take();
		const isFirst = this.#setNs === Number.POSITIVE_INFINITY;
		for (const [index, record] of records.entries()) {
			const periodNs = record.timeNs < this.#setNs && !(isFirst && index === 0) ? this.#firstNs : this.#periodNs;
			record.periodNs = periodNs * (records.length + lost) / records.length;
		}

		if (isFirst && records.length > 0) {
			// Setting it restarts the kernel's period.
			this.#calls.setPeriod(this.#fd, this.#periodNs);
			this.#setNs = monotonicNs();
		}

		return {records, lost};
	}

	close(): void {
		if (!this.#isClosed) {
			this.#isClosed = true;
			this.#calls.unmap(this.#mapped);
			this.#calls.close(this.#fd);
		}
	}
}

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

/** Opens events for the threads that use CPU time, as the kernel permits, and closes them when they no longer do. */
export class FollowedThreads {
	readonly #calls: PerfCalls;
	readonly #withKernel: boolean;
	readonly #periodNs: number;
	readonly #records = new Map<JavaThread, ThreadRecords>();
	#events = 0;
	#round = 0;
	/** Index of the largest size that is used: with larger ones some threads found no room at all. */
	#largest = 0;
	#isTooLarge = false;
	/** Threads that were refused an event at the newest look, and the last error. */
	#refused = 0;
	#error = 0;

	constructor(calls: PerfCalls, {withKernel, periodNs}: {readonly withKernel: boolean; readonly periodNs: number}) {
		this.#periodNs = periodNs;
		this.#calls = calls;
		this.#withKernel = withKernel;
	}

	/** Says how many busy threads have no records, and why; empty if all have. */
	get finding(): string {
		const why = this.#error === constants.errno.EPERM ? 'too little memory may be locked (ulimit -l)' : refusalOf(this.#error);
		return this.#refused === 0 ? '' : `${this.#refused} ${this.#refused === 1 ? 'thread has' : 'threads have'} no records: ${why}`;
	}

	/** Number of open events. */
	get events(): number {
		return this.#events;
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
			this.clear();
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

	/** The threads with an open event. */
	* withEvents(): Generator<readonly [thread: JavaThread, followed: ThreadRecords, event: ThreadEvent]> {
		for (const [thread, followed] of this.#records) {
			if (followed.event) {
				yield [thread, followed, followed.event];
			}
		}
	}

	/** Closes all events; active threads will get new ones. */
	clear(): void {
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
