import type {Sample} from '../model/sample.js';
import {stateCode} from '../model/thread-state.js';

/**
CPU that a thread used while it was only ever seen waiting in native code is credited to that call after all once it is
worth this many samples of running: if it had been used elsewhere, the thread would have been seen there with a
probability of 95 % (1 - e^-3). The kernel may well work in such a call.
*/
const missedSightings = 3;

/**
One that parks, sleeps, or waits for a monitor uses next to nothing there, so it worked elsewhere, in pieces too short
to be seen as often as their CPU time would suggest: a thread may go on to wait before its stack can be read (where tool
and target share a busy CPU it was seen in a seventh of its work). What it used counts at no place rather than at the
wait once so many sightings in a row were missed, and fewer than so great a part of all.
*/
const hopelessSightings = 30;
const hopelessPart = 0.1;

/**
A thread that was seen running before will often be missed for that long by chance, once in twenty times. Its CPU is
credited to the waiting call only when all its sightings so far are so few that chance alone makes that in one case of
this many hundredths; for one that was never seen running, the rule above is the same with five.
*/
const doubtIfSeen = 0.01;
const doubtIfNeverSeen = 0.05;

/**
Expected sightings that are remembered: beyond, both counts are halved, so that the past fades when a thread takes up
other work.
*/
const longestPast = 64;

/** Once in so many samples it is looked who is gone. */
const forgetAfterSamples = 50;

const noFrames = new Int32Array();

type Past = {
	/**
	CPU time kept, below 0 where credits were ahead of it; and how many samples of running it is worth.
	*/
	keptNs: number;
	missed: number;
	/**
	Samples in which the thread was seen running, and in how many it should have been by the CPU time that it used.
	*/
	seen: number;
	expected: number;
	/** It was not there when it was last looked for. */
	isMissing: boolean;
	/** Where it was last found at work, and who it was: itself, or a virtual thread that it carried. */
	sightedKey: number;
	sightedFrames: Int32Array;
};

/**
Decides at which stack the CPU time of a thread counts. Time used since the previous sample was used where the thread
ran, which is not where it stands when it waits now: it is kept until the thread is next seen running, and counts there.
So a sleep between two bursts of work gets no CPU time, and over many samples each line gets its share. A thread that is
RUNNABLE without having used CPU (a native call that waits) is not running. A virtual thread runs on its carrier, whose
CPU time it is: what the carrier used before, with other virtual threads that nobody saw, counts where it is seen at
work next.

Where the engine knows at which stacks CPU time was used (credits), only what is left counts by these rules, and of that
what is more than a credit to come may account for: used in system calls that are not recorded, before there were
records, or lost with some.
*/
export class CpuPlacement {
	/** See the figure of this name in the schema: cumulative, and what the sample assigned last added to it. */
	ruledNs = 0;
	#newlyRuledNs = 0;
	/** By key of the platform thread, as in the next one. */
	readonly #pasts = new Map<number, Past>();
	/** CPU time of the threads in samples that were taken back. */
	readonly #takenBack = new Map<number, number>();
	#samples = 0;

	/**
	Sets `placedCpuNs` and `unseenCpuNs` of every thread of the sample from `cpuNs` and the credits; `elapsedNs` is the
	time since the previous sample that was not taken back. What that one's threads used is added to `cpuNs`.
	*/
	assign(sample: Sample, elapsedNs: number): void {
		this.#samples++;
		this.#newlyRuledNs = 0;
		const hasTakenBack = this.#takenBack.size > 0;
		const {credits} = sample;
		for (let credit = 0; credit < credits.count; credit++) {
			this.#pastOf(platformKey(sample, credits.row[credit])).keptNs -= credits.cpuNs[credit];
		}

		for (let row = 0; row < sample.count; row++) {
			sample.placedCpuNs[row] = 0;
			sample.unseenCpuNs[row] = 0;
			if (hasTakenBack) {
				this.#giveBack(sample, row);
			}

			if (sample.cpuNs[row] > 0 || sample.wasOnCpu[row] === 1) {
				this.#place(sample, row, platformKey(sample, row), elapsedNs);
			}
		}

		this.ruledNs += this.#newlyRuledNs;
		this.#takenBack.clear();
		if (this.#samples % forgetAfterSamples === 0) {
			this.#forget(sample);
		}
	}

