import {type Sample} from '../../../model/sample.js';
import {stateCode} from '../../../model/thread-state.js';
import {type JavaThread} from './java-thread.js';

/** Minimum share of the time for which a steady thread is runnable while outside Java code; inside, it never waits. */
const minShare = 0.75;

/** How long a thread must have run without a break to count as steady. */
const minSteadyNs = 500e6;

/** For how long every update has found a thread running, and the number of the last update that has. */
type Run = {steadyNs: number; readonly lastUpdate: number};

/** Detects threads that run steadily: while they do, each sample repeats the previous one. */
export class SteadyThreads {
	/** Longest time since a thread started or stopped running after the previous update, nanoseconds; 0 if none did. */
	sinceChangeNs = 0;
	/** The latest run of each thread that an update has found running. */
	readonly #runs = new WeakMap<JavaThread, Run>();
	#updates = 0;
	#steadyStoppedAtMs = Number.NEGATIVE_INFINITY;
	#atMs = Number.NaN;

	/** Whether a thread has been running steadily. */
	isSteady(thread: JavaThread): boolean {
		return (this.#runs.get(thread)?.steadyNs ?? 0) >= minSteadyNs;
	}

	/** Whether a steady thread stopped recently. It may run again at once, so there is no back-off for a while. */
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
			const {cpu: {usedNs}, isInJava} = thread;
			const isRunning = (usedNs > 0 || isInJava) && state[thread.row.index] === stateCode.RUNNABLE;
			this.#updateThread(thread, isRunning, gapNs);
		}
	}

	#updateThread(thread: JavaThread, isRunning: boolean, gapNs: number): void {
		const {cpu: {usedNs, runDelayNs}, isInJava} = thread;
		const ranNs = usedNs + runDelayNs;
		const run = this.#runs.get(thread);
		const wasRunning = run?.lastUpdate === this.#updates - 1;
		// A carrier is never steady, as it may get another virtual thread.
		const isSteadyNow = isRunning && wasRunning && !thread.stack.hasVirtualThread
			&& (isInJava || ranNs >= minShare * gapNs);
		if (!isSteadyNow && this.isSteady(thread)) {
			this.#steadyStoppedAtMs = this.#atMs;
		}

		if (isRunning) {
			const steadyNs = isSteadyNow && run ? run.steadyNs + gapNs : 0;
			this.#runs.set(thread, {steadyNs, lastUpdate: this.#updates});
		} else if (run) {
			run.steadyNs = 0;
		}

		if (isRunning !== wasRunning) {
			// A thread that started has run ever since; one that stopped had run until then.
			this.sinceChangeNs = Math.max(this.sinceChangeNs, isRunning ? ranNs : Math.max(0, gapNs - ranNs));
		}
	}
}
