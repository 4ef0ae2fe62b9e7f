/**
The part of <linux/perf_event.h> in use: events on the CPU clock of a thread or of a CPU, with registers and a stack
copy in each record (perf_event_open(2)).
*/

/** Bytes of struct perf_event_attr, version PERF_ATTR_SIZE_VER5 (2013), supported by every kernel since 4.1. */
const attributesBytes = 112;

const at = {
	type: 0, size: 4, config: 8, period: 16, sampleType: 24, flags: 40, userRegisters: 80, userStackBytes: 88, clock: 92,
} as const;

/** PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, PERF_COUNT_SW_TASK_CLOCK. */
const softwareEvent = 1;
const cpuClock = 0;
const taskClock = 1;

/**
PERF_SAMPLE_TID, _TIME, _REGS_USER and _STACK_USER: the contents of a record, in this order. Not _PERIOD: for these
clocks the kernel always reports the period of the open call.
*/
const sampleType = 2 | 4 | (1 << 12) | (1 << 13);

const excludeKernel = 1 << 5;
const excludeIdle = 1 << 7;

/** Record times are CLOCK_MONOTONIC, as in `process.hrtime`. */
const useClock = 1 << 25;
const monotonicClock = 1;

/** Numbers of the registers that the walk needs (asm/perf_regs.h, x86). Records have them in ascending order. */
const registerNumber = {
	rax: 0, rbx: 1, fp: 6, sp: 7, pc: 8, r13: 21,
} as const;

/** The registers of a record, in its order. */
export const recordRegisters = Object.freeze((Object.keys(registerNumber) as Array<keyof typeof registerNumber>).sort((a, b) => registerNumber[a] - registerNumber[b]));

const registerMask = Object.values<number>(registerNumber).reduce((mask, number) => mask | (1 << number), 0);

/** What an event records. */
export type EventOptions = {
	/** Nanoseconds of CPU time between two records, up to 2^32. */
	readonly periodNs: number;
	/** Maximum bytes of stack in a record: a multiple of 8, below 64 KB. */
	readonly stackBytes: number;
	/** Includes time in system calls. */
	readonly withKernel: boolean;
	/** The event counts a CPU, with all threads that it runs, instead of one thread. */
	readonly ofCpu?: boolean;
};

/** The struct perf_event_attr for these options. */
export function eventAttributes({periodNs, stackBytes, withKernel, ofCpu = false}: EventOptions): Uint8Array {
	const bytes = new Uint8Array(attributesBytes);
	const view = new DataView(bytes.buffer);
	view.setUint32(at.type, softwareEvent, true);
	view.setUint32(at.size, attributesBytes, true);
	view.setUint32(at.config, ofCpu ? cpuClock : taskClock, true);
	view.setBigUint64(at.period, BigInt(Math.round(periodNs)), true);
	view.setUint32(at.sampleType, sampleType, true);
	view.setUint32(at.flags, useClock | (withKernel ? 0 : excludeKernel) | (ofCpu ? excludeIdle : 0), true);
	view.setUint32(at.clock, monotonicClock, true);
	view.setUint32(at.userRegisters, registerMask, true);
	view.setUint32(at.userStackBytes, stackBytes, true);
	return bytes;
}
