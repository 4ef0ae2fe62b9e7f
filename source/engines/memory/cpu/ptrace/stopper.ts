import {constants} from 'node:os';
import {setTimeout as sleep} from 'node:timers/promises';
import {OtherTracer} from '../../target/other-tracer.js';
import {type Ptrace} from './ptrace.js';

const {errno} = constants;

/**
Maximum number of threads stopped at the same time: each waits for those handled before it, and smaller batches leave
more running threads to compete for our CPU.
*/
const largestBatch = 16;

/**
How long a batch is waited for, milliseconds. A running thread stops within microseconds, but one without a CPU (busy
host, throttled container, page from disk) only when it gets one; giving up earlier would hold it until we look again.
*/
const waitLimitMs = 1000;

/** Without raised priority, a round stops no further thread after this time; the next round begins with those. */
const roundLimitMs = 500;

/**
A thread held this long, milliseconds, shows that we lost the CPU: then threads are stopped one at a time, and the batch
doubles with each round without that. Without raised priority the round ends with it, and rounds begin with one.
*/
const lateMs = 5;

/** How long we spin before sleeping, microseconds; a running thread stops within some 10. */
const spinUs = 20;

/** How long a single thread found working is waited for, microseconds; on a CPU it stops within some 10. */
const atOnceUs = 60;

/** Sleeps between polls after that, microseconds. */
const sleepUs = [5, 10, 10, 20, 20, 50, 100, 100, 100, 200];

/** Attempts to seize a thread that another tprof-top holds, and microseconds between them. */
const seizeTries = 20;
const seizeAgainUs = 100;

/** How long `close` waits for threads that have not stopped yet; after that, the end of our process detaches them. */
const closeLimitMs = 1000;

/** Mask and value of a wait status that means "stopped" (wait(2)). */
const stoppedMask = 0xFF;
const stoppedValue = 0x7F;

/** Result of a round of stops. */
export type Stops = {
	/** Threads stopped. */
	count: number;
	/**
	Time that threads were held, milliseconds: sum and longest; upper bounds, from when a thread was last seen running.
	Threads that stopped late count in the next round.
	*/
	heldMs: number;
	longestMs: number;
	/**
	Threads that another tracer holds or that we may not trace, all of them while another tracer is attached; and that
	tracer if known.
	*/
	refused: number;
	tracer?: string;
	/**
	Threads that have not stopped in time, in this round or since an earlier one; they are detached as soon as they do.
	*/
	late: number;
};

export const noStops: Stops = {
	count: 0, heldMs: 0, longestMs: 0, refused: 0, late: 0,
};

export function sumOfStops(a: Stops, b: Stops): Stops {
	return {
		count: a.count + b.count, heldMs: a.heldMs + b.heldMs, longestMs: Math.max(a.longestMs, b.longestMs), refused: a.refused + b.refused, late: a.late + b.late, tracer: b.tracer ?? a.tracer,
	};
}

/**
Time that counts against the budget: the mean for which threads in Java code were held. Per second, it is the share of
its running time that such a thread loses. Late threads count in a later sample.
*/
export function stoppedMs({count, late, heldMs}: Stops): number {
	return heldMs / Math.max(1, count + late);
}

/**
Which threads to stop. They are checked in turn, and each is stopped right after its check while threads stop at once,
so that where a thread is found does not depend on how long it works. `asked` is called just before a thread is asked to
stop.
*/
type Choice = {
	wants(tid: number): boolean;
	asked(tid: number): void;
};

type Round = {readonly onStopped: (tid: number) => void; readonly choice: Choice; isOneByOne: boolean};

const everybody: Choice = {wants: () => true, asked: () => undefined};

/** Stops threads for some microseconds each, together, and detaches each in the order of arrival. */
export class Stopper {
	readonly #ptrace: Ptrace;
	readonly #pid: number;
	readonly #other: OtherTracer;
	/** Threads asked to stop, and when each was last seen running. */
	readonly #pending = new Map<number, number>();
	/** Threads that stopped late, since the last round. */
	#afterwards: Stops = {...noStops};
	#batchSize?: number;
	/** Index of the first thread of the next round, if the last was too short for all. */
	#first = 0;
	#timer?: NodeJS.Timeout;

	/** `pid`: the process, and the id of its first thread. */
	constructor(ptrace: Ptrace, pid: number) {
		this.#ptrace = ptrace;
		this.#pid = pid;
		this.#other = new OtherTracer(pid);
	}