	/**
	The sample assigned last was not counted: what its threads used, and what was placed with it, is kept for the next
	one.
	*/
	takeBack(sample: Sample): void {
		this.ruledNs -= this.#newlyRuledNs;
		this.#newlyRuledNs = 0;
		const {credits} = sample;
		for (let credit = 0; credit < credits.count; credit++) {
			this.#pastOf(platformKey(sample, credits.row[credit])).keptNs += credits.cpuNs[credit];
		}

		for (let row = 0; row < sample.count; row++) {
			const key = platformKey(sample, row);
			const usedNs = sample.cpuNs[row];
			const past = this.#pasts.get(key);
			if (past) {
				past.keptNs += sample.placedCpuNs[row] + sample.unseenCpuNs[row] - usedNs;
				past.missed = 0;
			}

			if (usedNs > 0) {
				this.#takenBack.set(key, (this.#takenBack.get(key) ?? 0) + usedNs);
			}
		}
	}

	#giveBack(sample: Sample, row: number): void {
		const key = platformKey(sample, row);
		const before = this.#takenBack.get(key);
		if (before !== undefined) {
			sample.cpuNs[row] += before;
			this.#takenBack.delete(key);
		}
	}

	/** What counts for a thread that used CPU where it is now, and what counts nowhere. */
	#place(sample: Sample, row: number, key: number, elapsedNs: number): void {
		const usedNs = sample.cpuNs[row];
		const past = this.#pastOf(key);
		const isRunning = sample.state[row] === stateCode.RUNNABLE;
		const sightings = elapsedNs > 0 ? Math.min(1, usedNs / elapsedNs) : 0;
		past.keptNs += usedNs;
		past.missed += sightings;
		past.expected += sightings;
		past.seen += isRunning ? 1 : 0;
		if (past.expected > longestPast) {
			past.expected /= 2;
			past.seen /= 2;
		}

		if (sample.wasOnCpu[row] === 1) {
			this.#sight(sample, row, past);
			return;
		}

		const awaitedNs = sample.awaitedCpuNs[row];
		const freeNs = past.keptNs - awaitedNs;
		if (freeNs <= 0) {
			return;
		}

		const isInNativeCode = sample.state[row] === stateCode.IDLE;
		const isLeftOver = awaitedNs > 0 || (past.missed >= missedSightings && !isChance(past));
		if (isRunning || (isInNativeCode && isLeftOver)) {
			sample.placedCpuNs[row] = freeNs;
			this.#newlyRuledNs += isRunning && awaitedNs > 0 ? freeNs : 0;
		} else if (!isInNativeCode && past.missed >= hopelessSightings && past.seen < past.expected * hopelessPart) {
			sample.unseenCpuNs[row] = freeNs;
		} else {
			return;
		}

		past.keptNs -= freeNs;
		past.missed = 0;
	}

	/**
	A thread was found at work. What it has used since it was found so before counts half there, half here.
	*/
	#sight(sample: Sample, row: number, past: Past): void {
		past.missed = 0;
		const isSame = past.sightedKey === sample.key[row];
		const ns = Math.max(0, past.keptNs - sample.awaitedCpuNs[row]);
		const beforeNs = isSame ? ns / 2 : 0;
		if (beforeNs > 0) {
			sample.addCredit(row, beforeNs, past.sightedFrames);
		}

		const start = sample.stackStart[row];
		past.sightedKey = sample.key[row];
		past.sightedFrames = sample.frames.slice(start, start + sample.stackLength[row]);
		if (ns > beforeNs) {
			sample.addCredit(row, ns - beforeNs, past.sightedFrames);
		}

		past.keptNs -= ns;
	}

	#pastOf(key: number): Past {
		let past = this.#pasts.get(key);
		if (!past) {
			past = {
				keptNs: 0, missed: 0, seen: 0, expected: 0, isMissing: false, sightedKey: Number.NaN, sightedFrames: noFrames,
			};
			this.#pasts.set(key, past);
		}

		return past;
	}

	/** Forgets those that are not in the sample, and were not in the one looked at before. */
	#forget(sample: Sample): void {
		const present = new Set<number>();
		for (let row = 0; row < sample.count; row++) {
			present.add(platformKey(sample, row));
		}

		for (const [key, past] of this.#pasts) {
			if (past.isMissing && !present.has(key)) {
				this.#pasts.delete(key);
			}

			past.isMissing = !present.has(key);
		}
	}
}

/** Key of the thread that the kernel knows: a mounted virtual thread's carrier. */
function platformKey({carrier, key}: Sample, row: number): number {
	return key[carrier[row] < 0 ? row : carrier[row]];
}

/**
Whether so few sightings can be chance: the distribution function of Poisson's distribution, at the sightings, against
the doubt.
*/
function isChance({seen, expected}: Past): boolean {
	let term = Math.exp(-expected);
	let sum = term;
	for (let count = 1; count <= seen && count <= expected; count++) {
		term *= expected / count;
		sum += term;
	}

	return sum >= (seen === 0 ? doubtIfNeverSeen : doubtIfSeen);
}
