import {
	closeSync, constants, fchmodSync, fchownSync, fstatSync, lstatSync, openSync, readlinkSync, unlinkSync, writeSync,
} from 'node:fs';
import process from 'node:process';
import {
	openBelowRoot, openFile, openWorkingFolder, pathOf,
} from '../../../jvm/system/below-root.js';
import {asOwner, canActAs} from '../../../jvm/attachability/credentials.js';
import {throwIfOutOfFiles} from '../../../jvm/system/open-files.js';
import {errorCode, readBytes, readOpen} from '../../../jvm/system/proc.js';
import type {Target} from '../../../jvm/target.js';

/**
The most patient client, the JDK's own, waits ten seconds and then removes its file (sun.tools.attach.attachTimeout): an
older file was left behind.
*/
const longestUseMs = 12_000;

/** Our marks are shorter: three words and two kernel ids. */
const maxMarkBytes = 256;

export type AttachFile =
	/** Made for this handshake; `remove` must be called later, and removes only this file. */
	| {readonly state: 'ours'; remove(): void}
	/** Another client is attaching. */
	| {readonly state: 'theirs'; readonly path: string}
	| {readonly state: 'impossible'; readonly code: string};

/**
A folder that HotSpot looks in, held open: it stays reachable when the target ends, and so does the file that must not
be left behind.
*/
type Folder = {readonly fd: number; /** For people to read. */ readonly shown: string};

/**
Makes the file that tells HotSpot that a SIGQUIT asks for its attach listener: in the target's working directory or,
where that is not writable, in its /tmp (attachListener_linux.cpp). Both are looked up below the target's own root, and
nothing is written that the target itself may not write. Throws only when no more files can be opened. Only one client
may do this at a time: a second one's signal would find the listener already at work, and the target would print a
thread dump to its own output.
*/
export function createAttachFile(target: Target): AttachFile {
	const name = `.attach_pid${target.nsPid}`;
	const folders: Folder[] = [];
	let code = 'ENOENT';
	let kept: Folder | undefined;
	for (const [open, shown] of [[() => openWorkingFolder(target.pid), 'cwd'], [() => openBelowRoot(target.pid, '/tmp'), 'root/tmp']] as const) {
		try {
			folders.push({fd: open(), shown: `/proc/${target.pid}/${shown}`});
		} catch (error) {
			throwIfOutOfFiles(error);
			code = errorCode(error);
		}
	}

	try {
		const theirs = folders.find(folder => isInUse(folder.fd, name, target));
		if (theirs) {
			return {state: 'theirs', path: `${theirs.shown}/${name}`};
		}

		for (const folder of writable(folders, target)) {
			const made = createIn(folder, name, target);
			if (made.state === 'ours') {
				kept = folder;
			}

			if (made.state !== 'impossible') {
				return made;
			}

			({code} = made);
		}

		return {state: 'impossible', code};
	} finally {
		for (const folder of folders.filter(each => each !== kept)) {
			closeSync(folder.fd);
		}
	}
}

/** Root that cannot act as the target's user makes its file only in /tmp, which everyone may write to. */
function writable(folders: readonly Folder[], target: Target): readonly Folder[] {
	return isForeign(target) && process.geteuid!() === 0 && !canActAs() ? folders.filter(({shown}) => shown.endsWith('/root/tmp')) : folders;
}

function isForeign({uid, gid}: Target): boolean {
	return process.geteuid!() !== uid || process.getegid!() !== gid;
}

/**
Makes the file with the target's effective user and group: JDK 8 ignores a file of anyone else, and prints a thread dump
instead.
*/
function createIn({fd: folder, shown}: Folder, name: string, target: Target): AttachFile {
	const path = `${pathOf(folder)}/${name}`;
	let inode: bigint | undefined;
	const remove = () => {
		if (inode !== undefined) {
			tryUnlink(path, inode);
		}
	};

	try {
		const fd = openExclusive(folder, name, target);
		try {
			inode = fstatSync(fd, {bigint: true}).ino;
			fchmodSync(fd, 0o600);
			if (isForeign(target) && !canActAs()) {
				fchownSync(fd, target.uid, target.gid);
			}

			tryMark(fd);
		} finally {
			closeSync(fd);
		}

		return {
			state: 'ours',
			remove() {
				remove();
				closeSync(folder);
			},
		};
	} catch (error) {
		remove();
		const code = errorCode(error);
		return code === 'EEXIST' ? {state: 'theirs', path: `${shown}/${name}`} : {state: 'impossible', code};
	}
}

/**
Whether a client that may still be alive made the file: one that HotSpot would take (the target's own user's or root's),
and neither old nor marked by a tprof-top that is gone.
*/
function isInUse(folder: number, name: string, target: Target): boolean {
	const path = `${pathOf(folder)}/${name}`;
	try {
		const found = lstatSync(path);
		return found.isFile() && (found.uid === target.uid || found.uid === 0) && Math.abs(Date.now() - found.mtimeMs) < longestUseMs && !isMakerGone(path);
	} catch {
		return false;
	}
}

/**
Descriptor of the fresh file; throws EEXIST when a file in use has the name. One that was left behind is replaced, once.
*/
function openExclusive(folder: number, name: string, target: Target): number {
	const path = `${pathOf(folder)}/${name}`;
	const make = () => openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW, 0o600);
	const open = () => isForeign(target) && canActAs() ? asOwner(target, make) : make();
	try {
		return open();
	} catch (error) {
		if (errorCode(error) !== 'EEXIST' || isInUse(folder, name, target)) {
			throw error;
		}
	}

	unlinkSync(path);
	return open();
}

/** Where our process id has a meaning: this boot of this host, and the pid namespace. */
function world(): string {
	const boot = readBytes('/proc/sys/kernel/random/boot_id', maxMarkBytes);
	return `${'bytes' in boot ? boot.bytes.toString('latin1').trim() : '?'} ${readlinkSync('/proc/self/ns/pid')}`;
}

/**
Says in the file who made it, so that other tprof-tops can tell when it was killed; HotSpot looks at the file's name and
owner alone. A full disk does not matter.
*/
function tryMark(fd: number): void {
	try {
		writeSync(fd, `tprof-top ${process.pid} ${world()}\n`);
	} catch {
		// Without a mark, only its age tells.
	}
}

function isMakerGone(path: string): boolean {
	const read = readOpen(openFile(path, 'as-is'), maxMarkBytes);
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
		// Already gone, which is what we want.
	}
}
