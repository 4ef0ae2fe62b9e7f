import {loadLibc} from '../system/koffi.js';

/** Bytes of struct timespec on 64-bit Linux: seconds, nanoseconds. */
const timespecBytes = 16;

/** The clock of the time that a process is scheduled for (CPUCLOCK_SCHED), as a part of a clock id. */
const scheduled = 2;

/**
CPU time of a whole process, nanoseconds: of all its threads, of those that have ended too. The kernel adds them up when
it is asked, for a fifth of a microsecond a thread; what a thread uses is added at its next scheduler tick or when it
leaves its CPU, as in schedstat.
*/
export class ProcessClock {
	/** The clock of a process; undefined where the FFI package does not load or it cannot be read. */
	static of(pid: number): ProcessClock | undefined {
		const readClock = loadLibc()?.func('clock_gettime', 'int', ['int', 'uint8_t *']);
		// clock_getcpuclockid(3): the process's id, inverted, with the kind of clock below it.
		const clock = readClock && new ProcessClock((~pid << 3) | scheduled, readClock);
		return clock && !Number.isNaN(clock.readNs()) ? clock : undefined;
	}

	readonly #readClock: (clock: number, into: Uint8Array) => number;
	readonly #clock: number;
	readonly #bytes = new Uint8Array(timespecBytes);
	readonly #words = new Uint32Array(this.#bytes.buffer);

	private constructor(id: number, readClock: (clock: number, into: Uint8Array) => number) {
		this.#readClock = readClock;
		this.#clock = id;
	}

	/** NaN where it cannot be read (any more). */
	readNs(): number {
		if (this.#readClock(this.#clock, this.#bytes) !== 0) {
			return Number.NaN;
		}

		const words = this.#words;
		return ((words[0] + (words[1] * 0x1_00_00_00_00)) * 1e9) + words[2];
	}
}
