import {type Sample} from '../../../model/sample.js';
import {stateCode} from '../../../model/thread-state.js';
import {type JavaThread} from './java-thread.js';

/**
The part of the time since the look before that a thread which runs on and on outside Java code has had a CPU, or waited
for one. Of one that is found in Java code nothing more need be known: it does not wait there, but for a CPU perhaps.
*/
const nearlyAll = 0.75;

/** From so long on it is taken to go on: the end of shorter work is met by looks that come one by one. */
const longNs = 500e6;

/** Whether a thread runs on and on. */
export function runsOn({ranOnNs}: JavaThread): boolean {
	return ranOnNs >= longNs;
}

/**
Which threads run on and on, from one look to the next: while such a thread runs, a look finds nothing that the next one
would not.
*/
export class Steadiness {
	/**
	The longest time, nanoseconds, for which a thread has been doing what this look finds it doing, if the one before
	found it doing something else: at work now and not then, or the other way round. 0 where nobody is found so.
	*/
	changedNs = 0;
	#looks = 0;
	/** When a thread was last found to run on no more. */
	#brokenAtMs = Number.NEGATIVE_INFINITY;
	#atMs = Number.NaN;

	/**
	A thread that ran on has stopped a short while ago, and may have done so for a moment only, whose end is met by looks
	that come one by one.
	*/
	isBroken(nowMs: number): boolean {
		return nowMs - this.#brokenAtMs < longNs / 1e6;
	}

	/** Everybody who may have run was looked at; `sample` says in which state. */
	look(awake: readonly JavaThread[], {state}: Sample, nowMs: number): void {
		const gapNs = (nowMs - this.#atMs) * 1e6;
		this.#looks++;
		this.#atMs = nowMs;
		this.changedNs = 0;
		for (const thread of awake) {
			const {cpuNs, isInJava} = thread;
			const ranNs = cpuNs + thread.waitNs;
			const wasRunning = thread.ranAtLook === this.#looks - 1;
			const isRunning = (cpuNs > 0 || isInJava) && state[thread.row] === stateCode.RUNNABLE;
			const ranOn = isRunning && wasRunning && thread.carrierStart < 0 && (isInJava || ranNs >= nearlyAll * gapNs);
			if (!ranOn && runsOn(thread)) {
				this.#brokenAtMs = nowMs;
			}

			thread.ranOnNs = ranOn ? thread.ranOnNs + gapNs : 0;
			if (isRunning !== wasRunning) {
				this.changedNs = Math.max(this.changedNs, isRunning ? ranNs : Math.max(0, gapNs - ranNs) || 0);
			}

			if (isRunning) {
				thread.ranAtLook = this.#looks;
			}
		}
	}
}
