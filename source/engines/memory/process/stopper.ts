import {setTimeout as sleep} from 'node:timers/promises';
import {OtherTracer} from './other-tracer.js';
import {errno, type Ptrace} from './ptrace.js';
import {RunDelay} from './run-delay.js';
import {noStops, type Stops} from './stops.js';

/**
Threads stopped at the same time at most: each waits for those handled before it, some 30 microseconds each. Fewer at
once would hold fewer when we lose the CPU meanwhile, but we lose it more often then: with 12 threads that spin on two
busy cores, batches of 2, 4, 8 and 16 held the longest of a sample for 7.5, 4.0, 4.0 and 0.9 ms (medians), as the
threads not stopped yet take the CPUs.
*/
const largestBatch = 16;

/**
How long a batch is waited for, milliseconds. A thread that runs, or has a CPU soon, stops within microseconds; one that
gets no CPU (a busy host, a throttled container, a page from a slow disk) does not. What we do in between on such a host
takes many turns of ours, for which a thread that stops meanwhile is held: so it is waited for until it has had its
turn.
*/
const waitLimitMs = 1000;

/**
Where our priority cannot be raised, a round asks nobody else after this time: those left out come first in the next
one.
*/
const roundLimitMs = 500;

/**
Where our priority cannot be raised: having waited for a CPU for so long since the last round, milliseconds, we would
lose it while we hold threads, too; and so where a thread was held for long in the round before, which ends with that.
Then nobody is stopped for a while; the round after that is a try, whatever we waited.
*/
const starvedMs = 10;
const restMs = 1000;

/**
A thread held for so long, milliseconds, says that we lost the CPU meanwhile: then one at a time, twice as many after
each round in which that did not happen. Where our priority cannot be raised, so from the first round on.
*/
const lateMs = 5;

/** Looks at once for this long, microseconds: a thread that is running now stops within some 10. */
const spinUs = 20;

/**
How long one that was found at work is waited for by itself, microseconds. On a CPU it stops within some 10; longer than
others hold it up there, another may as well be looked for.
*/
const atOnceUs = 60;

/** Sleep between two looks after that, microseconds: short at first. */
const sleepUs = [5, 10, 10, 20, 20, 50, 100, 100, 100, 200];

/**
How often, and after how many microseconds, a thread is asked for again that another of us has: it holds some at a time,
each for some 50.
*/
const seizeTries = 20;
const seizeAgainUs = 100;

/**
How long `close` waits for threads that were asked to stop and did not yet; after this they are let go by the end of our
process.
*/
const closeLimitMs = 1000;

/** Mask and value of a wait status that says "stopped" (wait(2)). */
const stoppedMask = 0xFF;
const stoppedValue = 0x7F;

/**
Who of the threads is to be stopped. They are looked at in turn, and who is wanted is stopped right after that, as long as
they do stop at once: where a thread is found must not depend on for how long it goes on. Where nobody is wanted, they are
looked at again, so many microseconds after the first look began. `asked` is called just before a thread is asked to stop.
*/
export type Choice = {
	readonly looks: ReadonlyArray<{readonly afterUs: number; begin?(): void; wants(tid: number): boolean}>;
	/**
	Called just before the first look, when all else is done, to leave the target alone for a while: while we work it has a
	CPU less, and what it does by then is another thing. Not where nobody may be stopped.
	*/
	rest?(): void;
	asked(tid: number): void;
};

type Round = {readonly look: (tid: number) => void; readonly choice: Choice; isOneByOne: boolean};

const everybody: Choice = {looks: [{afterUs: 0, wants: () => true}], asked: () => undefined};

/** Stops threads for some microseconds each, all at once, and lets each go in the order of arrival. */
export class Stopper {
	readonly #ptrace: Ptrace;
	readonly #pid: number;
	readonly #other: OtherTracer;
	readonly #delay: Pick<RunDelay, 'takeMs' | 'close'>;
	/** Threads asked to stop, and when each was last seen running. */
	readonly #pending = new Map<number, number>();
	/** How long those that stopped late were held, since the last round. */
	#afterwards: Stops = {...noStops};
	#batchSize?: number;
	/** Whose turn it is first, where a round was too short for all. */
	#first = 0;
	#restUntilMs?: number;
	#timer?: NodeJS.Timeout;

