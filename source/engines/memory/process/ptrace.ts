import {loadKoffi} from '../../../jvm/system/koffi.js';
import {type Priority, priorityBy} from './priority.js';

/** Requests of ptrace(2) (Linux include/uapi/linux/ptrace.h). */
const request = {
	getRegisters: 12, detach: 17, seize: 0x42_06, interrupt: 0x42_07,
} as const;

/** Options of waitpid(2): do not block; threads of any kind. */
const waitOptions = 1 | 0x40_00_00_00;

/**
What the terminal sends to a process of the background that reads it, writes to it or sets its modes (signal(7)), and
what makes nothing of it.
*/
const terminalStops = {SIGTTIN: 21, SIGTTOU: 22} as const;
const ignoreSignal = 1;

/** prctl(2): how late timers of this thread may fire, nanoseconds. */
const setTimerSlack = 29;

/** errno values of Linux on x86-64. */
export const errno = {EPERM: 1, ESRCH: 3, ECHILD: 10} as const;

/**
The few calls that stop a thread of another process and let it go, and get us a CPU meanwhile. All must be made from one
and the same thread, which becomes the tracer.
*/
export type Ptrace = Priority & {
	/** Become the tracer of a thread without stopping it: 0 or an errno. */
	seize(tid: number): number;
	/** Stop a seized thread: 0 or an errno. */
	interrupt(tid: number): number;
	/** Registers of a stopped thread into 216 bytes: 0 or an errno. */
	registers(tid: number, into: Uint8Array): number;
	/** Let a stopped thread go on untraced, with a signal (0 for none): 0 or an errno. */
	detach(tid: number, signal: number): number;
	/** How a seized thread stands: wait status; 0 while it runs; minus an errno. */
	poll(tid: number): number;
	/** Sleep. */
	sleep(microseconds: number): void;
};

/** Binds the calls; throws where the FFI package does not load or this C library lacks a call. */
export function loadPtrace(): Ptrace {
	const koffi = loadKoffi();
	const library = koffi.load(null);
	const call = library.func('ptrace', 'long', ['long', 'int', 'intptr_t', 'intptr_t']);
	const callWithBuffer = library.func('ptrace', 'long', ['long', 'int', 'intptr_t', 'uint8_t *']);
	const waitpid = library.func('waitpid', 'int', ['int', 'int *', 'int']);
	const usleep = library.func('usleep', 'int', ['uint']);
	const prctl = library.func('prctl', 'int', ['int', 'ulong', 'ulong', 'ulong', 'ulong']);
	const signal = library.func('signal', 'intptr_t', ['int', 'intptr_t']);
	const syscall = library.func('syscall', 'long', ['long', 'long', 'uint8_t *', 'long', 'long']);
	const status = new Int32Array(1);
	const check = (result: number) => result === -1 ? koffi.errno() : 0;
	// A tracer that is stopped holds the threads it has stopped: no terminal may do that to us.
	for (const number of Object.values(terminalStops)) {
		signal(number, ignoreSignal);
	}

	// Short sleeps that are kept: the default slack of 50 microseconds would be several times what a thread is held
	// for.
	prctl(setTimerSlack, 1000, 0, 0, 0);
	return {
		...priorityBy((...args) => syscall(...args)),
		seize: tid => check(call(request.seize, tid, 0, 0)),
		interrupt: tid => check(call(request.interrupt, tid, 0, 0)),
		registers: (tid, into) => check(callWithBuffer(request.getRegisters, tid, 0, into)),
		detach: (tid, signal) => check(call(request.detach, tid, 0, signal)),
		poll(tid) {
			const result = waitpid(tid, status, waitOptions);
			return result === -1 ? -koffi.errno() : (result === 0 ? 0 : status[0]);
		},
		sleep(microseconds) {
			usleep(microseconds);
		},
	};
}
