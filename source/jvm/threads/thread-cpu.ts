import {closeSync, openSync, readSync} from 'node:fs';
import {getOrCreate} from '../../util/get-or-create.js';
import {attempt, errorCode, readBytes, readProc} from '../system/proc.js';

/** A line of schedstat is three decimal numbers of at most 20 digits each. */
const maxLineBytes = 80;

/** Files stay open, as opening one costs far more than reading it. */
const maxOpenFiles = 8192;

/** Fraction of our limit on open files; the rest is for sockets, outputs and Node. */
const openFilesFraction = 0.5;

/** A low limit, assumed if ours is unknown. */
const lowFilesLimit = 512;

/** `gone`: the thread has ended. */
type ReadResult = 'read' | 'gone' | 'unreadable';

type Thread = {
	/** The open schedstat; -1 if it is not kept open. */
	fd: number;
	/** Values at the last `delta`; `lastCpuNs` is -1 before the first, and after the thread's id was reused. */
	lastCpuNs: number;
	lastWaitNs: number;
	/** The round of its last reading. */
	round: number;
};

const newThread = (): Thread => ({fd: -1, lastCpuNs: -1, lastWaitNs: 0, round: 0});

const newline = 10;
const blank = 32;
const zero = 48;

/**
CPU time of a process's threads, nanoseconds, from /proc/PID/task/TID/schedstat: time on CPU, time runnable but waiting
for a CPU, number of timeslices (Linux Documentation/scheduler/sched-stats.rst). The kernel updates a running thread's
figure at its scheduler tick, so a delta may be off by a tick (1 to 10 ms), but the sum never is. A successful reading
allocates nothing.
*/
export class ThreadCpu {
	lastResult: ReadResult = 'read';
	/** The thread's numbers as of the last `read` or `delta`, since its start. */
	cpuNs = 0;
	waitNs = 0;
	timeslices = 0;
	/** How long the thread of the last `delta` waited for a CPU since its previous `delta`. */
	runDelayNs = 0;

	readonly #pid: number;
	readonly #buffer = Buffer.alloc(maxLineBytes);
	readonly #threads = new Map<number, Thread>();
	#currentRound = 1;
	#readInRound = 0;
	#openFiles = 0;
	#openFilesLimit: number;

	constructor(pid: number, openFilesLimit = openFilesAllowed()) {
		this.#pid = pid;
		this.#openFilesLimit = openFilesLimit;
	}

	/**
	Returns the CPU nanoseconds since the thread's previous `delta`; 0 the first time, and if it could not be read.
	*/
	delta(nativeId: number): number {
		if (!this.read(nativeId)) {
			return 0;
		}

		const thread = this.#threadOf(nativeId);
		const before = thread.lastCpuNs;
		this.runDelayNs = before >= 0 ? Math.max(0, this.waitNs - thread.lastWaitNs) : 0;
		thread.lastCpuNs = this.cpuNs;
		thread.lastWaitNs = this.waitNs;
		return before >= 0 && this.cpuNs > before ? this.cpuNs - before : 0;
	}

	/**
	Reads a thread's cumulative numbers into `cpuNs`, `waitNs` and `timeslices` without affecting `delta`; returns false
	if they could not be read (see `lastResult`).
	*/
	read(nativeId: number): boolean {
		const thread = this.#threadOf(nativeId);
		if (!this.#readThread(nativeId, thread)) {
			this.#drop(nativeId, thread);
			return false;
		}

		if (thread.round !== this.#currentRound) {
			thread.round = this.#currentRound;
			this.#readInRound++;
		}

		return true;
	}

	/** Whether a thread has been read and not been forgotten. */
	knows(nativeId: number): boolean {
		return this.#threads.has(nativeId);
	}

	/** Ends a round of readings: forgets threads not read in it and closes their files. */
	forgetUnread(): void {
		if (this.#readInRound !== this.#threads.size) {
			for (const [nativeId, thread] of this.#threads) {
				if (thread.round !== this.#currentRound) {
					this.#drop(nativeId, thread);
				}
			}
		}

		this.#readInRound = 0;
		this.#currentRound++;
	}

