/**
What of <linux/perf_event.h> is used: an event on the CPU clock of one thread, or on the clock of one CPU, whose records
have the registers of the thread that runs and a copy of its stack (perf_event_open(2)).
*/

/** Bytes of struct perf_event_attr in its version of 2013 (PERF_ATTR_SIZE_VER5), which every kernel since 4.1 takes. */
const attributesBytes = 112;

const at = {
	type: 0, size: 4, config: 8, period: 16, sampleType: 24, flags: 40, userRegisters: 80, userStackBytes: 88,
} as const;

/** PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, PERF_COUNT_SW_TASK_CLOCK. */
const softwareEvent = 1;
const cpuClock = 0;
const taskClock = 1;

/** PERF_SAMPLE_TID, _REGS_USER and _STACK_USER: what a record holds, in this order. */
const sampleType = 2 | (1 << 12) | (1 << 13);

const excludeKernel = 1 << 5;
const excludeIdle = 1 << 7;

/**
Registers by their number (asm/perf_regs.h, x86): those that the walk needs. A record has them in ascending order.
*/
const registerNumber = {
	rax: 0, rbx: 1, fp: 6, sp: 7, pc: 8, r13: 21,
} as const;

/** The registers of a record, in its order. */
export const recordRegisters = Object.freeze((Object.keys(registerNumber) as Array<keyof typeof registerNumber>).sort((a, b) => registerNumber[a] - registerNumber[b]));

const registerMask = Object.values<number>(registerNumber).reduce((mask, number) => mask | (1 << number), 0);

/** What an event is to record. */
export type EventOptions = {
	/** Nanoseconds of CPU time between two records, up to 2^32; 0 for an event that counts and records nothing. */
	readonly periodNs: number;
	/** Bytes of stack in a record at most: a multiple of 8, below 64 KB. */
	readonly stackBytes: number;
	/** Also while a thread is in a system call. */
	readonly withKernel: boolean;
	/** Of a CPU, whoever it runs, rather than of a thread. */
	readonly ofCpu?: boolean;
};

/** The struct perf_event_attr for it. */
export function eventAttributes({periodNs, stackBytes, withKernel, ofCpu = false}: EventOptions): Uint8Array {
	const bytes = new Uint8Array(attributesBytes);
	const view = new DataView(bytes.buffer);
	view.setUint32(at.type, softwareEvent, true);
	view.setUint32(at.size, attributesBytes, true);
	view.setUint32(at.config, ofCpu ? cpuClock : taskClock, true);
	view.setBigUint64(at.period, BigInt(Math.round(periodNs)), true);
	view.setUint32(at.sampleType, sampleType, true);
	view.setUint32(at.flags, (withKernel ? 0 : excludeKernel) | (ofCpu ? excludeIdle : 0), true);
	view.setUint32(at.userRegisters, registerMask, true);
	view.setUint32(at.userStackBytes, stackBytes, true);
	return bytes;
}
