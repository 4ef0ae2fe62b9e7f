import {readFileSync, readSync} from 'node:fs';
import {constants} from 'node:os';
import {printable, safe, type Printable} from '../../../../util/printable.js';
import {loadKoffi} from '../../../../jvm/system/koffi.js';
import {attempt, systemPageBytes} from '../../../../jvm/system/proc.js';
import {fromNames, namesOf} from '../../../../model/column-types.js';
import {ownArchitecture} from '../../target/own-architecture.js';

/**
Events on the CPU clock of a thread or a CPU, and on a thread's writes to an address or executions of it. Their records
have registers and a stack copy (perf_event_open(2)).
*/

/** The first page of a ring has its head and tail. */
export const pageBytes = systemPageBytes();

/** Bytes of struct perf_event_attr, version PERF_ATTR_SIZE_VER5 (2013), supported by every kernel since 4.1. */
const attributesBytes = 112;

/** Field offsets. */
const at = {
	type: 0,
	size: 4,
	config: 8,
	period: 16,
	sampleType: 24,
	flags: 40,
	breakpointType: 52,
	/** In the union with config1 and config2. */
	breakpointAddress: 56,
	breakpointBytes: 64,
	userRegisters: 80,
	userStackBytes: 88,
	clock: 92,
} as const;

/** PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, PERF_COUNT_SW_TASK_CLOCK. */
const softwareEvent = 1;
const cpuClock = 0;
const taskClock = 1;

/**
PERF_TYPE_BREAKPOINT, HW_BREAKPOINT_W and _X (linux/hw_breakpoint.h), and the bytes of a watched word; the kernel wants
as many for an instruction.
*/
const breakpointEvent = 5;
const onWrite = 2;
const onExecution = 4;
const wordBytes = 8;

/**
PERF_SAMPLE_TID, _TIME, _REGS_USER and _STACK_USER: the contents of a record, in this order. Without _PERIOD, since for
these clocks the kernel always reports the period of the open call.
*/
const sampleType = 2 | 4 | (1 << 12) | (1 << 13);

/** Bits of the flags: disabled, exclude_kernel, exclude_idle. */
const startsDisabled = 1;
const excludeKernel = 1 << 5;
const excludeIdle = 1 << 7;

/** Bit of the flags (use_clockid) and its clock: record times are CLOCK_MONOTONIC, as in `process.hrtime`. */
const useClock = 1 << 25;
const monotonicClock = 1;

const registerNumber = ownArchitecture.perfRegisters;

/** The registers of a record, in its order: by their numbers. */
export const recordRegisters = Object
	.freeze(namesOf(registerNumber).toSorted((a, b) => registerNumber[a] - registerNumber[b]));

const generalNumbers = ownArchitecture.additions?.generalRegisters ?? [];

/** All registers of a record of a breakpoint by number, in its order. */
const breakpointNumbers = [...new Set([...generalNumbers, ...Object.values(registerNumber)])].sort((a, b) => a - b);

function maskOf(numbers: readonly number[]): bigint {
	return numbers.reduce((mask, number) => mask | (1n << BigInt(number)), 0n);
}

/** What a record has of the registers: their number, and the place of each. */
export type RecordLayout = {
	readonly count: number;
	readonly registers: Readonly<Record<keyof typeof registerNumber, number>>;
	/** The places of the general registers, as instructions encode them; empty if not all are recorded. */
	readonly general: readonly number[];
};

/** Records of CPU clocks have the registers that stack walks need, those of breakpoints all. */
export const clockRecord: RecordLayout = Object.freeze({
	count: recordRegisters.length,
	registers: fromNames(recordRegisters, (_, index) => index),
	general: [],
});
export const breakpointRecord: RecordLayout = Object.freeze({
	count: breakpointNumbers.length,
	registers: fromNames(recordRegisters, name => breakpointNumbers.indexOf(registerNumber[name])),
	general: generalNumbers.map(number => breakpointNumbers.indexOf(number)),
});

