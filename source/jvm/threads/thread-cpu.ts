import {
	closeSync, openSync, readFileSync, readSync,
} from 'node:fs';

/** A line of schedstat is three decimal numbers of at most 20 digits each. */
const maxLineBytes = 80;

/**
Files kept open at most, whatever the process may open (Node raises its limit to the most that is allowed): opening one
costs ten times what reading it does, and each takes a kilobyte of kernel memory.
*/
const maxOpenFiles = 8192;

/** Part of the process's limit on open files that may be used: the rest is for sockets, outputs and the runtime. */
const openFilesShare = 0.5;

/** What the last reading found: the numbers; no such thread any more; or /proc does not show us this. */
type CpuReading = 'read' | 'gone' | 'closed';

const newline = 10;
const blank = 32;
const zero = 48;

/**
CPU time of a process's threads, nanoseconds, from /proc/PID/task/TID/schedstat: time on CPU, time runnable but waiting
for a CPU, number of turns (Linux Documentation/scheduler/sched-stats.rst). The kernel brings the figure of a thread
that is running up to date at its scheduler tick, so a delta may be off by a tick (1 to 10 ms), but the sum never is.
Files stay open between samples; a successful reading allocates nothing.
*/
export class ThreadCpu {
	/** What the last call of `delta` or `read` found. */
	reading: CpuReading = 'read';
	/**
	The numbers of the last `read` or `delta`, cumulative over the thread's life: on CPU, runnable without one, and how
	often it was put on a CPU.
	*/
	cpuNs = 0;
	waitNs = 0;
	timeslices = 0;

	readonly #pid: number;
	readonly #buffer = Buffer.alloc(maxLineBytes);
	readonly #slots = new Map<number, number>();
	readonly #freeSlots: number[] = [];
	#slotCount = 0;
	/** File descriptor of a slot, -1 when the file is not kept open. */
	#fd = new Int32Array(64);
	#lastCpuNs = new Float64Array(64);
	#round = new Int32Array(64);
	#currentRound = 1;
	/** What `read` found, and at which moment. */
	#foundCpuNs = new Float64Array(64);
	#foundWaitNs = new Float64Array(64);
	#foundTurns = new Float64Array(64);
	#foundAt = new Int32Array(64);
	#moment = 1;
	#isMoment = false;
	#readInRound = 0;
	#openFiles = 0;
	#openFilesLimit: number;

	constructor(pid: number, openFilesLimit = openFilesAllowed()) {
		this.#pid = pid;
		this.#openFilesLimit = openFilesLimit;
	}

	/** Begins a moment: until it is over, `delta` goes by what `read` has found in it, and reads only what it has not. */
	beginMoment(): void {
		this.#moment++;
		this.#isMoment = true;
	}

	endMoment(): void {
		this.#isMoment = false;
	}

	/**
	CPU nanoseconds that the thread used since the previous `delta` for it; 0 the first time, and 0 when it could not be
	read (see `reading`).
	*/
	delta(nativeId: number): number {
		const known = this.#slots.has(nativeId);
		const slot = this.#slotOf(nativeId);
		const before = this.#lastCpuNs[slot];
		if (this.#isMoment && this.#foundAt[slot] === this.#moment) {
			this.cpuNs = this.#foundCpuNs[slot];
			this.waitNs = this.#foundWaitNs[slot];
			this.timeslices = this.#foundTurns[slot];
			this.reading = 'read';
		} else if (!this.#readSlot(nativeId, slot)) {
			this.#drop(nativeId, slot);
			return 0;
		}

		this.#markRead(slot);
		this.#lastCpuNs[slot] = this.cpuNs;
		return known && before >= 0 && this.cpuNs > before ? this.cpuNs - before : 0;
	}

	/**
	Reads a thread's cumulative numbers into `cpuNs` and `waitNs` without touching what `delta` counts from; false when
	it could not be read (see `reading`).
	*/
	read(nativeId: number): boolean {
		const known = this.#slots.has(nativeId);
		const slot = this.#slotOf(nativeId);
		if (!known) {
			this.#lastCpuNs[slot] = -1;
		}

		if (this.#readSlot(nativeId, slot)) {
			this.#markRead(slot);
			this.#foundCpuNs[slot] = this.cpuNs;
			this.#foundWaitNs[slot] = this.waitNs;
			this.#foundTurns[slot] = this.timeslices;
			this.#foundAt[slot] = this.#moment;
			return true;
		}

		this.#drop(nativeId, slot);
		return false;
	}

	/** Counts a thread as read in this round without reading it; false where nothing is known of it. */
	keep(nativeId: number): boolean {
		const slot = this.#slots.get(nativeId);
		if (slot === undefined) {
			return false;
		}

		this.#markRead(slot);
		return true;
	}