	/** `pid`: the process whose threads are stopped, which is also the id of its first thread. */
	constructor(ptrace: Ptrace, pid: number, delay: Pick<RunDelay, 'takeMs' | 'close'> = new RunDelay()) {
		this.#ptrace = ptrace;
		this.#pid = pid;
		this.#other = new OtherTracer(pid);
		this.#delay = delay;
	}

	/**
	Calls `look` for each of the threads while it is stopped. `look` must be quick; what it throws ends the round, and all
	threads are let go all the same. `choice` says who of them is to be stopped.
	*/
	stop(tids: readonly number[], look: (tid: number) => void, choice: Choice = everybody): Stops {
		this.#letLateOnesGo();
		const stops: Stops = {...this.#afterwards, count: 0};
		this.#afterwards = {...noStops};
		if (tids.length === 0) {
			return stops;
		}

		if (this.#other.isThere()) {
			return {...stops, refused: stops.refused + countWanted(tids, choice), tracer: this.#other.name};
		}

		const isRaised = this.#ptrace.raise();
		if (!isRaised && this.#isStarved()) {
			return {...stops, late: stops.late + countWanted(tids, choice)};
		}

		const endMs = performance.now() + (isRaised ? Infinity : roundLimitMs);
		try {
			const first = this.#first % tids.length;
			const inTurn = [...tids.slice(first), ...tids.slice(0, first)];
			const longestMs = isRaised ? Infinity : lateMs;
			const size = this.#batchSize ?? (isRaised ? largestBatch : 1);
			const round = {look, choice, isOneByOne: choice !== everybody};
			let looked = 0;
			choice.rest?.();

			while (looked < inTurn.length && performance.now() < endMs && stops.longestMs <= longestMs) {
				const next = inTurn.slice(looked, looked + largestBatch);
				looked += round.isOneByOne ? this.#stopOneByOne(next, round, stops) : this.#stopBatch(next, size, round, stops);
			}

			stops.late += countWanted(inTurn.slice(looked), choice);
			this.#first = looked < inTurn.length ? first + looked : 0;
		} finally {
			const isLate = stops.longestMs > lateMs;
			this.#batchSize = isLate ? 1 : Math.min(largestBatch, 2 * (this.#batchSize ?? (isRaised ? largestBatch : 1)));
			this.#restUntilMs = isLate && !isRaised ? performance.now() + restMs : this.#restUntilMs;
			this.#ptrace.restore();
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
		this.#delay.close();
		const end = performance.now() + closeLimitMs;
		while (this.#pending.size > 0 && performance.now() < end) {
			this.#letLateOnesGo();
			this.#ptrace.sleep(100);
		}
	}

	/** Whether we get too little of the CPUs to hold anybody now. */
	#isStarved(): boolean {
		const delayMs = this.#delay.takeMs();
		const nowMs = performance.now();
		if (this.#restUntilMs !== undefined) {
			const isOver = nowMs >= this.#restUntilMs;
			this.#restUntilMs = isOver ? undefined : this.#restUntilMs;
			return !isOver;
		}

		this.#restUntilMs = delayMs > starvedMs ? nowMs + restMs : undefined;
		return this.#restUntilMs !== undefined;
	}

	/**
	Stops some threads, each before the next is looked at, until one of them does not stop at once, as it waits for a CPU;
	gives how many were looked at.
	*/
	#stopOneByOne(tids: readonly number[], round: Round, stops: Stops): number {
		const {choice, look} = round;
		const waiting: number[] = [];
		const looked = this.#choose(tids, choice, stops, tid => {
			this.#ask(tid, choice);
			const start = performance.now();
			while (!this.#handle(tid, stops, look)) {
				if (performance.now() > start + (atOnceUs / 1000)) {
					waiting.push(tid);
					break;
				}
			}

			round.isOneByOne = this.#pending.size === 0;
			return round.isOneByOne;
		});
		this.#wait(waiting, look, stops);
		return looked;
	}

	/** Stops at most `size` of some threads; gives how many were looked at. */
	#stopBatch(tids: readonly number[], size: number, {look, choice}: Round, stops: Stops): number {
		const chosen: number[] = [];
		const looked = this.#choose(tids, choice, stops, tid => chosen.push(tid) < size);
		// Nobody is seized after that: it would wait for an execve that waits for one of these to be seen ended.
		for (const tid of chosen) {
			this.#ask(tid, choice);
		}

		this.#wait(chosen, look, stops);
		return looked;
	}

	/** Becomes the tracer of those that are wanted, as long as `take` says so; gives how many were looked at. */
	#choose(tids: readonly number[], {looks}: Choice, stops: Stops, take: (tid: number) => boolean): number {
		const taken = new Set<number>();
		const startMs = performance.now();
		for (const {afterUs, begin, wants} of looks) {
			if (afterUs > 0 && taken.size > 0) {
				break;
			}

			while (performance.now() < startMs + (afterUs / 1000)) {
				// What is to be done in between would take longer.
			}

			begin?.();
			for (const [index, tid] of tids.entries()) {
				if (!taken.has(tid) && wants(tid) && this.#have(tid, stops)) {
					taken.add(tid);
					if (!take(tid)) {
						return index + 1;
					}
				}
			}
		}

		return tids.length;
	}

	#ask(tid: number, choice: Choice): void {
		choice.asked(tid);
		this.#pending.set(tid, performance.now());
		this.#ptrace.interrupt(tid);
	}

	/** Waits until these have stopped, and handles each as soon as it has. */
	#wait(tids: readonly number[], look: (tid: number) => void, stops: Stops): void {
		const start = performance.now();
		let waiting = tids;
		for (let sleeps = 0; waiting.length > 0;) {
			waiting = waiting.filter(tid => !this.#handle(tid, stops, look));
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

	/** Becomes the tracer of a thread that is to be asked to stop; false where that cannot be. */
	#have(tid: number, stops: Stops): boolean {
		// A thread that is still on its way from an earlier round is ours already.
		if (this.#pending.has(tid)) {
			stops.late++;
			return false;
		}

		const error = this.#seize(tid);
		if (error === errno.EPERM) {
			stops.refused++;
			stops.tracer = this.#other.name;
		}

		return error === 0;
	}

	/**
	Becomes the tracer of a thread: 0 or an errno. One that another of us has is asked for again, as it will be let go
	soon.
	*/
	#seize(tid: number): number {
		for (let tries = 1; ; tries++) {
			const error = this.#ptrace.seize(tid);
			if (error !== errno.EPERM || !this.#other.refused(tid) || tries === seizeTries) {
				return error;
			}

			this.#ptrace.sleep(seizeAgainUs);
		}
	}

	/** Looks whether a thread has stopped, and handles it; false while it runs on. */
	#handle(tid: number, stops: Stops, look?: (tid: number) => void): boolean {
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
			const heldMs = performance.now() - runningAt;
			stops.count++;
			stops.heldMs += heldMs;
			stops.longestMs = Math.max(stops.longestMs, heldMs);
			// A stop by an event is ours (or a stop of the whole process, which goes on by itself); otherwise a signal
			// is on its way to the thread, and must reach it.
			const isEvent = status >>> 16 !== 0;
			if (this.#ptrace.detach(tid, isEvent ? 0 : (status >>> 8) & 0xFF) !== 0) {
				// Killed while it was held: the process cannot end, nor go on with its execve, before its tracer has
				// seen that.
				this.#pending.set(tid, performance.now());
			}
		}

		return true;
	}

	/**
	A seized thread that nobody has waited for cannot be gone, but one that calls execve gets the id of the process,
	whose other threads end (ptrace(2), "execve(2) under ptrace"). It is ours still: only its tracer can stop it.
	*/
	#follow(): void {
		if (!this.#pending.has(this.#pid) && this.#ptrace.interrupt(this.#pid) === 0) {
			this.#pending.set(this.#pid, performance.now());
		}
	}

	#letLateOnesGo(): void {
		for (const tid of this.#pending.keys()) {
			this.#handle(tid, this.#afterwards);
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

function countWanted(tids: readonly number[], choice: Choice): number {
	return tids.filter(tid => choice.looks.some(({wants}) => wants(tid))).length;
}
