import {constants} from 'node:os';
import {setTimeout as sleep} from 'node:timers/promises';
import type {Printable} from '../../../../util/printable.js';
import {OtherTracer} from '../../target/other-tracer.js';
import {type Ptrace} from './ptrace.js';

const {errno} = constants;

/** Threads stopped at once. In larger batches each is held longer; in smaller ones more run on and may take our CPU. */
const maxBatch = 16;

/**
How long to wait for a batch. A running thread stops within microseconds, but one without a CPU (busy host, throttled
container, page from disk) only when it gets one; giving up earlier would hold it until the next poll.
*/
const maxWaitMs = 1000;

/** Without raised priority, a round ends after this time; the next begins with the threads left. */
const maxRoundMs = 500;

/**
A thread held for longer shows that we lost the CPU. After that, threads are stopped one at a time, and the batch
doubles with each round in which it does not happen again. Without raised priority it also ends the round, and the first
batch is one thread.
*/
const longHeldMs = 5;

/** How long to spin before sleeping: twice what a running thread takes to stop. */
const spinUs = 20;

/** A single thread that takes longer to stop has no CPU; the others are then stopped in batches. */
const atOnceUs = 60;

/** Sleeps between polls after `spinUs`; the last repeats. */
const pollSleepsUs = [5, 10, 10, 20, 20, 50, 100, 100, 100, 200];

/** Attempts to seize a thread that another tprof-top holds. */
const maxSeizeTries = 20;
const seizeRetryUs = 100;

/** Interval at which late threads are polled: between rounds, and in `close`. */
const lateRetryMs = 1;
const closeRetryUs = 100;

/** After `close` only the end of our process detaches threads that have not stopped. */
const maxCloseMs = 1000;

/** A wait status with this value under the mask means "stopped" (wait(2)). */
const stoppedMask = 0xFF;
const stoppedValue = 0x7F;

/** Outcome of a round, a call of `Stopper.stop`. `count`: number of threads that were stopped. */
export type Stops = {
	count: number;
	/**
	Sum and longest time that threads were held: upper bounds, from the last poll that found a thread running. Includes
	late threads of earlier rounds that have stopped since.
	*/
	heldMs: number;
	longestMs: number;
	/** Threads that we may not trace, or another tracer holds: all if one is attached; and that tracer, if known. */
	refused: number;
	tracer?: Printable;
	/**
	Wanted threads that were not stopped: not reached in this round, or asked to stop, in this or an earlier one, but
	late. The latter are detached as soon as they stop.
	*/
	late: number;
};

export const noStops: Stops = {count: 0, heldMs: 0, longestMs: 0, refused: 0, late: 0};

export function sumOfStops(a: Stops, b: Stops): Stops {
	return {
		count: a.count + b.count,
		heldMs: a.heldMs + b.heldMs,
		longestMs: Math.max(a.longestMs, b.longestMs),
		refused: a.refused + b.refused,
		late: a.late + b.late,
		tracer: b.tracer ?? a.tracer,
	};
}

/**
Returns how long a thread in Java code was held on average. The sum over a second is the share of its running time that
a thread loses, which the budget limits. The time of a late thread is added in a later round.
*/
export function meanHeldMs({count, late, heldMs}: Stops): number {
	return heldMs / Math.max(1, count + late);
}

/**
Which threads to stop. They are checked in turn. As long as they stop at once, each is stopped right after its check:
after a delay only threads with long work would still be at it. `beforeStop` is called just before a thread is asked to
stop.
*/
type Choice = {wants(tid: number): boolean; beforeStop(tid: number): void};

/** `isOneByOne`: threads are stopped one after the other, until one does not stop at once; otherwise in batches. */
type Round = {readonly onStopped: (tid: number) => void; readonly choice: Choice; isOneByOne: boolean};

/** All threads are wanted, and are stopped in batches from the start. */
const allThreads: Choice = {wants: () => true, beforeStop: () => undefined};

/** Stops threads for some microseconds, several at the same time, and detaches each as soon as it has been handled. */
export class Stopper {
	readonly #ptrace: Ptrace;
	readonly #pid: number;
	readonly #other: OtherTracer;
	/** Threads asked to stop and not yet detached, and when a poll last found each running. */
	readonly #pending = new Map<number, number>();
	/** Late threads that stopped after their round. */
	#lateStops: Stops = {...noStops};
	#batchSize?: number;
	/** Index of the thread with which the next round begins: the last one did not reach it. */
	#nextFirst = 0;
	#timer?: NodeJS.Timeout;