	/**
	Calls `onStopped` for each thread while it is stopped. It must be quick; what it throws ends the round, and all
	threads are detached nevertheless. `choice`: which of the threads to stop.
	*/
	stop(tids: readonly number[], onStopped: (tid: number) => void, choice: Choice = everybody): Stops {
		this.#releaseLate();
		const stops: Stops = {...this.#afterwards, count: 0};
		this.#afterwards = {...noStops};
		if (tids.length === 0) {
			return stops;
		}

		if (this.#other.isThere()) {
			return {...stops, refused: stops.refused + countWanted(tids, choice), tracer: this.#other.name};
		}

		const isRaised = this.#ptrace.raise();
		const [endMs, longestMs] = isRaised ? [Infinity, Infinity] : [performance.now() + roundLimitMs, lateMs];
		const size = this.#batchSize ?? (isRaised ? largestBatch : 1);
		try {
			const first = this.#first % tids.length;
			const inTurn = [...tids.slice(first), ...tids.slice(0, first)];
			const round = {onStopped, choice, isOneByOne: choice !== everybody};
			let checked = 0;
			while (checked < inTurn.length && performance.now() < endMs && stops.longestMs <= longestMs) {
				const next = inTurn.slice(checked, checked + largestBatch);
				checked += round.isOneByOne ? this.#stopOneByOne(next, round, stops) : this.#stopBatch(next, size, round, stops);
			}

			stops.late += countWanted(inTurn.slice(checked), choice);
			this.#first = checked < inTurn.length ? first + checked : 0;
		} finally {
			this.#batchSize = stops.longestMs > lateMs ? 1 : Math.min(largestBatch, 2 * size);
			this.#ptrace.restore();
			this.#watch();
		}

		return stops;
	}

	/** Resolves when no thread is held or about to stop. */
	async release(): Promise<void> {
		while (this.#pending.size > 0) {
			await sleep(1);
			this.#releaseLate();
		}
	}

	/** Detaches all threads. */
	close(): void {
		clearTimeout(this.#timer);
		const end = performance.now() + closeLimitMs;
		while (this.#pending.size > 0 && performance.now() < end) {
			this.#releaseLate();
			this.#ptrace.sleep(100);
		}
	}

	/**
	Stops threads one by one until one does not stop at once because it waits for a CPU; returns how many were checked.
	*/
	#stopOneByOne(tids: readonly number[], round: Round, stops: Stops): number {
		const {choice, onStopped} = round;
		const waiting: number[] = [];
		const checked = this.#choose(tids, choice, stops, tid => {
			this.#ask(tid, choice);
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
		const checked = this.#choose(tids, choice, stops, tid => chosen.push(tid) < size);
		// Seize no thread after this: seizing waits for an execve, which waits until we see the end of one of these.
		for (const tid of chosen) {
			this.#ask(tid, choice);
		}

		this.#wait(chosen, onStopped, stops);
		return checked;
	}

	/** Seizes the wanted threads while `take` returns true; returns how many were checked. */
	#choose(tids: readonly number[], {wants}: Choice, stops: Stops, take: (tid: number) => boolean): number {
		for (const [index, tid] of tids.entries()) {
			if (wants(tid) && this.#have(tid, stops) && !take(tid)) {
				return index + 1;
			}
		}

		return tids.length;
	}

	#ask(tid: number, choice: Choice): void {
		choice.asked(tid);
		this.#pending.set(tid, performance.now());
		this.#ptrace.interrupt(tid);
	}

	/** Waits until these threads have stopped, and handles each as soon as it has. */
	#wait(tids: readonly number[], onStopped: (tid: number) => void, stops: Stops): void {
		const start = performance.now();
		let waiting = tids;
		for (let sleeps = 0; waiting.length > 0;) {
			waiting = waiting.filter(tid => !this.#handle(tid, stops, onStopped));
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

	/** Seizes a thread; false if that fails. */
	#have(tid: number, stops: Stops): boolean {
		// Still ours from an earlier round.
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

	/** Seizes a thread: 0 or an errno. Retries while another tprof-top holds it. */
	#seize(tid: number): number {
		for (let tries = 1; ; tries++) {
			const error = this.#ptrace.seize(tid);
			if (error !== errno.EPERM || !this.#other.refused(tid) || tries === seizeTries) {
				return error;
			}

			this.#ptrace.sleep(seizeAgainUs);
		}
	}

	/** Handles a thread that has stopped; false while it runs. */
	#handle(tid: number, stops: Stops, onStopped?: (tid: number) => void): boolean {
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
			// It has ended, and was reaped by the poll.
			return true;
		}

		try {
			onStopped?.(tid);
		} finally {
			const heldMs = performance.now() - runningAt;
			stops.count++;
			stops.heldMs += heldMs;
			stops.longestMs = Math.max(stops.longestMs, heldMs);
			// A stop with an event is ours, or a group stop that continues by itself; otherwise a signal is pending
			// that the thread must get.
			const isEvent = status >>> 16 !== 0;
			if (this.#ptrace.detach(tid, isEvent ? 0 : (status >>> 8) & 0xFF) !== 0) {
				// Killed while held: its process cannot end, or finish its execve, until we see that.
				this.#pending.set(tid, performance.now());
			}
		}

		return true;
	}

	/**
	A seized thread disappears only by execve, which gives it the process's id and ends all others (ptrace(2),
	"execve(2) under ptrace"). It is still ours, and only its tracer can stop it.
	*/
	#follow(): void {
		if (!this.#pending.has(this.#pid) && this.#ptrace.interrupt(this.#pid) === 0) {
			this.#pending.set(this.#pid, performance.now());
		}
	}

	#releaseLate(): void {
		for (const tid of this.#pending.keys()) {
			this.#handle(tid, this.#afterwards);
		}
	}

	/** Polls for threads that stop after their round, which would otherwise stay stopped until the next one. */
	#watch(): void {
		clearTimeout(this.#timer);
		if (this.#pending.size > 0) {
			this.#timer = setTimeout(() => {
				this.#releaseLate();
				this.#watch();
			}, 1);
		}
	}
}

function countWanted(tids: readonly number[], choice: Choice): number {
	return tids.filter(tid => choice.wants(tid)).length;
}
