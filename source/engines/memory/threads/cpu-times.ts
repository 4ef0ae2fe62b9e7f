import {type ThreadCpu} from '../../../jvm/threads/thread-cpu.js';

/** Maximum time between readings; each is due at a random time in its second half. */
const readEveryMs = 1000;

/** How long a thread that used CPU time is read in every sample. */
const activeMs = 500;

/** A thread not read for this long has ended; its files are closed. Others are read sooner (other-threads-idle.ts). */
const forgetMs = 10_000;

/** A thread's CPU time as read from the kernel; written only by `CpuTimes`. */
export class CpuTime {
	/** Since the previous reading; 0 if not read in this sample. `isKnown`: the kernel reports it. */
	usedNs = 0;
	isKnown = false;
	/** Time runnable without a CPU, of ended waits: if it used no CPU time, kept in `uncountedDelayNs` until it does. */
	runDelayNs = 0;
	uncountedDelayNs = 0;
	/** In all, at the last reading; and since the one before. */
	timeslices = 0;
	newTimeslices = 0;
	/** When it is next due (0 if active), and until when it is active (performance.now, whole milliseconds). */
	dueMs = 0;
	activeUntilMs = 0;

	constructor(readonly nativeId: number) {}

	get isIdle(): boolean {
		return this.isKnown && this.usedNs === 0;
	}

	/** Whether it is read in every sample. */
	get isActive(): boolean {
		return this.dueMs === 0;
	}
}

/**
Whether a thread, if only its CPU time is known, counts as running in a sample that covers `repeats` intervals: decided
at random, with its timeslices per interval as the probability.
*/
export function countsAsRunning({usedNs, newTimeslices}: CpuTime, repeats: number): boolean {
	return usedNs > 0 && (repeats === 1 || Math.random() * repeats < Math.max(1, newTimeslices));
}

/**
Decides whose CPU times a sample reads: active threads', and the other threads' in turn. So the CPU time of a thread
that ran and returned to the same frame may be read late; the sampler keeps it until the thread is observed running
(sampler/cpu-account.ts).
*/
export class CpuTimes {
	readonly #cpu: ThreadCpu;
	#nowMs = 0;
	/** NaN in the first sample. */
	#previousMs = Number.NaN;
	#forgetAtMs = 0;
	#readDueUntilMs = 0;

	constructor(cpu: ThreadCpu) {
		this.#cpu = cpu;
	}

	/** Begins a sample. `areAllDue`: it reads every thread. */
	begin(areAllDue: boolean): void {
		const nowMs = Math.round(performance.now());
		this.#previousMs = this.#nowMs || Number.NaN;
		this.#nowMs = nowMs;
		this.#readDueUntilMs = areAllDue ? Infinity : nowMs;
		if (nowMs >= this.#forgetAtMs) {
			this.#forgetAtMs = nowMs + forgetMs;
			this.#cpu.forgetUnread();
		}
	}

	isDue(time: CpuTime): boolean {
		return this.#readDueUntilMs >= time.dueMs;
	}

	/**
	Reads a thread's CPU time and sets the ThreadCpu's `lastResult`. `maxNewNs`: maximum CPU time that counts of a thread
	read for the first time; by default, the time since the previous sample.
	*/
	read(time: CpuTime, maxNewNs = (this.#nowMs - this.#previousMs) * 1e6): void {
		const isNew = time.timeslices === 0;
		time.usedNs = this.#cpu.delta(time.nativeId);
		time.isKnown = this.#cpu.lastResult === 'read';
		if (isNew && time.isIdle) {
			time.usedNs = Math.min(this.#cpu.cpuNs, maxNewNs) || 0;
		}

		time.uncountedDelayNs += time.isKnown ? this.#cpu.runDelayNs : 0;
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
		time.runDelayNs = 0;
	}
}
