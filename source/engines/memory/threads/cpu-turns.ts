import {type ThreadCpu} from '../../../jvm/threads/thread-cpu.js';

/**
A thread is asked at least so often, milliseconds, and after half of it at the earliest: at a time of its own, so that
the work is spread.
*/
const turnMs = 1000;

/** One that used CPU is asked in every sample for so long. */
const livelyMs = 500;

/** However sure it is that a thread has not run, it is asked so often. */
const sureMs = 10_000;

/** Threads that were not asked for so long are gone, and their files are closed. */
const forgetMs = 4 * turnMs;

/** What is remembered of a thread's CPU time. */
export type CpuTurn = {
	readonly nativeId: number;
	/** CPU used since it was last asked for, 0 where it was not in this sample; and whether that is known at all. */
	cpuNs: number;
	isCpuKnown: boolean;
	/** How long it could run since it was asked before, but waited for a CPU; as far as that wait is over. */
	waitNs: number;
	/** CPU used over the thread's life, as far as it was asked for. */
	lifeCpuNs: number;
	/**
	The same of such waits; how often it was put on a CPU until then, and how often of that since it was asked before.
	*/
	lifeWaitNs: number;
	lifeTurns: number;
	newTurns: number;
	/** When its turn comes, and until when it is asked in every sample; whole milliseconds of performance.now. */
	cpuDueMs: number;
	livelyUntilMs: number;
	/** When it was last asked; 0 where it must be before it can be passed by. */
	cpuReadMs: number;
	/** It is not at rest: it may run at any time (others-at-rest). */
	isWatched: boolean;
};

/** Sets whether a thread may run at any time; what one that rests from now on used meanwhile is not known yet. */
export function watch(thread: CpuTurn, isWatched: boolean): boolean {
	thread.cpuReadMs = thread.isWatched && !isWatched ? 0 : thread.cpuReadMs;
	thread.isWatched = isWatched;
	return isWatched;
}

/**
Whether a sample that stands for so many finds a thread at work of which nothing but its CPU time tells: in as many of
them as it was put on a CPU, all of them at most. Of those that work all the time nobody asks: the program is not at
rest then.
*/
export function isFoundAtWork({cpuNs, newTurns}: CpuTurn, slots: number): boolean {
	return cpuNs > 0 && (slots === 1 || Math.random() * slots < Math.max(1, newTurns));
}

/**
Whose CPU time is read in a sample: who is at work, and the others in turn. A thread that stands where it stood and used
CPU nevertheless used it before it came back there; such time is kept until the thread is seen running anyway
(sampler/cpu-placement), so that it may come late. To ask the kernel for the CPU time of the whole process first costs
as much as to read the state of every thread (0.3 us each, as it adds them all up).
*/
export class CpuTurns {
	readonly #cpu: ThreadCpu;
	#nowMs = 0;
	#forgetAtMs = 0;
	/** Whose turn comes until then is asked. */
	#endMs = 0;
	/** Since when no thread that rests has run. */
	#restMs = Number.POSITIVE_INFINITY;

	constructor(cpu: ThreadCpu) {
		this.#cpu = cpu;
	}

	/**
	Begins a sample. `isEveryonesTurn`: all are asked, whenever they were before; `restMs`: since when no thread that
	rests has run, Infinity where that is not known.
	*/
	begin(isEveryonesTurn: boolean, restMs = Number.POSITIVE_INFINITY): void {
		const nowMs = Math.round(performance.now());
		this.#nowMs = nowMs;
		this.#restMs = restMs;
		this.#endMs = isEveryonesTurn ? Infinity : nowMs;
		if (nowMs >= this.#forgetAtMs) {
			this.#forgetAtMs = nowMs + forgetMs;
			this.#cpu.forgetUnread();
		}
	}

	isDue(thread: CpuTurn): boolean {
		return this.#endMs >= thread.cpuDueMs;
	}

	/** Whether a thread that rests need not be asked although it is its turn, as it cannot have run: its turn comes again. */
	canPass(thread: CpuTurn): boolean {
		const nowMs = this.#nowMs;
		if (thread.cpuReadMs <= this.#restMs || this.#endMs === Number.POSITIVE_INFINITY || nowMs - thread.cpuReadMs > sureMs || !this.#cpu.keep(thread.nativeId)) {
			return false;
		}

		thread.cpuDueMs = this.#nextTurn();
		return true;
	}

	/** Asks for a thread; `reading` of the ThreadCpu says what came of it. */
	read(thread: CpuTurn): void {
		thread.cpuReadMs = this.#nowMs;
		thread.cpuNs = this.#cpu.delta(thread.nativeId);
		thread.isCpuKnown = this.#cpu.reading === 'read';
		thread.lifeCpuNs = thread.isCpuKnown ? this.#cpu.cpuNs : 0;
		const waitNs = thread.isCpuKnown ? this.#cpu.waitNs : 0;
		// One that is asked for the first time has a life of waiting behind it, and no CPU time yet.
		thread.waitNs = thread.cpuNs > 0 ? waitNs - thread.lifeWaitNs : 0;
		thread.lifeWaitNs = waitNs;
		const turns = thread.isCpuKnown ? this.#cpu.turns : 0;
		thread.newTurns = turns - thread.lifeTurns;
		thread.lifeTurns = turns;
		if (thread.cpuNs > 0) {
			thread.livelyUntilMs = this.#nowMs + livelyMs;
		}

		thread.cpuDueMs = this.#nowMs < thread.livelyUntilMs ? 0 : this.#nextTurn();
	}

	#nextTurn(): number {
		return this.#nowMs + Math.round(turnMs * (0.5 + (Math.random() / 2)));
	}
}