	/** Ends a round of readings: threads that were not read since the previous call are forgotten and their files closed. */
	forgetUnread(): void {
		if (this.#readInRound !== this.#slots.size) {
			for (const [nativeId, slot] of this.#slots) {
				if (this.#round[slot] !== this.#currentRound) {
					this.#drop(nativeId, slot);
				}
			}
		}

		this.#readInRound = 0;
		this.#currentRound++;
	}

	/** Closes all files; the object may be used again, and then starts anew. */
	close(): void {
		for (const [nativeId, slot] of this.#slots) {
			this.#drop(nativeId, slot);
		}
	}

	#markRead(slot: number): void {
		if (this.#round[slot] !== this.#currentRound) {
			this.#round[slot] = this.#currentRound;
			this.#readInRound++;
		}
	}

	#slotOf(nativeId: number): number {
		const found = this.#slots.get(nativeId);
		if (found !== undefined) {
			return found;
		}

		const slot = this.#freeSlots.pop() ?? this.#slotCount++;
		if (slot === this.#fd.length) {
			this.#fd = grown(this.#fd, new Int32Array(slot * 2));
			this.#lastCpuNs = grown(this.#lastCpuNs, new Float64Array(slot * 2));
			this.#round = grown(this.#round, new Int32Array(slot * 2));
			this.#foundCpuNs = grown(this.#foundCpuNs, new Float64Array(slot * 2));
			this.#foundWaitNs = grown(this.#foundWaitNs, new Float64Array(slot * 2));
			this.#foundTurns = grown(this.#foundTurns, new Float64Array(slot * 2));
			this.#foundAt = grown(this.#foundAt, new Int32Array(slot * 2));
		}

		this.#fd[slot] = -1;
		this.#lastCpuNs[slot] = -1;
		this.#slots.set(nativeId, slot);
		return slot;
	}

	#drop(nativeId: number, slot: number): void {
		if (this.#round[slot] === this.#currentRound) {
			this.#readInRound--;
		}

		this.#round[slot] = 0;
		this.#foundAt[slot] = 0;
		this.#closeFile(slot);
		this.#slots.delete(nativeId);
		this.#freeSlots.push(slot);
	}

	#closeFile(slot: number): void {
		if (this.#fd[slot] >= 0) {
			closeSync(this.#fd[slot]);
			this.#fd[slot] = -1;
			this.#openFiles--;
		}
	}

	/**
	Sets `cpuNs`, `waitNs`, `turns` and `reading`. A kept file of a thread that ended gives ESRCH, even if its id has been given
	to another thread.
	*/
	#readSlot(nativeId: number, slot: number): boolean {
		if (this.#fd[slot] >= 0) {
			if (this.#readFile(this.#fd[slot])) {
				return true;
			}

			this.#closeFile(slot);
			this.#lastCpuNs[slot] = -1;
		}

		const fd = this.#open(nativeId);
		if (fd < 0) {
			return false;
		}

		if (this.#openFiles < this.#openFilesLimit) {
			this.#fd[slot] = fd;
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
			if (isCode(error, 'EMFILE') || isCode(error, 'ENFILE')) {
				// Less room than the limit promised: close some and do without them.
				this.#openFilesLimit = Math.floor(this.#openFiles / 2);
				this.#closeSome();
				this.reading = 'closed';
			} else {
				this.reading = this.#isGone(nativeId, error) ? 'gone' : 'closed';
			}

			return -1;
		}
	}

	#closeSome(): void {
		for (const slot of this.#slots.values()) {
			if (this.#openFiles <= this.#openFilesLimit) {
				return;
			}

			this.#closeFile(slot);
		}
	}

	/**
	ENOENT means either that the thread ended or that this kernel has no schedstat (CONFIG_SCHED_INFO); the thread's own
	directory tells which.
	*/
	#isGone(nativeId: number, error: unknown): boolean {
		if (isCode(error, 'ESRCH')) {
			return true;
		}

		if (!isCode(error, 'ENOENT')) {
			return false;
		}

		try {
			readFileSync(`/proc/${this.#pid}/task/${nativeId}/comm`);
			return false;
		} catch (commError) {
			return isCode(commError, 'ENOENT') || isCode(commError, 'ESRCH');
		}
	}

	#readFile(fd: number): boolean {
		let length;
		try {
			length = readSync(fd, this.#buffer, 0, maxLineBytes, 0);
		} catch (error) {
			this.reading = isCode(error, 'ESRCH') ? 'gone' : 'closed';
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

		this.reading = field === 3 ? 'read' : 'gone';
		return field === 3;
	}
}

function grown<T extends Float64Array | Int32Array>(from: T, to: T): T {
	to.set(from);
	return to;
}

function isCode(error: unknown, code: string): boolean {
	return (error as NodeJS.ErrnoException).code === code;
}

/** Files that may stay open: half of what this process may open ("Max open files" in /proc/self/limits, the soft limit). */
function openFilesAllowed(): number {
	try {
		const soft = Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1]);
		return Math.min(maxOpenFiles, Math.floor((soft || maxOpenFiles * 2) * openFilesShare));
	} catch {
		return maxOpenFiles / 32;
	}
}
