import {loadLibc} from '../system/koffi.js';

/** Bytes of struct timespec on 64-bit Linux: seconds and nanoseconds, of eight bytes each. */
const timespecBytes = 16;

/** CPUCLOCK_SCHED: CPU time, in a clock id. */
const cpuClockSched = 2;

/**
CPU time of a whole process, including threads that have ended. The kernel sums it up when read; as in schedstat, what a
thread uses is included after its next scheduler tick, or when it leaves its CPU.
*/
export type ProcessClock = {
	/** Returns the CPU time in nanoseconds; NaN if the process has ended. */
	readNs(): number;
};

/** Returns the clock of a process; undefined if libc or the clock is unavailable. */
export function openProcessClock(pid: number): ProcessClock | undefined {
	const readClock = loadLibc()?.func('clock_gettime', 'int', ['int', 'uint8_t *']);
	// clock_getcpuclockid(3): the process's id, inverted, with the kind of clock in the three bits below it.
	const clockId = (~pid << 3) | cpuClockSched;
	const bytes = new Uint8Array(timespecBytes);
	const words = new Uint32Array(bytes.buffer);
	const readNs = () =>
		readClock?.(clockId, bytes) === 0 ? ((words[0] + (words[1] * (2 ** 32))) * 1e9) + words[2] : Number.NaN;
	return Number.isNaN(readNs()) ? undefined : {readNs};
}
