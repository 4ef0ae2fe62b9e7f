import {type PerfCalls} from '../perf-calls.js';
import {mostNs} from './beyond-clock.js';
import {type ClockMoment, ThreadClock} from './thread-clock.js';

/**
What is kept of a thread for the part of its CPU time in which no clock meets it: up to 12 microseconds each time it
wakes, on a virtual machine. An idle CPU counts the time from the waking to the thread's first instruction for the
thread (see rq_clock_skip_update in Linux' kernel/sched) while the idle task, of which there are no records, still has
the CPU; a busy one has next to none of it. A thread that parks and wakes thousands of times a second may use most of
its CPU time so.
*/
export type Wakings = {
	/** What it used beyond its own clock in so many turns on a CPU, as measured; older ones count half. */
	measuredNs: number;
	measuredTurns: number;
	/** Turns since then, and from when on it may be measured again. */
	turns: number;
	againMs: number;
	/** What its turns have cost and was not taken from what it used, and what was and is not counted anywhere yet. */
	owedNs: number;
	openNs: number;
};

/** A thread that has wakings, and who it is. */
export type Waking = {readonly wakings: Wakings; readonly tid: number};

/** A thread's own clock costs it something at every switch: it is measured for so long, and not again for this long. */
const measuredMs = 1000;
const againMs = 10_000;

/** Threads measured at a time, and the turns from which on one is. */
const atOnce = 8;
const worthTurns = 20;

/** One that is never found off its CPU is given up after so long. */
const givenUpMs = 3000;

/** For how many turns the mean of all threads stands. */
const supposedTurns = 50;

/**
Turns that a measurement counts for in that mean, so that a thread which hands out work to many does not speak for them;
and from which on the older ones count half.
*/
const mostInMean = 30;
const rememberedTurns = 1500;

/**
What switching from one thread to another takes with interrupts shut out, per turn: the clock is at work, but meets
whoever has the CPU next. Records against clocks had next to none in programs that work between switches, and 2 to 3
microseconds in one that does nothing but switch.
*/
const switchNs = 500;

/** How far switches may be from what they are supposed to cost, as a standard deviation, and the most they are believed to. */
const switchDoubtNs = 1000;
const mostSwitchNs = 15_000;

/** Records beyond which what switches were found to cost counts half. */
const longestPast = 4000;

export function newWakings(): Wakings {
	return {
		measuredNs: 0, measuredTurns: 0, turns: 0, againMs: 0, owedNs: 0, openNs: 0,
	};
}

/**
What it costs threads to be put on a CPU where no record can meet them: measured, for some threads at a time and each of
them now and then, as what schedstat has beyond the thread's own clock.
*/
export class WakingCosts {
	readonly #calls: PerfCalls;
	readonly #pid: number;
	readonly #measuring = new Map<Wakings, {readonly clock: ThreadClock; readonly startedMs: number; firstMs: number; first?: ClockMoment}>();
	#allNs = 0;
	#allTurns = 0;
	/** Of all threads: records, what was used beyond them and what was measured, and in how many turns. */
	#records = 0;
	#beyondNs = 0;
	#turns = 0;
	#switchNs = switchNs;

	constructor(calls: PerfCalls, pid: number) {
		this.#calls = calls;
		this.#pid = pid;
	}

