/** Numbers of frequent system calls on x86-64 (arch/x86/entry/syscalls/syscall_64.tbl). */
const systemCalls: ReadonlyMap<number, string> = new Map(Object.entries({
	read: 0,
	write: 1,
	close: 3,
	stat: 4,
	fstat: 5,
	poll: 7,
	lseek: 8,
	mmap: 9,
	mprotect: 10,
	munmap: 11,
	brk: 12,
	ioctl: 16,
	pread64: 17,
	pwrite64: 18,
	readv: 19,
	writev: 20,
	sched_yield: 24,
	madvise: 28,
	nanosleep: 35,
	sendfile: 40,
	connect: 42,
	accept: 43,
	sendto: 44,
	recvfrom: 45,
	sendmsg: 46,
	recvmsg: 47,
	clone: 56,
	fsync: 74,
	fdatasync: 75,
	futex: 202,
	epoll_wait: 232,
	openat: 257,
	newfstatat: 262,
	accept4: 288,
	getrandom: 318,
	membarrier: 324,
	clone3: 435,
}).map(([name, number]) => [number, name]));

/** Bytes of a system call in the C library: mov eax, number (or xor eax, eax); syscall. */
export const systemCallBytes = 7;

/** Returns the system call that returns to the end of this code; empty if unknown, as for many since glibc 2.41. */
export function systemCallIn(code: Uint8Array): string {
	if (code[5] !== 0x0F || code[6] !== 0x05) {
		return '';
	}

	const number = code[0] === 0xB8
		? new DataView(code.buffer, code.byteOffset).getUint32(1, true)
		: (code[3] === 0x31 && code[4] === 0xC0 ? 0 : Number.NaN);
	return systemCalls.get(number) ?? '';
}
