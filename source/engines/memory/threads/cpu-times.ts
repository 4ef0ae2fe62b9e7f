import {type ThreadCpu} from '../../../jvm/threads/thread-cpu.js';
import {type PartOwner, ThreadPart} from './thread-part.js';

/** An inactive thread is read again after a random time between half of this and all of it. */
const readEveryMs = 1000;

/** A thread that used CPU time is read in every sample for this long. */
const activeMs = 500;

/** A thread not read for this long has ended, as scans read all threads more often. Its files are closed. */
const forgetMs = 10_000;

/** A thread's CPU time as read from the kernel; only `CpuTimes` writes it. A part of a thread: see `thread-part.ts`. */
export class CpuTime extends ThreadPart<{readonly uses: number}> {
	/** Time that it waited for a CPU before it used `usedNs`; 0 if that is 0. */
	runDelayNs = 0;
	/** Waiting time in readings without CPU time: part of the next `runDelayNs`. */
	pendingRunDelayNs = 0;
	/** Number of timeslices (sched(7)) since the thread's start, and since the previous reading. */
	timeslices = 0;
	newTimeslices = 0;
	/** When the next reading is due (performance.now, whole milliseconds); 0 if active. */
	dueMs = 0;
	activeUntilMs = 0;
	#usedNs = 0;
	#isKnown = false;

	constructor(owner: PartOwner, readonly nativeId: number) {
		super(owner, {uses: 0});
	}

	/** The last reading got the thread's CPU time. */
	get isKnown(): boolean {
		return this.#isKnown;
	}

	/** CPU time used since the previous reading; 0 if not read in this sample. */
	get usedNs(): number {
		return this.#usedNs;
	}

	/** The last reading found that the thread had used no CPU time. */
	get isZero(): boolean {
		return this.isSettled;
	}

	/** A row that is used again shows no CPU time, so only use is a change. */
	setUsed(usedNs: number, isKnown = this.#isKnown): void {
		this.#usedNs = usedNs;
		this.#isKnown = isKnown;
		this.set(usedNs > 0 ? {uses: this.value.uses + 1} : this.value, isKnown && usedNs === 0);
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
Decides whose CPU times a sample reads: active threads', and the other threads' in turn. `LiveThreads` also reads
threads that have moved. The CPU time of a thread that ran and is back at the same frame may be read late; the sampler
keeps it until the thread is observed running (sampler/cpu-account.ts).
*/
export class CpuTimes {
	readonly #cpu: ThreadCpu;
	#nowMs = 0;
	/** NaN in the first sample. */
	#previousMs = Number.NaN;
	#forgetAtMs = 0;
	#dueBeforeMs = 0;

	constructor(cpu: ThreadCpu) {
		this.#cpu = cpu;
	}

	/** Begins a sample. `areAllDue`: it reads the CPU time of every thread. */
	begin(areAllDue: boolean): void {
		const nowMs = Math.round(performance.now());
		this.#previousMs = this.#nowMs || Number.NaN;
		this.#nowMs = nowMs;
		this.#dueBeforeMs = areAllDue ? Infinity : nowMs;
		if (nowMs >= this.#forgetAtMs) {
			this.#forgetAtMs = nowMs + forgetMs;
			this.#cpu.forgetUnread();
		}
	}

	isDue(time: CpuTime): boolean {
		return this.#dueBeforeMs >= time.dueMs;
	}

	/**
	Reads a thread's CPU time and sets the ThreadCpu's `lastResult`. At the first reading, at most `maxNewNs` of it
	count; by default, the time since the previous sample.
	*/
	read(time: CpuTime, maxNewNs = (this.#nowMs - this.#previousMs) * 1e6): void {
		const isNew = time.timeslices === 0;
		const usedNs = this.#cpu.delta(time.nativeId);
		const isKnown = this.#cpu.lastResult === 'read';
		// The first `delta` is always 0. In the first sample, the default of `maxNewNs` is NaN.
		time.setUsed(isNew && isKnown && usedNs === 0 ? Math.min(this.#cpu.cpuNs, maxNewNs) || 0 : usedNs, isKnown);

		time.pendingRunDelayNs += time.isKnown ? this.#cpu.runDelayNs : 0;
		time.runDelayNs = time.usedNs > 0 ? time.pendingRunDelayNs : 0;
		time.pendingRunDelayNs -= time.runDelayNs;
		const timeslices = time.isKnown ? this.#cpu.timeslices : 0;
		time.newTimeslices = timeslices - time.timeslices;
		time.timeslices = timeslices;
		if (time.usedNs > 0) {
			time.activeUntilMs = this.#nowMs + activeMs;
		}

		time.dueMs = this.#nowMs < time.activeUntilMs
			? 0
			: this.#nowMs + Math.round(readEveryMs * (0.5 + (Math.random() / 2)));
	}

	/** Sets that a thread has used no CPU time in this sample. */
	skip(time: CpuTime): void {
		time.setUsed(0);
		time.runDelayNs = 0;
	}
}