	/**
	CPU nanoseconds of `usedNs`, which a thread has used in so many turns, that its wakings have cost; they stay open.
	`records`: how many there were meanwhile, undefined where some were lost.
	*/
	take(wakings: Wakings, usedNs: number, turns: number, records?: number): number {
		wakings.turns += turns;
		const costNs = this.costNs(wakings);
		if (records !== undefined) {
			this.#records += records;
			this.#turns += turns;
			this.#beyondNs += usedNs - (turns * costNs);
		}

		const owedNs = wakings.owedNs + (turns * (costNs + this.#switchNs));
		const takenNs = Math.min(owedNs, usedNs);
		wakings.owedNs = Math.min(owedNs - takenNs, mostNs);
		wakings.openNs += takenNs;
		return takenNs;
	}

	/** What a turn on a CPU costs a thread; the mean of all threads where it was not measured, 0 before any was. */
	costNs({measuredNs, measuredTurns}: Wakings): number {
		const meanNs = this.#allTurns > 0 ? this.#allNs / this.#allTurns : 0;
		return (measuredNs + (supposedTurns * meanNs)) / (measuredTurns + supposedTurns);
	}

	/**
	Looks what switches cost: all that is beyond records and what was measured, as far as more than chance, which gives
	a process so many records more or less, says so. `periodNs`: what a record stands for.
	*/
	weigh(periodNs: number): void {
		const varianceNs = (this.#records + 1) * (periodNs ** 2);
		const [supposed, found] = [1 / (switchDoubtNs ** 2), (this.#turns ** 2) / varianceNs];
		const foundNs = this.#turns > 0 ? (this.#beyondNs - (this.#records * periodNs)) / this.#turns : 0;
		this.#switchNs = Math.min(mostSwitchNs, Math.max(0, ((supposed * switchNs) + (found * foundNs)) / (supposed + found)));
		if (this.#records > longestPast) {
			this.#records /= 2;
			this.#beyondNs /= 2;
			this.#turns /= 2;
		}
	}

	/** Goes on with what is being measured, and begins with the one of these threads that had the most turns since. */
	measure(threads: Iterable<Waking>, nowMs: number): void {
		for (const [wakings, measuring] of this.#measuring) {
			if (!measuring.first || nowMs - measuring.firstMs >= measuredMs) {
				const moment = measuring.clock.moment();
				if (moment && measuring.first) {
					this.#learn(wakings, moment.usedNs - measuring.first.usedNs - moment.countNs + measuring.first.countNs, moment.turns - measuring.first.turns);
					this.forget(wakings, nowMs);
				} else if (moment) {
					measuring.first = moment;
					measuring.firstMs = nowMs;
				} else if (nowMs - measuring.startedMs > givenUpMs) {
					this.forget(wakings, nowMs);
				}
			}
		}

		if (this.#measuring.size < atOnce) {
			this.#begin(threads, nowMs);
		}
	}

	/** Measures a thread no longer, and not again for a while. */
	forget(wakings: Wakings, nowMs: number): void {
		wakings.turns = 0;
		wakings.againMs = nowMs + againMs;
		this.#measuring.get(wakings)?.clock.close();
		this.#measuring.delete(wakings);
	}

	/** Measures no thread any more, until the next time. */
	close(): void {
		for (const {clock} of this.#measuring.values()) {
			clock.close();
		}

		this.#measuring.clear();
	}

	#begin(threads: Iterable<Waking>, nowMs: number): void {
		let most: Waking | undefined;
		for (const thread of threads) {
			const {turns, againMs} = thread.wakings;
			if (turns >= Math.max(worthTurns, most?.wakings.turns ?? 0) && nowMs >= againMs && thread.tid > 0 && !this.#measuring.has(thread.wakings)) {
				most = thread;
			}
		}

		const clock = most && ThreadClock.open(this.#calls, this.#pid, most.tid);
		if (clock) {
			this.#measuring.set(most!.wakings, {clock, startedMs: nowMs, firstMs: nowMs, first: clock.moment()});
		} else if (most) {
			this.forget(most.wakings, nowMs);
		}
	}

	#learn(wakings: Wakings, beyondNs: number, turns: number): void {
		if (!(turns > 0)) {
			return;
		}

		const costNs = Math.min(mostNs, Math.max(0, beyondNs / turns));
		wakings.measuredNs = (wakings.measuredNs / 2) + (turns * costNs);
		wakings.measuredTurns = (wakings.measuredTurns / 2) + turns;
		const counted = Math.min(turns, mostInMean);
		const keptInMean = this.#allTurns > rememberedTurns ? 0.5 : 1;
		this.#allNs = (keptInMean * this.#allNs) + (counted * costNs);
		this.#allTurns = (keptInMean * this.#allTurns) + counted;
	}
}
