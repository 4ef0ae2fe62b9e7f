import {loadLibc} from '../system/koffi.js';

/** Bytes of struct timespec on 64-bit Linux: seconds, nanoseconds. */
const timespecBytes = 16;

/** CPUCLOCK_SCHED: CPU time, in a clock id. */
const cpuClockSched = 2;

/**
CPU time of a whole process, nanoseconds, including threads that have ended. The kernel sums it up when read; as in
schedstat, what a thread uses is included after its next scheduler tick, or when it leaves its CPU.
*/
export class ProcessClock {
	/** Returns the clock of a process; undefined if libc or the clock is unavailable. */
	static of(pid: number): ProcessClock | undefined {
		const readClock = loadLibc()?.func('clock_gettime', 'int', ['int', 'uint8_t *']);
		// clock_getcpuclockid(3): the process's id, inverted, with the kind of clock below it.
		const clock = readClock && new ProcessClock((~pid << 3) | cpuClockSched, readClock);
		return clock && !Number.isNaN(clock.readNs()) ? clock : undefined;
	}

	readonly #readClock: (clockId: number, into: Uint8Array) => number;
	readonly #clockId: number;
	readonly #bytes = new Uint8Array(timespecBytes);
	readonly #words = new Uint32Array(this.#bytes.buffer);

	private constructor(clockId: number, readClock: (clockId: number, into: Uint8Array) => number) {
		this.#readClock = readClock;
		this.#clockId = clockId;
	}

	/** Returns the CPU time; NaN if the process has ended. */
	readNs(): number {
		if (this.#readClock(this.#clockId, this.#bytes) !== 0) {
			return Number.NaN;
		}

		const words = this.#words;
		return ((words[0] + (words[1] * 0x1_00_00_00_00)) * 1e9) + words[2];
	}
}
