import {setTimeout as sleep} from 'node:timers/promises';
import {errno, type Ptrace} from './ptrace.js';

/**
Threads stopped at the same time at most: each waits for those handled before it, some 30 microseconds each. Fewer at once would hold fewer when we lose the CPU meanwhile, but we lose it more often then: with
12 threads that spin on two busy cores, batches of 2, 4, 8 and 16 held the longest of a sample for 7.5, 4.0, 4.0 and 0.9 ms (medians), as the threads not stopped yet take the CPUs.
*/
const batchSize = 16;

/** How long a round waits for threads to stop, milliseconds. A thread that runs, or has a CPU soon, stops within microseconds; one that gets no CPU (a throttled container, a page from a slow disk) does not. */
const waitLimitMs = 100;

/** Looks at once for this long, microseconds: a thread that is running now stops within some 10. */
const spinUs = 20;

/** Sleep between two looks after that, microseconds: short at first. */
const sleepUs = [5, 10, 10, 20, 20, 50, 100];

/** How long `close` waits for threads that were asked to stop and did not yet; after this they are let go by the end of our process. */
const closeLimitMs = 1000;

/** Mask and value of a wait status that says "stopped" (wait(2)). */
const stoppedMask = 0xFF;
const stoppedValue = 0x7F;

/** What a round of stops did. */
export type Stops = {
	/** Threads looked at while stopped. */
	count: number;
	/** Time the threads were held, milliseconds: sum and longest; upper bounds, from the last time a thread was seen running. */
	heldMs: number;
	longestMs: number;
	/** Threads that another tracer holds or that we may not trace. */
	refused: number;
	/** Threads that did not stop in time, in this round or since an earlier one; they are let go as soon as they do. */
	late: number;
};

/** Stops threads for some microseconds each, all at once, and lets each go in the order of arrival. */
export class Stopper {
	readonly #ptrace: Ptrace;
	readonly #pid: number;
	/** Threads asked to stop, and when each was last seen running. */
	readonly #pending = new Map<number, number>();
	#timer?: NodeJS.Timeout;

	/** `pid`: the process whose threads are stopped, which is also the id of its first thread. */
	constructor(ptrace: Ptrace, pid: number) {
		this.#ptrace = ptrace;
		this.#pid = pid;
	}

	/** Calls `look` for each of the threads while it is stopped. `look` must be quick; what it throws ends the round, and all threads are let go all the same. */
	stop(tids: readonly number[], look: (tid: number) => void): Stops {
		const stops: Stops = {
			count: 0, heldMs: 0, longestMs: 0, refused: 0, late: 0,
		};
		this.#letLateOnesGo();
		try {
			for (let start = 0; start < tids.length; start += batchSize) {
				this.#stopBatch(tids.slice(start, start + batchSize), look, stops);
			}
		} finally {
			this.#watch();
		}

		return stops;
	}

	/** Resolves when no thread is held and none is on its way to a stop. */
	async letGo(): Promise<void> {
		while (this.#pending.size > 0) {
			await sleep(1);
			this.#letLateOnesGo();
		}
	}

	/** Lets go of everything. */
	close(): void {
		clearTimeout(this.#timer);
		const end = performance.now() + closeLimitMs;
		while (this.#pending.size > 0 && performance.now() < end) {
			this.#letLateOnesGo();
			this.#ptrace.sleep(100);
		}
	}

	#stopBatch(tids: readonly number[], look: (tid: number) => void, stops: Stops): void {
		const asked: number[] = [];
		for (const tid of tids) {
			// A thread that is still on its way from an earlier round is ours already.
			if (this.#pending.has(tid)) {
				stops.late++;
				continue;
			}

			const error = this.#ptrace.seize(tid);
			if (error === 0) {
				asked.push(tid);
			} else if (error === errno.EPERM) {
				stops.refused++;
			}
		}

		for (const tid of asked) {
			this.#pending.set(tid, performance.now());
			this.#ptrace.interrupt(tid);
		}

		const start = performance.now();
		let waiting = asked;
		for (let sleeps = 0; waiting.length > 0;) {
			waiting = waiting.filter(tid => !this.#handle(tid, look, stops));
			const elapsedMs = performance.now() - start;
			if (elapsedMs > waitLimitMs) {
				stops.late += waiting.length;
				return;
			}

			if (waiting.length > 0 && elapsedMs * 1000 > spinUs) {
				this.#ptrace.sleep(sleepUs[Math.min(sleeps++, sleepUs.length - 1)]);
			}
		}
	}

	/** Looks whether a thread has stopped, and handles it; false while it runs on. */
	#handle(tid: number, look: ((tid: number) => void) | undefined, stops?: Stops): boolean {
		const before = performance.now();
		const status = this.#ptrace.poll(tid);
		if (status === 0) {
			this.#pending.set(tid, before);
			return false;
		}

		const runningAt = this.#pending.get(tid) ?? before;
		this.#pending.delete(tid);
		if (status < 0) {
			this.#follow();
			return true;
		}

		if ((status & stoppedMask) !== stoppedValue) {
			// It ended meanwhile, and has been waited for by that.
			return true;
		}

		try {
			look?.(tid);
		} finally {
			if (stops) {
				const heldMs = performance.now() - runningAt;
				stops.count++;
				stops.heldMs += heldMs;
				stops.longestMs = Math.max(stops.longestMs, heldMs);
			}

			// A stop by an event is ours (or a stop of the whole process, which goes on by itself); otherwise a signal is on its way to the thread, and must reach it.
			const isEvent = status >>> 16 !== 0;
			if (this.#ptrace.detach(tid, isEvent ? 0 : (status >>> 8) & 0xFF) !== 0) {
				// Killed while it was held: the process cannot end, nor go on with its execve, before its tracer has seen that.
				this.#pending.set(tid, performance.now());
			}
		}

		return true;
	}

	/**
	A seized thread that nobody has waited for cannot be gone, but one that calls execve gets the id of the process, whose other threads end (ptrace(2), "execve(2) under ptrace"). It is ours still: only its tracer
	can stop it.
	*/
	#follow(): void {
		if (!this.#pending.has(this.#pid) && this.#ptrace.interrupt(this.#pid) === 0) {
			this.#pending.set(this.#pid, performance.now());
		}
	}

	#letLateOnesGo(): void {
		for (const tid of this.#pending.keys()) {
			this.#handle(tid, undefined);
		}
	}

	/** A thread that stops after its round would stand still until the next one: look for it in between. */
	#watch(): void {
		clearTimeout(this.#timer);
		if (this.#pending.size > 0) {
			this.#timer = setTimeout(() => {
				this.#letLateOnesGo();
				this.#watch();
			}, 1);
		}
	}
}
