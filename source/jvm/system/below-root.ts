/*
Files of a target, looked up as the target itself would find them. A path below /proc/PID/root is not safe as it is: the
kernel follows an absolute symbolic link, or ".." in a chroot, from our own root. So a path is walked here, folder by
folder, and we read the links ourselves. O_PATH descriptors open nothing: no pipe blocks, no device acts.
*/
import {
	closeSync, constants, fstatSync, openSync, readlinkSync, statSync,
} from 'node:fs';

/** Linux asm-generic/fcntl.h; Node has no constant for it. */
const openPath = 0o1000_0000;
/** As many as the kernel follows in one path (MAXSYMLINKS). */
const maxLinks = 40;

/** A path to the file of an open descriptor; it works even after the file was renamed or removed. */
export function pathOf(fd: number): string {
	return `/proc/self/fd/${fd}`;
}

/**
An O_PATH descriptor of what a path means to a process, which the caller closes; never of anything outside the process's
root folder. `last`: whether a symbolic link at the path's end is followed. Throws the system's error.
*/
export function openBelowRoot(pid: number, path: string, last: 'follow' | 'as-is' = 'follow'): number {
	const folders = [openSync(`/proc/${pid}/root`, openPath | constants.O_DIRECTORY)];
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

function namesOf(path: string): string[] {
	return path.split('/').filter(name => name !== '' && name !== '.');
}

/** A process's working directory as a path below its own root. Throws the system's error, EXDEV if it lies elsewhere. */
export function workingFolder(pid: number): string {
	const root = readlinkSync(`/proc/${pid}/root`);
	const folder = readlinkSync(`/proc/${pid}/cwd`);
	if (root === '/' || folder === root || folder.startsWith(`${root}/`)) {
		return root === '/' ? folder : `${folder.slice(root.length)}/`;
	}

	throw notBelow();
}

/**
An O_PATH descriptor of a process's working directory, which the caller closes. Throws the system's error, EXDEV if it
is not below the process's own root.
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

/** A descriptor for reading the regular file that a path means to a process. Throws the system's error, EINVAL for others. */
export function openFileBelowRoot(pid: number, path: string): number {
	return reopened(openBelowRoot(pid, path));
}

/** The same for a path of our own file system; `follow`: whether a symbolic link at its end is followed. */
export function openFile(path: string, last: 'follow' | 'as-is' = 'follow'): number {
	return reopened(openSync(path, openPath | (last === 'follow' ? 0 : constants.O_NOFOLLOW)));
}

/** An O_PATH descriptor of a folder, not a symbolic link, in an open folder; the caller closes it. */
export function openFolderIn(folder: number, name: string): number {
	return openSync(`${pathOf(folder)}/${name}`, openPath | constants.O_DIRECTORY | constants.O_NOFOLLOW);
}

/**
Opens a regular file for reading by its O_PATH descriptor, which is closed. Its type is checked before it is opened:
opening a pipe blocks, and opening a device may do things.
*/
function reopened(fd: number): number {
	try {
		if (!fstatSync(fd).isFile()) {
			throw Object.assign(new Error('not a regular file'), {code: 'EINVAL'});
		}

		return openSync(pathOf(fd), constants.O_RDONLY | constants.O_NONBLOCK);
	} finally {
		closeSync(fd);
	}
}

/** Whether there is something at a path below a process's root that we may open. */
export function isBelowRoot(pid: number, path: string): boolean {
	try {
		closeSync(openBelowRoot(pid, path));
		return true;
	} catch {
		return false;
	}
}
