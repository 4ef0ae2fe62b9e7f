import {
	closeSync, constants, fchmodSync, fchownSync, lstatSync, openSync, unlinkSync,
} from 'node:fs';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {lookAtSocket} from '../../target/attach-socket.js';
import {errorCode, isAlive} from '../../target/proc.js';
import {quitHazard, sendQuit} from '../../target/signal.js';
import type {Target} from '../../target/target.js';

/** The listener answers within 1 to 10 ms; the first look comes early, later ones with more patience. */
const firstPollMs = 1;
const longestPollMs = 50;
/** An attach file this old was left behind by a client that died; a living one needs it for milliseconds. */
const staleFileMs = 60_000;
/** Above this the target hung or has no use for the signal: the attach file is taken away again. */
export const handshakeTimeoutMs = 5000;

export type Handshake =
	| {readonly ok: true}
	| {readonly ok: false; readonly reason: string; readonly hint: string; readonly ended: boolean; /** The target got a SIGQUIT. */ readonly signalled: boolean};

/**
Makes HotSpot start its attach listener (attachListener_linux.cpp): an attach file in the target's working directory or its /tmp, then SIGQUIT, then its socket appears.
`deadline` is a `performance.now()`. Never throws; the attach file is gone when it returns.
*/
export async function wakeListener(target: Target, options: {deadline: number; signal?: AbortSignal}): Promise<Handshake> {
	const before = quitHazard(target);
	if (before) {
		return {ok: false, signalled: false, ...before};
	}

	const old = lookAtSocket(target);
	const file = createAttachFile(target);
	if (!file.ok) {
		return {
			ok: false, signalled: false, ended: !isAlive(target),
			reason: `no attach file can be made in the working directory or /tmp of JVM ${target.pid} (${file.code})`,
			hint: file.code === 'EACCES' || file.code === 'EPERM' ? 'run tprof-top as the same user as the JVM, or as root' : 'one of the two must be writable',
		};
	}

	try {
		const hazard = sendQuit(target);
		if (hazard) {
			return {ok: false, signalled: false, ...hazard};
		}

		const identity = old.state === 'present' ? old.identity : '';
		return await waitForSocket(target, identity, options);
	} finally {
		file.remove();
	}
}

async function waitForSocket(target: Target, oldIdentity: string, {deadline, signal}: {deadline: number; signal?: AbortSignal}): Promise<Handshake> {
	for (let pollMs = firstPollMs; ; pollMs = Math.min(pollMs * 1.5, longestPollMs)) {
		await sleep(pollMs);
		const now = lookAtSocket(target);
		if (now.state === 'present' && now.identity !== oldIdentity) {
			return {ok: true};
		}

		const ended = !isAlive(target);
		const isOver = ended || (signal?.aborted ?? false) || performance.now() >= deadline;
		if (isOver) {
			return {
				ok: false, signalled: true, ended,
				reason: ended ? `the JVM ${target.pid} has ended` : `the JVM ${target.pid} did not open its attach socket in time`,
				hint: ended ? '' : 'it may be very busy, its /tmp may not be writable, or attaching may be disabled',
			};
		}
	}
}

type AttachFile = {readonly ok: true; remove(): void} | {readonly ok: false; readonly code: string};

function createAttachFile(target: Target): AttachFile {
	const name = `.attach_pid${target.nsPid}`;
	const inCwd = createIn(`/proc/${target.pid}/cwd`, name, target);
	return inCwd.ok ? inCwd : createIn(`/proc/${target.pid}/root/tmp`, name, target);
}

/** Makes the empty file and gives it to the target's effective user and group: JDK 8 ignores any other's, and prints a thread dump instead. */
function createIn(directory: string, name: string, target: Target): AttachFile {
	let directoryFd: number;
	try {
		// The open directory stays reachable when the target ends, and with it the file that must not be left behind.
		directoryFd = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY);
	} catch (error) {
		return {ok: false, code: errorCode(error)};
	}

	const path = `/proc/self/fd/${directoryFd}/${name}`;
	const close = (remove: boolean) => {
		if (remove) {
			tryUnlink(path);
		}

		closeSync(directoryFd);
	};

	let created = false;
	try {
		const fd = openExclusive(path, target);
		if (fd === undefined) {
			// Another client is at this very moment attaching with a file of its own: it serves both.
			close(false);
			return {ok: true, remove() {/* It is not ours. */}};
		}

		created = true;
		try {
			fchmodSync(fd, 0o600);
			if (process.geteuid!() !== target.uid || process.getegid!() !== target.gid) {
				fchownSync(fd, target.uid, target.gid);
			}
		} finally {
			closeSync(fd);
		}

		return {
			ok: true,
			remove() {
				close(true);
			},
		};
	} catch (error) {
		close(created);
		return {ok: false, code: errorCode(error)};
	}
}

/** Descriptor of the fresh file; undefined when a file that serves is there already. A stale one is replaced, once. */
function openExclusive(path: string, target: Target): number | undefined {
	const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW;
	try {
		return openSync(path, flags, 0o600);
	} catch (error) {
		if (errorCode(error) !== 'EEXIST') {
			throw error;
		}
	}

	const found = lstatSync(path);
	if (found.isFile() && found.uid === target.uid && Date.now() - found.mtimeMs < staleFileMs) {
		return undefined;
	}

	unlinkSync(path);
	return openSync(path, flags, 0o600);
}

function tryUnlink(path: string): void {
	try {
		unlinkSync(path);
	} catch {
		// Gone already, and that is what was wanted.
	}
}