	/** `pid`: the process, whose main thread has the same id. */
	constructor(ptrace: Ptrace, pid: number) {
		this.#ptrace = ptrace;
		this.#pid = pid;
		this.#other = new OtherTracer(pid);
	}

	/**
	Calls `onStopped` for each chosen thread while it is stopped. It must be quick; an exception from it ends the round,
	but all threads are still detached.
	*/
	stop(tids: readonly number[], onStopped: (tid: number) => void, choice: Choice = allThreads): Stops {
		this.#releaseLate();
		// Only the time of late threads: they were counted, in `late`, when they did not stop.
		const stops: Stops = {...this.#lateStops, count: 0};
		this.#lateStops = {...noStops};
		if (tids.length === 0) {
			return stops;
		}

		if (this.#other.isAttached()) {
			return {...stops, refused: stops.refused + countWanted(tids, choice), tracer: this.#other.name};
		}

		const isRaised = this.#ptrace.raisePriority();
		const [endMs, maxHeldMs] = isRaised ? [Infinity, Infinity] : [performance.now() + maxRoundMs, longHeldMs];
		const size = this.#batchSize ?? (isRaised ? maxBatch : 1);
		try {
			const first = this.#nextFirst % tids.length;
			const inTurn = [...tids.slice(first), ...tids.slice(0, first)];
			const round = {onStopped, choice, isOneByOne: choice !== allThreads};
			let checked = 0;
			while (checked < inTurn.length && performance.now() < endMs && stops.longestMs <= maxHeldMs) {
				const next = inTurn.slice(checked, checked + maxBatch);
				checked += round.isOneByOne
					? this.#stopOneByOne(next, round, stops)
					: this.#stopBatch(next, size, round, stops);
			}

			stops.late += countWanted(inTurn.slice(checked), choice);
			this.#nextFirst = checked < inTurn.length ? first + checked : 0;
		} finally {
			this.#batchSize = stops.longestMs > longHeldMs ? 1 : Math.min(maxBatch, 2 * size);
			this.#ptrace.restorePriority();
			this.#pollLate();
		}

		return stops;
	}

	/** Resolves when no thread is held. */
	async release(): Promise<void> {
		while (this.#pending.size > 0) {
			await sleep(lateRetryMs);
			this.#releaseLate();
		}
	}

	/** Detaches all threads, waiting at most `maxCloseMs` for them to stop. */
	close(): void {
		clearTimeout(this.#timer);
		const end = performance.now() + maxCloseMs;
		while (this.#pending.size > 0 && performance.now() < end) {
			this.#releaseLate();
			this.#ptrace.sleepUs(closeRetryUs);
		}
	}

	/**
	Stops threads one by one until one does not stop at once, as it waits for a CPU; returns how many were checked.
	*/
	#stopOneByOne(tids: readonly number[], round: Round, stops: Stops): number {
		const {choice, onStopped} = round;
		const waiting: number[] = [];
		const checked = this.#seizeWanted(tids, choice, stops, tid => {
			this.#interrupt(tid, choice);
			const start = performance.now();
			while (!this.#handle(tid, stops, onStopped)) {
				if (performance.now() > start + (atOnceUs / 1000)) {
					waiting.push(tid);
					break;
				}
			}

			round.isOneByOne = this.#pending.size === 0;
			return round.isOneByOne;
		});
		this.#wait(waiting, onStopped, stops);
		return checked;
	}

	/** Stops at most `size` threads; returns how many were checked. */
	#stopBatch(tids: readonly number[], size: number, {onStopped, choice}: Round, stops: Stops): number {
		const chosen: number[] = [];
		const checked = this.#seizeWanted(tids, choice, stops, tid => chosen.push(tid) < size);
		// Seize no thread after this: while a thread is in execve, seizing blocks, and execve may wait until we reap
		// one of the threads asked to stop.
		for (const tid of chosen) {
			this.#interrupt(tid, choice);
		}

