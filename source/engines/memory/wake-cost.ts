import {type JavaThread} from './threads/java-thread.js';

/** From so many turns on a CPU on, what one costs a thread is known. */
const leastTurns = 200;

/** Beyond so many turns the past counts half. */
const longestPast = 4000;

/** A thread whose turns cost more than this, nanoseconds, does something else in them than to wake up. */
const mostNs = 20_000;

/** The most that a waking is believed to cost; measured with events it was up to 12 microseconds. */
const believedNs = 15_000;

/**
The part of what a turn costs the thread with the cheapest turns that is taken for waking, as it does something too. With
four fifths twice as much as is true stood beside the tasks of a pool of 200 (docs/measurements.md).
*/
const wakingPart = 0.5;

/** For how long the cheapest turns are remembered, milliseconds. */
const rememberMs = 5000;

type Turns = {lifeTurns: number; lifeCpuNs: number; turns: number; cpuNs: number; openNs: number};

/**
A guess at what threads use in waking up, where running threads are stopped: most of it comes before a thread's first
instruction (timer/wakings measures it with events), so that it is never found at it. No waking costs more than a whole
turn on a CPU of the thread whose turns are the cheapest: where there is one that does next to nothing in each, as who
hands out work or watches a queue, half of that is taken for what a waking costs the others, too. Where there is none,
nothing is taken.
*/
export class WakeCost {
	readonly #turns = new WeakMap<JavaThread, Turns>();
	#leastNs = Number.POSITIVE_INFINITY;
	#leastAtMs = Number.NEGATIVE_INFINITY;

	/** A thread's CPU time has been read for this sample. */
	add(thread: JavaThread, nowMs: number): void {
		const {isCpuKnown, lifeTurns, lifeCpuNs} = thread;
		if (!isCpuKnown) {
			return;
		}

		const known = this.#turns.get(thread);
		if (!known) {
			this.#turns.set(thread, {
				lifeTurns, lifeCpuNs, turns: 0, cpuNs: 0, openNs: 0,
			});
			return;
		}

		const turns = lifeTurns - known.lifeTurns;
		const cpuNs = lifeCpuNs - known.lifeCpuNs;
		if (turns <= 0) {
			return;
		}

		known.lifeTurns = lifeTurns;
		known.lifeCpuNs = lifeCpuNs;
		known.turns += turns;
		known.cpuNs += cpuNs;
		if (known.turns > longestPast) {
			known.turns /= 2;
			known.cpuNs /= 2;
		}

		const eachNs = known.turns < leastTurns ? Number.POSITIVE_INFINITY : known.cpuNs / known.turns;
		if (eachNs <= this.#leastNs || nowMs > this.#leastAtMs + rememberMs) {
			this.#leastNs = eachNs;
			this.#leastAtMs = nowMs;
		}

		known.openNs += Math.min(cpuNs, turns * (this.#leastNs > mostNs ? 0 : wakingPart * Math.min(this.#leastNs, believedNs)));
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
}
