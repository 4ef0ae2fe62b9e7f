import {type ThreadCpu} from '../../../jvm/threads/thread-cpu.js';

/**
Every thread's CPU time is read at least this often, milliseconds, at a random time after half of it to spread the work.
*/
const readEveryMs = 1000;

/** For this long after it used CPU, a thread is read in every sample. */
const activeMs = 500;

/** Threads not read for this long have ended, and their files are closed: all are read more often (other-threads-idle.ts). */
const forgetMs = 10_000;

/** A thread's CPU time, as read from the kernel. */
export type ThreadCpuTime = {
	readonly nativeId: number;
	/** CPU used since the last reading, 0 if it was not read in this sample; and whether it is known at all. */
	cpuNs: number;
	isCpuKnown: boolean;
	/** Time spent runnable without a CPU since the last reading, for waits that are over. */
	waitNs: number;
	/** Runnable without a CPU over the thread's life; timeslices until the last reading, and since the one before. */
	lifeWaitNs: number;
	timeslices: number;
	newTimeslices: number;
	/** When it is due to be read, and until when it is read in every sample; whole milliseconds of performance.now. */
	cpuDueMs: number;
	activeUntilMs: number;
	/** It may run at any time; see other-threads-idle.ts. */
	isWatched: boolean;
};

/**
Whether a thread of which only CPU time is known counts as running in a sample that covers `repeats` intervals: at
random, with the probability of its timeslices per interval.
*/
export function countsAsRunning({cpuNs, newTimeslices}: ThreadCpuTime, repeats: number): boolean {
	return cpuNs > 0 && (repeats === 1 || Math.random() * repeats < Math.max(1, newTimeslices));
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

	isDue(thread: ThreadCpuTime): boolean {
		return this.#endMs >= thread.cpuDueMs;
	}

	/**
	Reads a thread's CPU time; `reading` of the ThreadCpu has the result. All CPU time of a new thread counts as used
	since the previous sample.
	*/
	read(thread: ThreadCpuTime): void {
		const isNew = thread.timeslices === 0;
		thread.cpuNs = this.#cpu.delta(thread.nativeId);
		thread.isCpuKnown = this.#cpu.reading === 'read';
		if (isNew && thread.isCpuKnown && thread.cpuNs === 0) {
			thread.cpuNs = Math.min(this.#cpu.cpuNs, (this.#nowMs - this.#beforeMs) * 1e6) || 0;
		}

		const waitNs = thread.isCpuKnown ? this.#cpu.waitNs : 0;
		// A thread read for the first time has waited before.
		thread.waitNs = thread.cpuNs > 0 ? waitNs - thread.lifeWaitNs : 0;
		thread.lifeWaitNs = waitNs;
		const timeslices = thread.isCpuKnown ? this.#cpu.timeslices : 0;
		thread.newTimeslices = timeslices - thread.timeslices;
		thread.timeslices = timeslices;
		if (thread.cpuNs > 0) {
			thread.activeUntilMs = this.#nowMs + activeMs;
		}

		thread.cpuDueMs = this.#nowMs < thread.activeUntilMs ? 0 : this.#nowMs + Math.round(readEveryMs * (0.5 + (Math.random() / 2)));
	}

	/** Sets that a thread has used no CPU time in this sample. */
	skip(thread: ThreadCpuTime): void {
		thread.cpuNs = 0;
		thread.waitNs = 0;
	}
}
