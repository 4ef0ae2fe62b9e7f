import {readFileSync} from 'node:fs';
import {type PerfCalls} from '../perf-calls.js';

/** CPU time of a thread by its own clock and by schedstat, nanoseconds, and its turns on a CPU, each from some moment on. */
export type ClockMoment = {readonly countNs: number; readonly usedNs: number; readonly turns: number};

/**
A clock of a thread's own (PERF_COUNT_SW_TASK_CLOCK, counting only), which begins when it is opened. The kernel starts it
when the thread has got its CPU, and stops it before the thread gives it up.
*/
export class ThreadClock {
	/** Opens one; undefined where that cannot be. */
	static open(calls: PerfCalls, pid: number, tid: number): ThreadClock | undefined {
		const opened = calls.open(tid, {periodNs: 0, stackBytes: 0, withKernel: true});
		return 'errno' in opened ? undefined : new ThreadClock(calls, opened.fd, `/proc/${pid}/task/${tid}/schedstat`);
	}

	readonly #calls: PerfCalls;
	readonly #fd: number;
	readonly #schedstat: string;

	private constructor(calls: PerfCalls, fd: number, schedstat: string) {
		this.#calls = calls;
		this.#fd = fd;
		this.#schedstat = schedstat;
	}

	/** Both at a moment at which the thread is not on a CPU, as schedstat lags behind while it is; else undefined. */
	moment(): ClockMoment | undefined {
		try {
			const countNs = this.#calls.count(this.#fd);
			const [usedNs, , turns] = readFileSync(this.#schedstat, 'latin1').split(' ').map(Number);
			return this.#calls.count(this.#fd) === countNs ? {countNs, usedNs, turns} : undefined;
		} catch {
			return undefined;
		}
	}

	close(): void {
		this.#calls.close(this.#fd);
	}
}
