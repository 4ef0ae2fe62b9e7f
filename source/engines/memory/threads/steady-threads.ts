import {type Sample} from '../../../model/sample.js';
import {stateCode} from '../../../model/thread-state.js';
import {type JavaThread} from './java-thread.js';

/**
Minimum share of the time between two updates that a steadily running thread outside Java code was on a CPU or runnable.
A thread in Java code does not wait.
*/
const minShare = 0.75;

/** Minimum duration, nanoseconds, to count as steady. */
const minSteadyNs = 500e6;

/** Whether a thread runs steadily. */
export function isSteady({steadyNs}: JavaThread): boolean {
	return steadyNs >= minSteadyNs;
}

/** Detects threads that run steadily: while they do, each sample repeats the previous one. */
export class SteadyThreads {
	/**
	Longest time, nanoseconds, that a thread has been running or idle as it is now, if it was the opposite in the
	previous update; 0 if none changed.
	*/
	changedNs = 0;
	#updates = 0;
	/** When a steady thread was last found to have stopped. */
	#stoppedAtMs = Number.NEGATIVE_INFINITY;
	#atMs = Number.NaN;

	/** Whether a steady thread stopped recently; it may have done so only briefly, so samples are taken one by one. */
	wasRecentlySteady(nowMs: number): boolean {
		return nowMs - this.#stoppedAtMs < minSteadyNs / 1e6;
	}

	/** Updates with the threads that may have run; `sample` has their states. */
	update(awake: readonly JavaThread[], {state}: Sample, nowMs: number): void {
		const gapNs = (nowMs - this.#atMs) * 1e6;
		this.#updates++;
		this.#atMs = nowMs;
		this.changedNs = 0;
		for (const thread of awake) {
			const {cpuNs, isInJava} = thread;
			const ranNs = cpuNs + thread.waitNs;
			const wasRunning = thread.ranAtUpdate === this.#updates - 1;
			const isRunning = (cpuNs > 0 || isInJava) && state[thread.row] === stateCode.RUNNABLE;
			const isSteadyNow = isRunning && wasRunning && thread.carrierStart < 0 && (isInJava || ranNs >= minShare * gapNs);
			if (!isSteadyNow && isSteady(thread)) {
				this.#stoppedAtMs = nowMs;
			}

			thread.steadyNs = isSteadyNow ? thread.steadyNs + gapNs : 0;
			if (isRunning !== wasRunning) {
				this.changedNs = Math.max(this.changedNs, isRunning ? ranNs : Math.max(0, gapNs - ranNs) || 0);
			}

			if (isRunning) {
				thread.ranAtUpdate = this.#updates;
			}
		}
	}
}
