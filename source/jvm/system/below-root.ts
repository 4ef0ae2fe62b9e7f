/*
Resolves paths as a target itself would. A path below /proc/PID/root is not safe: the kernel follows an absolute
symbolic link, or ".." in a chroot, from our own root. So this walks the path folder by folder and reads the links
itself, with O_PATH descriptors, which have no effect on pipes and devices.
*/
import {closeSync, constants, fstatSync, openSync, readlinkSync, statSync} from 'node:fs';
import {attempt, closing, errorCode, readOpen, readProc} from './proc.js';

/** Linux asm-generic/fcntl.h; Node has no constant for it. */
const openPath = 0o1000_0000;
/** The kernel's own limit in one path (MAXSYMLINKS). */
const maxLinks = 40;

/** Returns a path to the file of an open descriptor, which works even after the file was renamed or removed. */
export function pathOf(fd: number): string {
	return `/proc/self/fd/${fd}`;
}

/**
Opens a path as a process sees it, with O_PATH, and never anything outside the process's root folder. The caller closes
the descriptor. `last`: whether a symbolic link at the path's end is followed or opened itself. Throws the system's
error.
*/
export function openBelowRoot(pid: number, path: string, last: 'follow' | 'as-is' = 'follow'): number {
	// Descriptors from the root to where we are.
	const folders = [openRoot(pid)];
	const names = namesOf(path);
	let links = 0;
	try {
		for (let name = names.shift(); name !== undefined; name = names.shift()) {
			if (name === '..') {
				if (folders.length > 1) {
					closeSync(folders.pop()!);
				}

				continue;
			}

			const at = `${pathOf(folders.at(-1)!)}/${name}`;
			const fd = openSync(at, openPath | constants.O_NOFOLLOW);
			folders.push(fd);
			if (!fstatSync(fd).isSymbolicLink() || (names.length === 0 && last === 'as-is')) {
				continue;
			}

			closeSync(folders.pop()!);
			if (++links > maxLinks) {
				throw Object.assign(new Error('too many symbolic links'), {code: 'ELOOP'});
			}

			const text = readlinkSync(at);
			names.unshift(...namesOf(text));
			while (text.startsWith('/') && folders.length > 1) {
				closeSync(folders.pop()!);
			}
		}

		return folders.pop()!;
	} finally {
		for (const fd of folders) {
			closeSync(fd);
		}
	}
}

/**
Opens a process's root folder. Its link is closed to us if the process has more capabilities than we have (ptrace(2));
then our own root serves if it is the same.
*/
function openRoot(pid: number): number {
	try {
		return openSync(`/proc/${pid}/root`, openPath | constants.O_DIRECTORY);
	} catch (error) {
		if (errorCode(error) !== 'EACCES' || !hasOurRoot(pid)) {
			throw error;
		}

		return openSync('/', openPath | constants.O_DIRECTORY);
	}
}

/** The line of the mount at the root, which is absent if the root is another folder of a mount (chroot). */
const rootMount = /^\d+ \d+ \S+ \S+ \/ /m;

/** Whether a process has our mounts and root: mountinfo (proc(5)) has unique numbers, and paths from the root. */
function hasOurRoot(pid: number): boolean {
	const ours = readProc('self', 'mountinfo') ?? '';
	return rootMount.test(ours) && readProc(pid, 'mountinfo') === ours;
}

function namesOf(path: string): string[] {
	return path.split('/').filter(name => name !== '' && name !== '.');
}

/** Returns a process's working directory as a path below its own root. Throws the system's error; EXDEV if outside. */
export function workingFolder(pid: number): string {
	const root = readlinkSync(`/proc/${pid}/root`);
	const folder = readlinkSync(`/proc/${pid}/cwd`);
	if (root === '/' || folder === root || folder.startsWith(`${root}/`)) {
		return root === '/' ? folder : `${folder.slice(root.length)}/`;
	}

	throw notBelow();
}

/**
Opens a process's working directory with O_PATH; the caller closes the descriptor. Throws the system's error; EXDEV if
the directory is not below the process's own root.
*/
export function openWorkingFolder(pid: number): number {
	const fd = openBelowRoot(pid, workingFolder(pid));
	const [found, real] = [fstatSync(fd), statSync(`/proc/${pid}/cwd`)];
	if (found.dev === real.dev && found.ino === real.ino) {
		return fd;
	}

	closeSync(fd);
	throw notBelow();
}

function notBelow(): Error {
	return Object.assign(new Error('not below the root folder of the process'), {code: 'EXDEV'});
}

/** Opens a regular file for reading as a process sees its path. Throws the system's error; EINVAL if not regular. */
export function openFileBelowRoot(pid: number, path: string): number {
	return reopened(openBelowRoot(pid, path));
}

/** Reads at most `maxBytes` of a regular file as a process sees its path; undefined if unreadable. */
export function readTextBelowRoot(pid: number, path: string, maxBytes: number): string | undefined {
	const read = attempt(() => readOpen(openFileBelowRoot(pid, path), maxBytes), undefined);
	return read && 'bytes' in read ? read.bytes.toString('utf8') : undefined;
}

/** Opens a regular file by a path of our own. `last`: as for `openBelowRoot`, but with 'as-is' a link is an error. */
export function openFile(path: string, last: 'follow' | 'as-is' = 'follow'): number {
	return reopened(openSync(path, openPath | (last === 'follow' ? 0 : constants.O_NOFOLLOW)));
}

/** Opens a subfolder, not a symbolic link, of an open folder with O_PATH; the caller closes the descriptor. */
export function openFolderIn(folder: number, name: string): number {
	return openSync(`${pathOf(folder)}/${name}`, openPath | constants.O_DIRECTORY | constants.O_NOFOLLOW);
}

/**
Opens a file for reading by its O_PATH descriptor, which it closes. Throws if the file is not regular: opening a pipe
may block, and opening a device may have effects.
*/
function reopened(fd: number): number {
	return closing(fd, () => {
		if (!fstatSync(fd).isFile()) {
			throw Object.assign(new Error('not a regular file'), {code: 'EINVAL'});
		}

		return openSync(pathOf(fd), constants.O_RDONLY | constants.O_NONBLOCK);
	});
}

/** Whether a path below a process's root exists and may be opened. */
export function isBelowRoot(pid: number, path: string): boolean {
	return attempt(() => closing(openBelowRoot(pid, path), () => true), false);
}
