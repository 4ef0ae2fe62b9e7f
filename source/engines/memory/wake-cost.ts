import {type IdleCpus} from '../../jvm/system/idle-cpus.js';
import {type OwnWaking} from './process/own-waking.js';
import {type JavaThread} from './threads/java-thread.js';

/** From so many turns on a CPU on, what one costs a thread is known. */
const leastTurns = 200;

/** Beyond so many turns the past counts half. */
const longestPast = 4000;

/** A thread whose turns cost more than this, nanoseconds, does something else in them than to wake up. */
const mostNs = 20_000;

/** The most that a waking is believed to cost, nanoseconds; measured with events it was up to 12 microseconds. */
const believedNs = 15_000;

/**
The part of what a turn costs the thread with the cheapest turns that is taken for waking, as it does something too. With
four fifths twice as much as is true stood beside the tasks of a pool of 200 (docs/measurements.md).
*/
const wakingPart = 0.5;

/** For how long the cheapest turns are remembered, milliseconds. */
const rememberMs = 5000;

type Turns = {turns: number; cpuNs: number; openNs: number};

/**
A guess at what threads use in waking up, where running threads are stopped: most of it comes before a thread's first
instruction (timer/wakings measures it with events), so that it is never found at it. An idle CPU takes as long for each
of them as for us, and one that is busy next to nothing. Where the turns of some thread cost next to nothing, as of who
hands out work or watches a queue, half of that is taken for what a waking costs the others at least, however busy the
CPUs are.
*/
export class WakeCost {
	readonly #own: Pick<OwnWaking, 'ns'>;
	readonly #idle: Pick<IdleCpus, 'chance'>;
	readonly #turns = new WeakMap<JavaThread, Turns>();
	#leastNs = Number.POSITIVE_INFINITY;
	#leastAtMs = Number.NEGATIVE_INFINITY;
	#nowMs = 0;
	#ownNs = 0;

	constructor(own: Pick<OwnWaking, 'ns'>, idle: Pick<IdleCpus, 'chance'>) {
		this.#own = own;
		this.#idle = idle;
	}

	/** Begins a sample, in which CPU times have been read. */
	begin(nowMs: number): void {
		this.#nowMs = nowMs;
		this.#ownNs = Math.min(this.#own.ns, believedNs) * this.#idle.chance(nowMs);
	}

	/** What a thread has used since the sample before, in how many turns on a CPU. */
	add(thread: JavaThread): void {
		const {cpuNs, newTurns} = thread;
		if (cpuNs === 0 || newTurns <= 0) {
			return;
		}

		const known = this.#turnsOf(thread);
		known.turns += newTurns;
		known.cpuNs += cpuNs;
		if (known.turns > longestPast) {
			known.turns /= 2;
			known.cpuNs /= 2;
		}

		const eachNs = known.turns < leastTurns ? Number.POSITIVE_INFINITY : known.cpuNs / known.turns;
		if (eachNs <= this.#leastNs || this.#nowMs > this.#leastAtMs + rememberMs) {
			this.#leastNs = eachNs;
			this.#leastAtMs = this.#nowMs;
		}

		const cheapestNs = this.#leastNs > mostNs ? 0 : wakingPart * Math.min(this.#leastNs, believedNs);
		known.openNs += Math.min(cpuNs, newTurns * Math.max(this.#ownNs, cheapestNs));
	}

	/** CPU nanoseconds that a thread has used in waking up and that count nowhere yet. */
	openNs(thread: JavaThread): number {
		return this.#turns.get(thread)?.openNs ?? 0;
	}

	/** The same of a thread that waits now, where they count: they are not given again. */
	take(thread: JavaThread): number {
		const known = this.#turns.get(thread);
		const ns = known?.openNs ?? 0;
		if (known) {
			known.openNs = 0;
		}

		return ns;
	}

	#turnsOf(thread: JavaThread): Turns {
		let known = this.#turns.get(thread);
		if (!known) {
			known = {turns: 0, cpuNs: 0, openNs: 0};
			this.#turns.set(thread, known);
		}

		return known;
	}
}
