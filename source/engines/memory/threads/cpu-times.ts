import {type ThreadCpu} from '../../../jvm/threads/thread-cpu.js';

/**
Every thread's CPU time is read at least this often, milliseconds, at a random time after half of it to spread the work.
*/
const readEveryMs = 1000;

/** For this long after it used CPU, a thread is read in every sample. */
const activeMs = 500;

/** Threads not read for this long have ended, and their files are closed: all are read more often (other-threads-idle.ts). */
const forgetMs = 10_000;

/** A thread's CPU time, as read from the kernel; written by `CpuTimes` only. */
export class CpuTime {
	/** CPU nanoseconds used since the last reading, 0 if it was not read in this sample; and whether it is known at all. */
	usedNs = 0;
	isKnown = false;
	/** Time spent runnable without a CPU since the last reading, for waits that are over. */
	waitNs = 0;
	/** The same of all waits that have not counted yet: they do when it has used CPU time. */
	runDelayNs = 0;
	uncountedDelayNs = 0;
	/** Timeslices until the last reading, and since the one before. */
	timeslices = 0;
	newTimeslices = 0;
	/** When it is due to be read, and until when it is read in every sample; whole milliseconds of performance.now. */
	dueMs = 0;
	activeUntilMs = 0;

	constructor(readonly nativeId: number) {}

	/** It is known to have used none. */
	get isIdle(): boolean {
		return this.isKnown && this.usedNs === 0;
	}
}

/**
Whether a thread of which only CPU time is known counts as running in a sample that covers `repeats` intervals: at
random, with the probability of its timeslices per interval.
*/
export function countsAsRunning({usedNs, newTimeslices}: CpuTime, repeats: number): boolean {
	return usedNs > 0 && (repeats === 1 || Math.random() * repeats < Math.max(1, newTimeslices));
}

/**
Decides whose CPU time a sample reads: active threads, and the others in turn. Time of a thread that ran and returned to
the same frame may be read late; it is kept until the thread is observed running (sampler/cpu-account.ts).
*/
export class CpuTimes {
	readonly #cpu: ThreadCpu;
	#nowMs = 0;
	/** When the previous sample began; NaN in the first one. */
	#beforeMs = Number.NaN;
	#forgetAtMs = 0;
	/** Threads due until this time are read. */
	#endMs = 0;

	constructor(cpu: ThreadCpu) {
		this.#cpu = cpu;
	}

	/** Begins a sample. `areAllDue`: every thread is read. */
	begin(areAllDue: boolean): void {
		const nowMs = Math.round(performance.now());
		this.#beforeMs = this.#nowMs || Number.NaN;
		this.#nowMs = nowMs;
		this.#endMs = areAllDue ? Infinity : nowMs;
		if (nowMs >= this.#forgetAtMs) {
			this.#forgetAtMs = nowMs + forgetMs;
			this.#cpu.forgetUnread();
		}
	}

	isDue(time: CpuTime): boolean {
		return this.#endMs >= time.dueMs;
	}

	/**
	Reads a thread's CPU time; `reading` of the ThreadCpu has the result. `mostOfNewNs`: what counts of the CPU time of a
	thread that was never read, by default as much as it can have used since the previous sample.
	*/
	read(time: CpuTime, mostOfNewNs = (this.#nowMs - this.#beforeMs) * 1e6): void {
		const isNew = time.timeslices === 0;
		time.usedNs = this.#cpu.delta(time.nativeId);
		time.isKnown = this.#cpu.reading === 'read';
		if (isNew && time.isIdle) {
			time.usedNs = Math.min(this.#cpu.cpuNs, mostOfNewNs) || 0;
		}

		time.waitNs = time.usedNs > 0 ? this.#cpu.waitedNs : 0;
		time.uncountedDelayNs += time.isKnown ? this.#cpu.waitedNs : 0;
		time.runDelayNs = time.usedNs > 0 ? time.uncountedDelayNs : 0;
		time.uncountedDelayNs -= time.runDelayNs;
		const timeslices = time.isKnown ? this.#cpu.timeslices : 0;
		time.newTimeslices = timeslices - time.timeslices;
		time.timeslices = timeslices;
		if (time.usedNs > 0) {
			time.activeUntilMs = this.#nowMs + activeMs;
		}

		time.dueMs = this.#nowMs < time.activeUntilMs ? 0 : this.#nowMs + Math.round(readEveryMs * (0.5 + (Math.random() / 2)));
	}

	/** Sets that a thread has used no CPU time in this sample. */
	skip(time: CpuTime): void {
		time.usedNs = 0;
		time.waitNs = 0;
		time.runDelayNs = 0;
	}
}