type EventOptions = {
	/** CPU time between two records, up to 2^32 ns. */
	readonly periodNs: number;
	/** Maximum bytes of stack in a record: a multiple of 8, below 64 KB. */
	readonly stackBytes: number;
	/** Includes time in system calls. */
	readonly withKernel: boolean;
	/** The event is on a CPU, and records all threads that it runs, instead of on one thread. */
	readonly ofCpu?: boolean;
};

/**
An event for each write of a thread, in user mode, to the word at an address, or if it `isCode` for each execution of
the instruction there; it starts disabled.
*/
type BreakpointOptions = {readonly address: number; readonly isCode?: boolean; readonly stackBytes: number};

function breakpointAttributes({address, isCode = false, stackBytes}: BreakpointOptions): Uint8Array {
	const bytes = new Uint8Array(attributesBytes);
	const view = new DataView(bytes.buffer);
	view.setUint32(at.type, breakpointEvent, true);
	view.setUint32(at.size, attributesBytes, true);
	view.setBigUint64(at.period, 1n, true);
	view.setUint32(at.sampleType, sampleType, true);
	view.setUint32(at.flags, useClock | excludeKernel | startsDisabled, true);
	view.setUint32(at.breakpointType, isCode ? onExecution : onWrite, true);
	view.setBigUint64(at.breakpointAddress, BigInt(address), true);
	view.setBigUint64(at.breakpointBytes, BigInt(wordBytes), true);
	view.setUint32(at.clock, monotonicClock, true);
	view.setBigUint64(at.userRegisters, maskOf(breakpointNumbers), true);
	view.setUint32(at.userStackBytes, stackBytes, true);
	return bytes;
}

function clockAttributes({periodNs, stackBytes, withKernel, ofCpu = false}: EventOptions): Uint8Array {
	const bytes = new Uint8Array(attributesBytes);
	const view = new DataView(bytes.buffer);
	view.setUint32(at.type, softwareEvent, true);
	view.setUint32(at.size, attributesBytes, true);
	view.setUint32(at.config, ofCpu ? cpuClock : taskClock, true);
	view.setBigUint64(at.period, BigInt(Math.round(periodNs)), true);
	view.setUint32(at.sampleType, sampleType, true);
	view.setUint32(at.flags, useClock | (withKernel ? 0 : excludeKernel) | (ofCpu ? excludeIdle : 0), true);
	view.setUint32(at.clock, monotonicClock, true);
	view.setBigUint64(at.userRegisters, maskOf(Object.values(registerNumber)), true);
	view.setUint32(at.userStackBytes, stackBytes, true);
	return bytes;
}

/**
perf_event_open(2), which the C library does not wrap, and sched_getaffinity(2): the system call returns the number of
bytes written.
*/
const {perfEventOpen: openCall, schedGetAffinity: getAffinityCall} = ownArchitecture.callNumbers;
const closeOnExec = 8;

/** PERF_EVENT_IOC_PERIOD, _ENABLE and _DISABLE. */
const setPeriod = 0x40_08_24_04;
const enable = 0x24_00;
const disable = 0x24_01;

/** mmap(2): PROT_READ | PROT_WRITE, MAP_SHARED, MAP_PRIVATE | MAP_ANONYMOUS, MAP_FAILED. */
const readWrite = 3;
const shared = 1;
const ofOurOwn = 0x22;
const mapFailed = (2n ** 64n) - 1n;

/** Its memory must not be used after `unmap`. */
export type MappedRing = {readonly memory: ArrayBuffer; readonly address: unknown};

/** The system calls for events on other processes' threads and on CPUs. */
export type PerfCalls = {
	/** Opens and starts an event on a thread, or on a CPU if the options say so. */
	open(id: number, options: EventOptions): {readonly fd: number} | {readonly errno: number};
	setPeriod(fd: number, periodNs: number): void;
	/**
	Writes the mask of the online CPUs that a thread may use. Returns its bytes; 0 or less if the thread has ended.
	*/
	affinity(tid: number, into: Uint8Array): number;
	mapRing(fd: number, bytes: number): MappedRing | {readonly errno: number};
	unmap(ring: MappedRing): void;
	close(fd: number): void;
};