		this.#wait(chosen, onStopped, stops);
		return checked;
	}

	/** Seizes the wanted threads while `take` returns true; returns how many were checked. */
	#seizeWanted(tids: readonly number[], {wants}: Choice, stops: Stops, take: (tid: number) => boolean): number {
		for (const [index, tid] of tids.entries()) {
			if (wants(tid) && this.#trySeize(tid, stops) && !take(tid)) {
				return index + 1;
			}
		}

		return tids.length;
	}

	#interrupt(tid: number, choice: Choice): void {
		choice.beforeStop(tid);
		this.#pending.set(tid, performance.now());
		this.#ptrace.interrupt(tid);
	}

	/** Waits until these threads have stopped, at most `maxWaitMs`, and handles each as soon as it has. */
	#wait(tids: readonly number[], onStopped: (tid: number) => void, stops: Stops): void {
		const start = performance.now();
		let waiting = tids;
		for (let sleeps = 0; waiting.length > 0;) {
			waiting = waiting.filter(tid => !this.#handle(tid, stops, onStopped));
			const elapsedMs = performance.now() - start;
			if (elapsedMs > maxWaitMs) {
				stops.late += waiting.length;
				return;
			}

			if (waiting.length > 0 && elapsedMs * 1000 > spinUs) {
				this.#ptrace.sleepUs(pollSleepsUs[Math.min(sleeps++, pollSleepsUs.length - 1)]);
			}
		}
	}

	#trySeize(tid: number, stops: Stops): boolean {
		// An earlier round seized this thread, which has not stopped yet.
		if (this.#pending.has(tid)) {
			stops.late++;
			return false;
		}

		const error = this.#seize(tid);
		if (error !== 0 && error !== errno.ESRCH) {
			stops.refused++;
			stops.tracer = this.#other.name;
		}

		return error === 0;
	}

	/** Retries while another tprof-top holds the thread; returns 0 or an errno. */
	#seize(tid: number): number {
		for (let tries = 1; ; tries++) {
			const error = this.#ptrace.seize(tid);
			if (error !== errno.EPERM || this.#other.findTracer(tid) !== 'tprof-top' || tries === maxSeizeTries) {
				return error;
			}

			this.#ptrace.sleepUs(seizeRetryUs);
		}
	}

	/** Calls `onStopped` and detaches the thread if it has stopped; returns false while it runs. */
	#handle(tid: number, stops: Stops, onStopped?: (tid: number) => void): boolean {
		const polledAt = performance.now();
		const status = this.#ptrace.poll(tid);
		if (status === 0) {
			this.#pending.set(tid, polledAt);
			return false;
		}

		const runningAt = this.#pending.get(tid) ?? polledAt;
		this.#pending.delete(tid);
		if (status < 0) {
			this.#interruptAfterExecve();
			return true;
		}

		if ((status & stoppedMask) !== stoppedValue) {
			// The thread has ended, and the poll reaped it.
			return true;
		}

		try {
			onStopped?.(tid);
		} finally {
			const heldMs = performance.now() - runningAt;
			stops.count++;
			stops.heldMs += heldMs;
			stops.longestMs = Math.max(stops.longestMs, heldMs);
			// A stop with an event is ours, or a group stop, which persists without us; otherwise the thread must still
			// get the signal that it stopped for.
			const isEvent = status >>> 16 !== 0;
			if (this.#ptrace.detach(tid, isEvent ? 0 : (status >>> 8) & 0xFF) !== 0) {
				// Killed while stopped: its process cannot end, or finish an execve, until we reap the thread.
				this.#pending.set(tid, performance.now());
			}
		}

		return true;
	}

	/**
	A seized thread disappears only by execve, which gives it the process's id and ends all others (ptrace(2),
	"execve(2) under ptrace"). We still trace it and must stop it to detach it.
	*/
	#interruptAfterExecve(): void {
		if (!this.#pending.has(this.#pid) && this.#ptrace.interrupt(this.#pid) === 0) {
			this.#pending.set(this.#pid, performance.now());
		}
	}

	#releaseLate(): void {
		for (const tid of this.#pending.keys()) {
			this.#handle(tid, this.#lateStops);
		}
	}

	/** Detaches threads that stop after their round, which would otherwise stay stopped until the next one. */
	#pollLate(): void {
		clearTimeout(this.#timer);
		if (this.#pending.size > 0) {
			this.#timer = setTimeout(() => {
				this.#releaseLate();
				this.#pollLate();
			}, lateRetryMs);
		}
	}
}

function countWanted(tids: readonly number[], choice: Choice): number {
	return tids.filter(tid => choice.wants(tid)).length;
}
