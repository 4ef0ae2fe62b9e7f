import type {Sample} from '../model/sample.js';
import {stateCode} from '../model/thread-state.js';

/**
CPU that a thread used while it was only ever seen waiting is credited to the waiting call after all once it is worth this many samples of running: had it been used elsewhere, a thread would have been
seen there with a probability of 95 % (1 - e^-3).
*/
const missedSightings = 3;

/**
A thread that was seen running before will often be missed for so long by chance, once in twenty times. Its CPU is credited to the waiting call only when all its sightings so far are so few that chance alone
makes that in one case of this many hundredths; for one that was never seen running, the rule above is the same with five.
*/
const doubtIfSeen = 0.01;
const doubtIfNeverSeen = 0.05;

/** Expected sightings that are remembered: beyond, both counts are halved, so that the past fades when a thread takes up other work. */
const longestPast = 64;

/** Threads not seen for this many samples are forgotten. */
const forgetAfterSamples = 50;

type Past = {
	/** CPU time kept, and how many samples of running it is worth. */
	keptNs: number;
	missed: number;
	/** Samples in which the thread was seen running, and in how many it should have been by the CPU time that it used. */
	seen: number;
	expected: number;
	lastSample: number;
};

/**
Decides at which stack the CPU time of a thread counts. Time used since the previous sample was used where the thread ran, which is not where it stands when it waits now:
it is kept until the thread is next seen running, and counts there. So a sleep between two bursts of work has no heat, and over many samples each line gets its share.
A thread that is RUNNABLE without having used CPU (a native call that waits) is not running.
*/
export class CpuPlacement {
	readonly #pasts = new Map<number, Past>();
	/** CPU time of the threads of samples that were taken back, by key. */
	readonly #takenBack = new Map<number, number>();
	#samples = 0;

	/** Sets `placedCpuNs` of every thread of the sample from `cpuNs`; `elapsedNs` is the time since the previous sample that was not taken back. What that one's threads used is added to `cpuNs`. */
	assign(sample: Sample, elapsedNs: number): void {
		this.#samples++;
		for (let row = 0; row < sample.count; row++) {
			sample.cpuNs[row] += this.#takenBack.get(sample.key[row]) ?? 0;
			sample.placedCpuNs[row] = this.#place(sample.key[row], sample.cpuNs[row], sample.state[row] === stateCode.RUNNABLE, elapsedNs);
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
			const past = this.#pasts.get(sample.key[row]);
			if (past) {
				past.keptNs += sample.placedCpuNs[row] - usedNs;
				past.missed = 0;
			}

			if (usedNs > 0) {
				this.#takenBack.set(sample.key[row], usedNs);
			}
		}
	}

	/** What counts for a thread where it is now. */
	#place(key: number, usedNs: number, isRunnable: boolean, elapsedNs: number): number {
		let past = this.#pasts.get(key);
		if (past) {
			past.lastSample = this.#samples;
		}

		if (usedNs <= 0) {
			return 0;
		}

		if (!past) {
			past = {
				keptNs: 0, missed: 0, seen: 0, expected: 0, lastSample: this.#samples,
			};
			this.#pasts.set(key, past);
		}

		const sightings = elapsedNs > 0 ? Math.min(1, usedNs / elapsedNs) : 0;
		past.keptNs += usedNs;
		past.missed += sightings;
		past.expected += sightings;
		past.seen += isRunnable ? 1 : 0;
		if (past.expected > longestPast) {
			past.expected /= 2;
			past.seen /= 2;
		}

		if (!isRunnable && (past.missed < missedSightings || isChance(past))) {
			return 0;
		}

		const placedNs = past.keptNs;
		past.keptNs = 0;
		past.missed = 0;
		return placedNs;
	}

	#forget(): void {
		for (const [key, past] of this.#pasts) {
			if (this.#samples - past.lastSample > forgetAfterSamples) {
				this.#pasts.delete(key);
			}
		}
	}
}

/** Whether so few sightings may be chance: the distribution function of Poisson's distribution, at the sightings, against the doubt. */
function isChance({seen, expected}: Past): boolean {
	let term = Math.exp(-expected);
	let sum = term;
	for (let count = 1; count <= seen && count <= expected; count++) {
		term *= expected / count;
		sum += term;
	}

	return sum >= (seen === 0 ? doubtIfNeverSeen : doubtIfSeen);
}