	/** Closes all files and forgets all threads. */
	close(): void {
		for (const [nativeId, thread] of this.#threads) {
			this.#drop(nativeId, thread);
		}
	}

	#threadOf(nativeId: number): Thread {
		return getOrCreate(this.#threads, nativeId, newThread);
	}

	#drop(nativeId: number, thread: Thread): void {
		if (thread.round === this.#currentRound) {
			this.#readInRound--;
		}

		this.#closeFile(thread);
		this.#threads.delete(nativeId);
	}

	#closeFile(thread: Thread): void {
		if (thread.fd >= 0) {
			closeSync(thread.fd);
			thread.fd = -1;
			this.#openFiles--;
		}
	}

	/** Sets the numbers and `lastResult`. The open file of an ended thread gives ESRCH, even if its id is reused. */
	#readThread(nativeId: number, thread: Thread): boolean {
		if (thread.fd >= 0) {
			if (this.#readFile(thread.fd)) {
				return true;
			}

			this.#closeFile(thread);
			thread.lastCpuNs = -1;
		}

		const fd = this.#open(nativeId);
		if (fd < 0) {
			return false;
		}

		if (this.#openFiles < this.#openFilesLimit) {
			thread.fd = fd;
			this.#openFiles++;
			return this.#readFile(fd);
		}

		const done = this.#readFile(fd);
		closeSync(fd);
		return done;
	}

	#open(nativeId: number): number {
		const path = `/proc/${this.#pid}/task/${nativeId}/schedstat`;
		try {
			return openSync(path, 'r');
		} catch (error) {
			if (['EMFILE', 'ENFILE'].includes(errorCode(error))) {
				// The limit is lower than assumed: close some files and keep fewer open.
				this.#openFilesLimit = Math.floor(this.#openFiles / 2);
				this.#closeSome();
				this.lastResult = 'unreadable';
			} else {
				this.lastResult = this.#isGone(nativeId, error) ? 'gone' : 'unreadable';
			}

			return -1;
		}
	}

	#closeSome(): void {
		for (const thread of this.#threads.values()) {
			if (this.#openFiles <= this.#openFilesLimit) {
				return;
			}

			this.#closeFile(thread);
		}
	}

	/** Whether the thread has ended; ENOENT may also mean a kernel without schedstat (CONFIG_SCHED_INFO). */
	#isGone(nativeId: number, error: unknown): boolean {
		const code = errorCode(error);
		if (code !== 'ENOENT') {
			return code === 'ESRCH';
		}

		const comm = attempt(() => readBytes(`/proc/${this.#pid}/task/${nativeId}/comm`), undefined);
		return comm !== undefined && 'code' in comm && ['ENOENT', 'ESRCH'].includes(comm.code);
	}

	#readFile(fd: number): boolean {
		let length;
		try {
			length = readSync(fd, this.#buffer, 0, maxLineBytes, 0);
		} catch (error) {
			this.lastResult = errorCode(error) === 'ESRCH' ? 'gone' : 'unreadable';
			return false;
		}

		const buffer = this.#buffer;
		let number = 0;
		let field = 0;
		for (let at = 0; at < length && field < 3; at++) {
			const byte = buffer[at];
			if (byte === blank || byte === newline) {
				if (field === 0) {
					this.cpuNs = number;
				} else if (field === 1) {
					this.waitNs = number;
				} else {
					this.timeslices = number;
				}

				field++;
				number = 0;
			} else {
				number = (number * 10) + byte - zero;
			}
		}

		this.lastResult = field === 3 ? 'read' : 'gone';
		return field === 3;
	}
}

/** Returns how many files may stay open, from our soft limit ("Max open files" in /proc/self/limits). */
function openFilesAllowed(): number {
	const limits = attempt(() => readProc('self', 'limits'), undefined);
	// A limit that is not a number is "unlimited".
	const softLimit = limits === undefined
		? lowFilesLimit
		: Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1]) || Infinity;
	return Math.min(maxOpenFiles, Math.floor(softLimit * openFilesFraction));
}
