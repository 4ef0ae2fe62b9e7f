import {instructionAt} from './arm64-instruction.js';

/** Numbers of frequent system calls on arm64 (include/uapi/asm-generic/unistd.h). */
const systemCalls: ReadonlyMap<number, string> = new Map(Object.entries({
	epoll_pwait: 22,
	ioctl: 29,
	openat: 56,
	close: 57,
	lseek: 62,
	read: 63,
	write: 64,
	readv: 65,
	writev: 66,
	pread64: 67,
	pwrite64: 68,
	sendfile: 71,
	ppoll: 73,
	newfstatat: 79,
	fstat: 80,
	fsync: 82,
	fdatasync: 83,
	futex: 98,
	nanosleep: 101,
	clock_nanosleep: 115,
	sched_yield: 124,
	accept: 202,
	connect: 203,
	sendto: 206,
	recvfrom: 207,
	sendmsg: 211,
	recvmsg: 212,
	brk: 214,
	munmap: 215,
	clone: 220,
	mmap: 222,
	mprotect: 226,
	madvise: 233,
	accept4: 242,
	getrandom: 278,
	membarrier: 283,
	clone3: 435,
}).map(([name, number]) => [number, name]));

/** Bytes of a system call in the C library: mov x8, number; svc #0. */
export const systemCallBytes = 8;

const supervisorCall = 0xD4_00_00_01;

/** Returns the system call that returns to the end of this code; empty if unknown. */
export function systemCallIn(code: Uint8Array): string {
	const move = instructionAt(code, 0);
	// MOVZ x8.
	return instructionAt(code, 4) === supervisorCall && (move & 0xFF_E0_00_1F) >>> 0 === 0xD2_80_00_08
		? systemCalls.get((move >>> 5) & 0xFF_FF) ?? ''
		: '';
}
