import type {Sample} from '../model/sample.js';
import {stateCode} from '../model/thread-state.js';

/**
CPU that a thread used while it was only ever seen waiting is credited to the waiting call after all once it is worth this many samples of running:
had it been used elsewhere, the thread would have been seen there with a probability of 95 % (1 - e^-3).
*/
const missedSightings = 3;

/** Threads not seen for this many samples are forgotten. */
const forgetAfterSamples = 50;

type Pending = {cpuNs: number; sightings: number; lastSample: number};

/**
Decides at which stack the CPU time of a thread counts. Time used since the previous sample was used where the thread ran, which is not where it stands when it waits now:
it is kept until the thread is next seen running, and counts there. So a sleep between two bursts of work has no heat, and over many samples each line gets its share.
A thread that is RUNNABLE without having used CPU (a native call that waits) is not running.
*/
export class CpuPlacement {
	readonly #pending = new Map<number, Pending>();
	/** CPU time of the threads of samples that were taken back, by key. */
	readonly #takenBack = new Map<number, number>();
	#samples = 0;

	/** Sets `placedCpuNs` of every thread of the sample from `cpuNs`; `elapsedNs` is the time since the previous sample that was not taken back. What that one's threads used is added to `cpuNs`. */
	assign(sample: Sample, elapsedNs: number): void {
		this.#samples++;
		for (let row = 0; row < sample.count; row++) {
			sample.cpuNs[row] += this.#takenBack.get(sample.key[row]) ?? 0;
			const usedNs = sample.cpuNs[row];
			const isRunning = sample.state[row] === stateCode.RUNNABLE && usedNs > 0;
			const pending = this.#pending.get(sample.key[row]);
			if (isRunning) {
				sample.placedCpuNs[row] = usedNs + (pending?.cpuNs ?? 0);
				if (pending) {
					pending.cpuNs = 0;
					pending.sightings = 0;
					pending.lastSample = this.#samples;
				}
			} else if (usedNs > 0) {
				sample.placedCpuNs[row] = this.#keep(sample.key[row], usedNs, elapsedNs, pending);
			} else {
				sample.placedCpuNs[row] = 0;
				if (pending) {
					pending.lastSample = this.#samples;
				}
			}
		}

		this.#takenBack.clear();
		if (this.#samples % forgetAfterSamples === 0) {
			this.#forget();
		}
	}

	/** The sample assigned last was not counted: what its threads used, and what was placed with it, is kept for the next one. */
	takeBack(sample: Sample): void {
		for (let row = 0; row < sample.count; row++) {
			const usedNs = sample.cpuNs[row];
			const key = sample.key[row];
			const keptNs = (this.#pending.get(key)?.cpuNs ?? 0) + sample.placedCpuNs[row] - usedNs;
			if (keptNs > 0 || this.#pending.has(key)) {
				this.#pending.set(key, {cpuNs: keptNs, sightings: 0, lastSample: this.#samples});
			}

			if (usedNs > 0) {
				this.#takenBack.set(key, usedNs);
			}
		}
	}

	/** Keeps CPU of a thread that waits, and gives what counts here now: nothing, or all of it when it was never seen elsewhere. */
	#keep(key: number, usedNs: number, elapsedNs: number, known: Pending | undefined): number {
		const pending = known ?? {cpuNs: 0, sightings: 0, lastSample: 0};
		if (!known) {
			this.#pending.set(key, pending);
		}

		pending.lastSample = this.#samples;
		pending.cpuNs += usedNs;
		pending.sightings += elapsedNs > 0 ? Math.min(1, usedNs / elapsedNs) : 0;
		if (pending.sightings < missedSightings) {
			return 0;
		}

		const placedCpuNs = pending.cpuNs;
		pending.cpuNs = 0;
		pending.sightings = 0;
		return placedCpuNs;
	}

	#forget(): void {
		for (const [key, pending] of this.#pending) {
			if (this.#samples - pending.lastSample > forgetAfterSamples) {
				this.#pending.delete(key);
			}
		}
	}
}
