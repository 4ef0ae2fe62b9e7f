import {loadKoffi} from '../../../jvm/system/koffi.js';
import {wordAt} from '../decode/word.js';
import {eventAttributes, type EventOptions} from './attributes.js';

/** perf_event_open(2) on x86-64: the C library has no function for it. */
const openCall = 298;
const closeOnExec = 8;

/** PERF_EVENT_IOC_PERIOD. */
const setPeriod = 0x40_08_24_04;

/** mmap(2): PROT_READ | PROT_WRITE, MAP_SHARED, MAP_FAILED. */
const readWrite = 3;
const shared = 1;
const mapFailed = (2n ** 64n) - 1n;

/** An event that was opened, or why not: an errno. */
export type OpenedEvent = {readonly fd: number} | {readonly errno: number};

/** A ring that was mapped: its memory, which must not be touched after `unmap`; or an errno. */
export type MappedRing = {readonly memory: ArrayBuffer; readonly address: unknown} | {readonly errno: number};

/** The calls for events on the CPU clock of another process's threads, and on CPUs. */
export type PerfCalls = {
	/** An event on a thread, or on a CPU where the options say so, which begins at once. */
	open(id: number, options: EventOptions): OpenedEvent;
	/** Nanoseconds between two records, from now on. */
	setPeriod(fd: number, periodNs: number): void;
	/** What an event has counted: nanoseconds of CPU time; -1 where that cannot be read. */
	count(fd: number): number;
	mapRing(fd: number, bytes: number): MappedRing;
	unmap(ring: {readonly address: unknown; readonly memory: ArrayBuffer}): void;
	close(fd: number): void;
};

/** Binds the calls; throws where the FFI package does not load. */
export function loadPerfCalls(): PerfCalls {
	const koffi = loadKoffi();
	const library = koffi.load(null);
	const syscall = library.func('syscall', 'long', ['long', 'uint8_t *', 'long', 'long', 'long', 'long']);
	const ioctl = library.func('ioctl', 'int', ['int', 'ulong', 'uint8_t *']);
	const mmap = library.func('mmap', 'void *', ['uintptr_t', 'size_t', 'int', 'int', 'int', 'long']) as (...args: unknown[]) => unknown;
	const munmap = library.func('munmap', 'int', ['void *', 'size_t']);
	const close = library.func('close', 'int', ['int']);
	const read = library.func('read', 'long', ['int', 'uint8_t *', 'size_t']);
	const period = new Uint8Array(8);
	const counted = new Uint8Array(8);
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
		count(fd) {
			return read(fd, counted, counted.length) === counted.length ? wordAt(new DataView(counted.buffer), 0) : -1;
		},
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
