import {type Sample} from '../../../model/sample.js';
import {stateCode} from '../../../model/thread-state.js';
import {type JavaThread} from './java-thread.js';

/** Minimum share of the time for which a steady thread is runnable while outside Java code; inside, it never waits. */
const minShare = 0.75;

/** How long a thread must have run without a break to count as steady. */
const minSteadyNs = 500e6;

/** Whether a thread has been running steadily. */
export function isSteadyThread({steadyNs}: JavaThread): boolean {
	return steadyNs >= minSteadyNs;
}

/** Detects threads that run steadily: while they do, each sample repeats the previous one. */
export class SteadyThreads {
	/** Longest time since a thread started or stopped running after the previous update, nanoseconds; 0 if none did. */
	sinceChangeNs = 0;
	#updates = 0;
	#steadyStoppedAtMs = Number.NEGATIVE_INFINITY;
	#atMs = Number.NaN;

	/** Whether a steady thread stopped recently. It may run again at once, so there is no idle back-off for a while. */
	hasSteadyThreadStopped(nowMs: number): boolean {
		return nowMs - this.#steadyStoppedAtMs < minSteadyNs / 1e6;
	}

	/** Updates threads that may have run. The sample contains their states. */
	update(changedThreads: readonly JavaThread[], {state}: Sample, nowMs: number): void {
		const gapNs = (nowMs - this.#atMs) * 1e6;
		this.#updates++;
		this.#atMs = nowMs;
		this.sinceChangeNs = 0;
		for (const thread of changedThreads) {
			const {cpu: {usedNs, runDelayNs}, isInJava} = thread;
			const ranNs = usedNs + runDelayNs;
			const wasRunning = thread.ranAtUpdate === this.#updates - 1;
			const isRunning = (usedNs > 0 || isInJava) && state[thread.row] === stateCode.RUNNABLE;
			// A carrier is never steady, as it may get another virtual thread.
			const isSteadyNow = isRunning && wasRunning && !thread.stack.hasVirtualThread && (isInJava || ranNs >= minShare * gapNs);
			if (!isSteadyNow && isSteadyThread(thread)) {
				this.#steadyStoppedAtMs = nowMs;
			}

			thread.steadyNs = isSteadyNow ? thread.steadyNs + gapNs : 0;
			if (isRunning !== wasRunning) {
				// A thread that started has run ever since; one that stopped had run until then.
				this.sinceChangeNs = Math.max(this.sinceChangeNs, isRunning ? ranNs : Math.max(0, gapNs - ranNs));
			}

			if (isRunning) {
				thread.ranAtUpdate = this.#updates;
			}
		}
	}
}
