import {loadKoffi} from '../../../jvm/system/koffi.js';
import {eventAttributes, type EventOptions} from './attributes.js';

/** perf_event_open(2) on x86-64; the C library does not wrap it. */
const openCall = 298;
const closeOnExec = 8;

/** sched_getaffinity(2) on x86-64; the system call returns the number of bytes written. */
const getAffinityCall = 204;

/** PERF_EVENT_IOC_PERIOD. */
const setPeriod = 0x40_08_24_04;

/** mmap(2): PROT_READ | PROT_WRITE, MAP_SHARED, MAP_FAILED. */
const readWrite = 3;
const shared = 1;
const mapFailed = (2n ** 64n) - 1n;

/** The event's descriptor, or an errno. */
type OpenedEvent = {readonly fd: number} | {readonly errno: number};

/** A mapped ring, whose memory must not be used after `unmap`; or an errno. */
type MappedRing = {readonly memory: ArrayBuffer; readonly address: unknown} | {readonly errno: number};

/** The system calls for events on other processes' threads and on CPUs. */
export type PerfCalls = {
	/** Opens and starts an event on a thread, or on a CPU if the options say so. */
	open(id: number, options: EventOptions): OpenedEvent;
	/** Sets the nanoseconds between two records. */
	setPeriod(fd: number, periodNs: number): void;
	/** Writes the mask of online CPUs that a thread may run on; returns its bytes, 0 or less for no such thread. */
	affinity(tid: number, into: Uint8Array): number;
	mapRing(fd: number, bytes: number): MappedRing;
	unmap(ring: {readonly address: unknown; readonly memory: ArrayBuffer}): void;
	close(fd: number): void;
};

/** Binds the calls; throws if the FFI package does not load. */
export function loadPerfCalls(): PerfCalls {
	const koffi = loadKoffi();
	const library = koffi.load(null);
	const syscall = library.func('syscall', 'long', ['long', 'uint8_t *', 'long', 'long', 'long', 'long']);
	const getAffinity = library.func('syscall', 'long', ['long', 'long', 'long', 'uint8_t *']);
	const ioctl = library.func('ioctl', 'int', ['int', 'ulong', 'uint8_t *']);
	const mmap = library.func('mmap', 'void *', ['uintptr_t', 'size_t', 'int', 'int', 'int', 'long']) as (...args: unknown[]) => unknown;
	const munmap = library.func('munmap', 'int', ['void *', 'size_t']);
	const close = library.func('close', 'int', ['int']);
	const period = new Uint8Array(8);
	return {
		open(id, options) {
			const [tid, cpu] = options.ofCpu ? [-1, id] : [id, -1];
			const fd = syscall(openCall, eventAttributes(options), tid, cpu, -1, closeOnExec);
			return fd < 0 ? {errno: koffi.errno()} : {fd};
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
		unmap({address, memory}) {
			munmap(address, memory.byteLength);
		},
		close(fd) {
			close(fd);
		},
	};
}
