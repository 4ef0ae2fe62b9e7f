import {constants} from 'node:os';
import {loadKoffi} from '../../../../jvm/system/koffi.js';
import {fromNames, namesOf} from '../../../../model/column-types.js';
import {type Registers} from '../../arch/architecture.js';
import {addressAt} from '../../target/memory.js';
import {ownArchitecture} from '../../target/own-architecture.js';

/** Requests (include/uapi/linux/ptrace.h). */
const request = {detach: 17, getRegisters: 0x42_04, seize: 0x42_06, interrupt: 0x42_07} as const;

/** NT_PRSTATUS (elf.h): the general registers. */
const generalRegisters = 1;

const {offsets: registerOffsets} = ownArchitecture.stoppedRegisters;
export const registersBytes = ownArchitecture.stoppedRegisters.bytes;

/** Decodes what `Ptrace.registers` has copied. */
export function decodeRegisters(bytes: Uint8Array): Registers {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	return fromNames(namesOf(registerOffsets), name => addressAt(view, registerOffsets[name])) as Registers;
}

/** WNOHANG: do not block; __WALL: threads of any kind (waitpid(2)). */
const waitOptions = 1 | 0x40_00_00_00;

/** Signals that a terminal sends to a background process that uses it (signal(7)), and SIG_IGN. */
const terminalStops = [constants.signals.SIGTTIN, constants.signals.SIGTTOU];
const ignoreSignal = 1;

/** PR_SET_TIMERSLACK, nanoseconds (prctl(2)). */
const setTimerSlack = 29;

/** Stops and detaches threads of another process. All calls must be made by the same thread, which is the tracer. */
export type Ptrace = Priority & {
	/**
	Becomes the tracer of a thread without stopping it: 0 or an errno. Sets no options: without PTRACE_O_EXITKILL the
	kernel detaches all threads, which continue, when our process ends, even by SIGKILL (ptrace(2)).
	*/
	seize(tid: number): number;
	/** Stops a seized thread; returns 0 or an errno. */
	interrupt(tid: number): number;
	/** Copies a stopped thread's registers, `registersBytes`; returns 0 or an errno. */
	registers(tid: number, into: Uint8Array): number;
	/** Lets a stopped thread continue, with a signal (0: none); returns 0 or an errno. */
	detach(tid: number, signal: number): number;
	/** Returns a seized thread's wait status, 0 while it runs, or a negated errno. */
	poll(tid: number): number;
	sleepUs(microseconds: number): void;
};

/** Binds the calls; throws if the FFI package does not load or the C library lacks a call. */
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
	// memmove returns its first argument, here the address of the registers, which does not change.
	const move = library.func('memmove', 'intptr_t', ['uint8_t *', 'uint8_t *', 'size_t']);
	const registers = new Uint8Array(registersBytes);
	const vector = new BigUint64Array([BigInt(move(registers, registers, 0)), BigInt(registersBytes)]);
	const vectorBytes = new Uint8Array(vector.buffer);
	const status = new Int32Array(1);
	const check = (result: number) => result === -1 ? koffi.errno() : 0;
	// The terminal must not stop us: a stopped tracer would keep its threads stopped.
	for (const number of terminalStops) {
		signal(number, ignoreSignal);
	}

	// Makes short sleeps accurate: threads are held for much less than the default slack of 50 microseconds.
	prctl(setTimerSlack, 1000, 0, 0, 0);
	return {
		...priorityBy((...args) => syscall(...args)),
		seize: tid => check(call(request.seize, tid, 0, 0)),
		interrupt: tid => check(call(request.interrupt, tid, 0, 0)),
		registers(tid, into) {
			vector[1] = BigInt(registersBytes);
			const error = check(callWithBuffer(request.getRegisters, tid, generalRegisters, vectorBytes));
			into.set(registers);
			return error;
		},
		detach: (tid, signal) => check(call(request.detach, tid, 0, signal)),
		poll(tid) {
			const result = waitpid(tid, status, waitOptions);
			return result === -1 ? -koffi.errno() : (result === 0 ? 0 : status[0]);
		},
		sleepUs(microseconds) {
			usleep(microseconds);
		},
	};
}

/** sched_setattr(2); glibc wraps these calls only since 2.41. */
const {schedSetAttributes: setAttributes, schedGetAttributes: getAttributes} = ownArchitecture.callNumbers;

/** The first version of struct sched_attr (include/uapi/linux/sched/types.h). */
const attributesBytes = 48;
const at = {size: 0, policy: 4, priority: 20} as const;

/** Real-time scheduling policies, which preempt all ordinary threads (sched(7)). */
const policy = {FIFO: 1, RR: 2, DEADLINE: 6} as const;

type Priority = {
	/** False if not permitted (CAP_SYS_NICE, or RLIMIT_RTPRIO). */
	raisePriority(): boolean;
	/** Restores the priority from before `raisePriority`. */
	restorePriority(): void;
};

/** Gives the calling thread priority over ordinary ones. `syscall`: syscall(2), which returns 0 on success. */
type SystemCall = (
	number: number,
	thread: number,
	attributes: Uint8Array,
	sizeOrFlags: number,
	flags: number,
) => number;

function priorityBy(syscall: SystemCall): Priority {
	const own = new Uint8Array(attributesBytes);
	const raised = new Uint8Array(attributesBytes);
	const view = new DataView(raised.buffer);
	view.setUint32(at.size, attributesBytes, true);
	view.setUint32(at.policy, policy.RR, true);
	view.setUint32(at.priority, 1, true);
	let isRaised = false;
	let isForbidden = false;
	return {
		raisePriority() {
			if (isRaised || isForbidden) {
				return isRaised;
			}

			// Read it each time: the user may have changed it (renice, chrt), even to a real-time policy.
			isForbidden = syscall(getAttributes, 0, own, attributesBytes, 0) !== 0;
			const ownPolicy = new DataView(own.buffer).getUint32(at.policy, true);
			if (isForbidden || Object.values<number>(policy).includes(ownPolicy)) {
				return !isForbidden;
			}

			isRaised = syscall(setAttributes, 0, raised, 0, 0) === 0;
			isForbidden = !isRaised;
			return isRaised;
		},
		restorePriority() {
			if (isRaised) {
				syscall(setAttributes, 0, own, 0, 0);
				isRaised = false;
			}
		},
	};
}
