import {type ThreadCpu} from '../../../jvm/threads/thread-cpu.js';

/**
A thread is asked at least so often, milliseconds, and after half of it at the earliest: at a time of its own, so that
the work is spread.
*/
const turnMs = 1000;

/** One that used CPU is asked in every sample for so long. */
const livelyMs = 500;

/** Threads that were not asked for so long are gone, and their files are closed. */
const forgetMs = 2 * turnMs;

/** What is remembered of a thread's CPU time. */
export type CpuTurn = {
	readonly nativeId: number;
	/** CPU used since it was last asked for, 0 where it was not in this sample; and whether that is known at all. */
	cpuNs: number;
	isCpuKnown: boolean;
	/** When its turn comes, and until when it is asked in every sample; whole milliseconds of performance.now. */
	cpuDueMs: number;
	livelyUntilMs: number;
};

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

	constructor(cpu: ThreadCpu) {
		this.#cpu = cpu;
	}

	/** Begins a sample. `isEveryonesTurn`: all are asked, whenever they were before. */
	begin(isEveryonesTurn: boolean): void {
		const nowMs = Math.round(performance.now());
		this.#nowMs = nowMs;
		this.#endMs = isEveryonesTurn ? Infinity : nowMs;
		if (nowMs >= this.#forgetAtMs) {
			this.#forgetAtMs = nowMs + forgetMs;
			this.#cpu.forgetUnread();
		}
	}

	isDue(thread: CpuTurn): boolean {
		return this.#endMs >= thread.cpuDueMs;
	}

	/** Asks for a thread; `reading` of the ThreadCpu says what came of it. */
	read(thread: CpuTurn): void {
		thread.cpuNs = this.#cpu.delta(thread.nativeId);
		thread.isCpuKnown = this.#cpu.reading === 'read';
		if (thread.cpuNs > 0) {
			thread.livelyUntilMs = this.#nowMs + livelyMs;
		}

		thread.cpuDueMs = this.#nowMs < thread.livelyUntilMs ? 0 : this.#nowMs + Math.round(turnMs * (0.5 + (Math.random() / 2)));
	}
}
