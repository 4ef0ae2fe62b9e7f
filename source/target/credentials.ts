import {createRequire} from 'node:module';
import process from 'node:process';
import {readProc} from './proc.js';

/** User and group to act as. */
export type Owner = {readonly uid: number; readonly gid: number};

/** System call numbers of setresuid and setresgid (Linux: asm/unistd_64.h, asm-generic/unistd.h). */
const callNumbers: Partial<Record<NodeJS.Architecture, {setresuid: number; setresgid: number}>> = {
	x64: {setresuid: 117, setresgid: 119},
	arm64: {setresuid: 147, setresgid: 149},
};

const unchanged = -1;

type Calls = {setEffective(which: 'setresuid' | 'setresgid', id: number): number};

let calls: Calls | undefined | false;

/** The raw system calls; the C library's own functions would change every thread of the process. False when they cannot be had. */
function loadCalls(): Calls | false {
	const numbers = callNumbers[process.arch];
	if (!numbers) {
		return false;
	}

	try {
		const koffi = createRequire(import.meta.url)('koffi') as {load(name: string): {func(prototype: string): (...args: number[]) => number}};
		const syscall = koffi.load('libc.so.6').func('long syscall(long number, long real, long effective, long saved)');
		return {setEffective: (which, id) => syscall(numbers[which], unchanged, id, unchanged)};
	} catch {
		return false;
	}
}

/** CAP_SYS_PTRACE is bit 19 of CapEff (capabilities(7)). */
const capabilityPtrace = 1n << 19n;

/** Whether this process may look into any other of its user namespace; root in a container usually may not. */
export function hasPtraceCapability(): boolean {
	const effective = /^CapEff:\s*([\da-f]+)/m.exec(readProc(process.pid, 'status') ?? '')?.[1];
	return (BigInt(`0x${effective ?? '0'}`) & capabilityPtrace) !== 0n;
}

/** Whether `asOwner` can work here: as root, with the raw system calls at hand. */
export function canActAs(): boolean {
	calls ??= process.geteuid?.() === 0 && loadCalls();
	return calls !== false;
}

/**
Runs synchronous code with the effective user and group of `owner`, in this thread alone (Linux keeps credentials for each thread, credentials(7)), and takes our own back.
JDK 8 compares the peer's user and group with its own, and a socket's peer credentials are those at connect.
Throws when the owner's cannot be taken, or, a state in which nothing may go on, our own not taken back.
*/
export function asOwner<T>(owner: Owner, action: () => T): T {
	if (!canActAs() || !calls) {
		throw new Error('cannot act as another user here');
	}

	const own = {uid: process.geteuid!(), gid: process.getegid!()};
	// The group first: without root's rights it could not be changed any more; and the other way round on the way back.
	if (calls.setEffective('setresgid', owner.gid) !== 0) {
		throw new Error(`cannot take group ${owner.gid}`);
	}

	try {
		if (calls.setEffective('setresuid', owner.uid) !== 0) {
			throw new Error(`cannot take user ${owner.uid}`);
		}

		return action();
	} finally {
		const user = calls.setEffective('setresuid', own.uid);
		const group = calls.setEffective('setresgid', own.gid);
		if (user !== 0 || group !== 0) {
			process.abort();
		}
	}
}
