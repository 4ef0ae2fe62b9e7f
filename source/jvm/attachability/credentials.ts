import process from 'node:process';
import {loadLibc} from '../system/koffi.js';
import {readProc} from '../system/proc.js';

export type Owner = {readonly uid: number; readonly gid: number};

/** System call numbers by architecture (asm/unistd_64.h, asm-generic/unistd.h). */
const callNumbersOf: Readonly<Record<string, Record<'setresuid' | 'setresgid' | 'setgroups', number>>> = {
	x64: {setresuid: 117, setresgid: 119, setgroups: 116},
	arm64: {setresuid: 147, setresgid: 149, setgroups: 159},
};

const unchanged = -1;

/** Loads the raw system calls, as the C library's functions would change every thread; false if unavailable. */
function loadCalls() {
	const libc = loadLibc();
	const callNumbers = callNumbersOf[process.arch];
	if (!libc || !callNumbers) {
		return false;
	}

	const syscall = libc.func('long syscall(long number, long real, long effective, long saved)');
	const syscallWithList = libc.func('long syscall(long number, long count, uint32_t *list)');
	return {
		setEffective: (which: 'setresuid' | 'setresgid', id: number) =>
			syscall(callNumbers[which], unchanged, id, unchanged),
		setGroups: (groups: readonly number[]) =>
			syscallWithList(callNumbers.setgroups, groups.length, Uint32Array.from(groups)),
	};
}

let calls: ReturnType<typeof loadCalls> | undefined;

/** CAP_SYS_PTRACE is bit 19 of CapEff (capabilities(7)). */
const capabilityPtrace = 1n << 19n;

/** Whether this process may inspect all others in its user namespace; root in a container usually may not. */
export function hasPtraceCapability(): boolean {
	const effective = /^CapEff:\s*([\da-f]+)/m.exec(readProc(process.pid, 'status') ?? '')?.[1];
	return (BigInt(`0x${effective ?? '0'}`) & capabilityPtrace) !== 0n;
}

/** Whether `asOwner` works: we are root, and the raw system calls are available. */
export function canActAs(): boolean {
	calls ??= process.geteuid?.() === 0 && loadCalls();
	return calls !== false;
}

/** Whether an owner is another user or group than ours. */
export function isForeign({uid, gid}: Owner): boolean {
	return process.geteuid!() !== uid || process.getegid!() !== gid;
}

/** Returns how to act as an owner. `mustChown`: we cannot, so files must be given to the owner afterwards. */
export function rightsOf(owner: Owner): {readonly mustChown: boolean; act<T>(action: () => T): T} {
	const mayAct = isForeign(owner) && canActAs();
	return {act: action => mayAct ? asOwner(owner, action) : action(), mustChown: isForeign(owner) && !mayAct};
}

/**
Runs synchronous code with the effective user and group of `owner` and no other groups, then restores our own. Only this
thread is affected: Linux keeps credentials per thread (credentials(7)). JDK 8 requires it: it compares the user and
group at the other end of its socket, as they were at connect, with its own. Throws if the owner's cannot be assumed;
aborts the process if our own cannot be restored, because nothing may continue in that state.
*/
export function asOwner<T>(owner: Owner, action: () => T): T {
	if (!canActAs() || !calls) {
		throw new Error('cannot act as another user here');
	}

	const own = {uid: process.geteuid!(), gid: process.getegid!(), groups: process.getgroups!()};
	try {
		// Groups first: without root's privileges they could no longer be changed. Restored in the opposite order.
		if (calls.setGroups([]) !== 0) {
			throw new Error('cannot leave our own groups');
		}

		if (calls.setEffective('setresgid', owner.gid) !== 0) {
			throw new Error(`cannot take group ${owner.gid}`);
		}

		if (calls.setEffective('setresuid', owner.uid) !== 0) {
			throw new Error(`cannot take user ${owner.uid}`);
		}

		return action();
	} finally {
		const user = calls.setEffective('setresuid', own.uid);
		const group = calls.setEffective('setresgid', own.gid);
		// The call may fail if the groups were never dropped.
		const hasGroups = calls.setGroups(own.groups) === 0 || process.getgroups!().length === own.groups.length;
		if (user !== 0 || group !== 0 || !hasGroups) {
			process.abort();
		}
	}
}
