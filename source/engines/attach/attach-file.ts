import {
	closeSync, constants, fchmodSync, fchownSync, fstatSync, lstatSync, openSync, readlinkSync, unlinkSync, writeSync,
} from 'node:fs';
import process from 'node:process';
import {errorCode, readBytes} from '../../target/proc.js';
import type {Target} from '../../target/target.js';

/** The most patient client, the JDK's own, waits for ten seconds and takes its file away (sun.tools.attach.attachTimeout); an older file was left behind. */
const longestUseMs = 12_000;

/** A mark is shorter: three words of ours and two ids of the kernel's. */
const maxMarkBytes = 256;

export type AttachFile =
	/** Made for this handshake; `remove` must follow, and takes away this file only. */
	| {readonly state: 'ours'; remove(): void}
	/** Another client is attaching. */
	| {readonly state: 'theirs'; readonly path: string}
	| {readonly state: 'impossible'; readonly code: string};

/**
Makes the file that tells HotSpot that a SIGQUIT asks for its attach listener: in the target's working directory or, where that cannot be written, in its /tmp (attachListener_linux.cpp). Never
throws. Only one client may be at it: the signal of a second one would find the listener at work, and then the target prints a thread dump to its own output.
*/
export function createAttachFile(target: Target): AttachFile {
	const name = `.attach_pid${target.nsPid}`;
	const directories = [`/proc/${target.pid}/cwd`, `/proc/${target.pid}/root/tmp`];
	const theirs = directories.map(directory => `${directory}/${name}`).find(path => isInUse(path, target));
	if (theirs) {
		return {state: 'theirs', path: theirs};
	}

	const [inCwd, inTmp] = directories.map(directory => () => createIn(directory, name, target));
	const first = inCwd();
	return first.state === 'impossible' ? inTmp() : first;
}

/** Makes the file and gives it to the target's effective user and group: JDK 8 ignores any other's, and prints a thread dump instead. */
function createIn(directory: string, name: string, target: Target): AttachFile {
	let directoryFd: number;
	try {
		// The open directory stays reachable when the target ends, and with it the file that must not be left behind.
		directoryFd = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY);
	} catch (error) {
		return {state: 'impossible', code: errorCode(error)};
	}

	const path = `/proc/self/fd/${directoryFd}/${name}`;
	let inode: bigint | undefined;
	const remove = () => {
		if (inode !== undefined) {
			tryUnlink(path, inode);
		}

		closeSync(directoryFd);
	};

	try {
		const fd = openExclusive(path, target);
		try {
			inode = fstatSync(fd, {bigint: true}).ino;
			fchmodSync(fd, 0o600);
			if (process.geteuid!() !== target.uid || process.getegid!() !== target.gid) {
				fchownSync(fd, target.uid, target.gid);
			}

			tryMark(fd);
		} finally {
			closeSync(fd);
		}

		return {state: 'ours', remove};
	} catch (error) {
		remove();
		const code = errorCode(error);
		return code === 'EEXIST' ? {state: 'theirs', path: `${directory}/${name}`} : {state: 'impossible', code};
	}
}

/** Whether a client that may be alive made the file: one that HotSpot would take (the target's own user's or root's), neither old nor marked by one of us that is gone. */
function isInUse(path: string, target: Target): boolean {
	try {
		const found = lstatSync(path);
		return found.isFile() && (found.uid === target.uid || found.uid === 0) && Math.abs(Date.now() - found.mtimeMs) < longestUseMs && !isMakerGone(path);
	} catch {
		return false;
	}
}

/** Descriptor of the fresh file; throws EEXIST when one in use has the name. What was left behind is replaced, once. */
function openExclusive(path: string, target: Target): number {
	const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW;
	try {
		return openSync(path, flags, 0o600);
	} catch (error) {
		if (errorCode(error) !== 'EEXIST' || isInUse(path, target)) {
			throw error;
		}
	}

	unlinkSync(path);
	return openSync(path, flags, 0o600);
}

/** Where our process id has its meaning: this boot of this host, and the pid namespace. */
function world(): string {
	const boot = readBytes('/proc/sys/kernel/random/boot_id', maxMarkBytes);
	return `${'bytes' in boot ? boot.bytes.toString('latin1').trim() : '?'} ${readlinkSync('/proc/self/ns/pid')}`;
}

/** Says in the file who made it, for others of us to know when that one was killed; HotSpot looks at the file's name and owner alone. A full disk is no obstacle. */
function tryMark(fd: number): void {
	try {
		writeSync(fd, `tprof-top ${process.pid} ${world()}\n`);
	} catch {
		// Without a mark its age must tell.
	}
}

function isMakerGone(path: string): boolean {
	const read = readBytes(path, maxMarkBytes);
	const [, pid, where] = /^tprof-top ([1-9]\d{0,9}) (.+)\n$/.exec('bytes' in read ? read.bytes.toString('latin1') : '') ?? [];
	try {
		if (pid && where === world()) {
			process.kill(Number(pid), 0);
		}

		return false;
	} catch (error) {
		return errorCode(error) === 'ESRCH';
	}
}

function tryUnlink(path: string, inode: bigint): void {
	try {
		if (lstatSync(path, {bigint: true}).ino === inode) {
			unlinkSync(path);
		}
	} catch {
		// Gone already, and that is what was wanted.
	}
}