/** The system calls for breakpoints, too. */
export type BreakpointCalls = PerfCalls & {
	/** Opens an event on writes or executions of a thread; 0 is the calling thread. */
	openBreakpoint(tid: number, options: BreakpointOptions): {readonly fd: number} | {readonly errno: number};
	setEnabled(fd: number, isEnabled: boolean): void;
	/** Returns how many events there were so far, recorded or not. */
	eventCount(fd: number): number;
	/** Maps a page of our own, at an address to watch. */
	mapPage(): MappedRing & {readonly start: number};
};

/** Binds the calls; throws if the FFI package does not load. */
export function loadPerfCalls(): BreakpointCalls {
	const koffi = loadKoffi();
	const library = koffi.load(null);
	const syscall = library.func('syscall', 'long', ['long', 'uint8_t *', 'long', 'long', 'long', 'long']);
	const getAffinity = library.func('syscall', 'long', ['long', 'long', 'long', 'uint8_t *']);
	const ioctl = library.func('ioctl', 'int', ['int', 'ulong', 'uint8_t *']);
	const mmap = library.func('mmap', 'void *', ['uintptr_t', 'size_t', 'int', 'int', 'int', 'long']) as (
		...args: unknown[]
	) => unknown;
	const munmap = library.func('munmap', 'int', ['void *', 'size_t']);
	const close = library.func('close', 'int', ['int']);
	const period = new Uint8Array(8);
	const noArgument = new Uint8Array(8);
	const count = Buffer.alloc(8);
	const open = (attributes: Uint8Array, tid: number, cpu: number) => {
		const fd = syscall(openCall, attributes, tid, cpu, -1, closeOnExec);
		return fd < 0 ? {errno: koffi.errno()} : {fd};
	};

	return {
		open: (id, options) => open(clockAttributes(options), options.ofCpu ? -1 : id, options.ofCpu ? id : -1),
		openBreakpoint: (tid, options) => open(breakpointAttributes(options), tid, -1),
		setEnabled(fd, isEnabled) {
			ioctl(fd, isEnabled ? enable : disable, noArgument);
		},
		eventCount(fd) {
			readSync(fd, count, 0, count.length, null);
			return Number(count.readBigUInt64LE());
		},
		setPeriod(fd, periodNs) {
			new DataView(period.buffer).setBigUint64(0, BigInt(Math.round(periodNs)), true);
			ioctl(fd, setPeriod, period);
		},
		affinity: (tid, into) => getAffinity(getAffinityCall, tid, into.length, into),
		mapRing(fd, bytes) {
			const address = mmap(0, bytes, readWrite, shared, fd, 0);
			return address === mapFailed ? {errno: koffi.errno()} : {address, memory: koffi.view(address, bytes)};
		},
		mapPage() {
			const address = mmap(0, pageBytes, readWrite, ofOurOwn, -1, 0);
			return {address, memory: koffi.view(address, pageBytes), start: Number(address)};
		},
		unmap({address, memory}) {
			munmap(address, memory.byteLength);
		},
		close(fd) {
			close(fd);
		},
	};
}

const {errno} = constants;

const refusals: ReadonlyMap<number, string> = new Map([
	[
		errno.EPERM,
		'a system call filter (seccomp, as is usual in containers), the kernel\'s lockdown, or too little lockable memory (ulimit -l)',
	],
	[errno.ENOSYS, 'a system call filter (seccomp, as is usual in containers), or a kernel without perf events'],
	[errno.EMFILE, 'no more files may be opened (ulimit -n)'],
]);

/** Returns why an event was refused, in words. */
export function refusalOf(error: number): Printable {
	return error === errno.EACCES
		? safe`kernel.perf_event_paranoid ${paranoid()}`
		: printable(refusals.get(error) ?? `error ${error}`);
}

/** Returns kernel.perf_event_paranoid, or "?" if unreadable. */
export function paranoid(): Printable {
	return printable(attempt(() => readFileSync('/proc/sys/kernel/perf_event_paranoid', 'latin1').trim(), '?'));
}
