import {closeSync, constants, fchmodSync, fchownSync, fstatSync, lstatSync, openSync, unlinkSync} from 'node:fs';
import process from 'node:process';
import {safe, type Printable} from '../../util/printable.js';
import {openBelowRoot, openWorkingFolder, pathOf} from '../system/below-root.js';
import {canActAs, isForeign, rightsOf} from '../attachability/credentials.js';
import {attempt, errorCode, throwIfOutOfFiles} from '../system/proc.js';
import type {Target} from '../target.js';

/** An older file is stale: the JDK's own client removes its file after ten seconds (sun.tools.attach.attachTimeout). */
const maxUseMs = 12_000;

type AttachFile =
	/** Created for this handshake. The caller must call `remove`, which removes only this file. */
	| {readonly state: 'ours'; remove(): void}
	/** Another client is attaching. */
	| {readonly state: 'theirs'; readonly path: Printable}
	| {readonly state: 'impossible'; readonly code: Printable};

/** A folder in which HotSpot looks for the file; held open so that it stays reachable when the target ends. */
type Folder = {readonly fd: number; /** For messages. */ readonly path: Printable};

/**
Creates the file that makes HotSpot start its attach listener on SIGQUIT: in the target's working directory or, if that
is not writable, in its /tmp (attachListener_linux.cpp), both below the target's own root. Only one client may do this
at a time: a signal while the listener is starting makes the target print a thread dump. Throws only if no more files
can be opened.
*/
export function createAttachFile(target: Target): AttachFile {
	const name = safe`.attach_pid${target.nsPid}`;
	const folders: Folder[] = [];
	let code = safe`ENOENT`;
	let kept: Folder | undefined;
	const places = [
		['cwd', () => openWorkingFolder(target.pid)],
		['root/tmp', () => openBelowRoot(target.pid, '/tmp')],
	] as const;
	for (const [path, open] of places) {
		try {
			folders.push({fd: open(), path: safe`/proc/${target.pid}/${path}`});
		} catch (error) {
			throwIfOutOfFiles(error);
			code = errorCode(error);
		}
	}

	try {
		let theirs = folders.find(({fd}) => isInUse(`${pathOf(fd)}/${name}`, target));
		// If root cannot act as the target's user, it writes only to /tmp, which is open to all users.
		const onlyTmp = isForeign(target) && process.geteuid!() === 0 && !canActAs();
		for (const folder of folders.filter(({path}) => !theirs && (!onlyTmp || path.endsWith('/root/tmp')))) {
			try {
				const remove = create(`${pathOf(folder.fd)}/${name}`, target);
				kept = folder;
				return {
					state: 'ours',
					remove() {
						remove();
						closeSync(folder.fd);
					},
				};
			} catch (error) {
				code = errorCode(error);
				if (code === 'EEXIST') {
					theirs = folder;
					break;
				}
			}
		}

		return theirs ? {state: 'theirs', path: safe`${theirs.path}/${name}`} : {state: 'impossible', code};
	} finally {
		for (const folder of folders.filter(each => each !== kept)) {
			closeSync(folder.fd);
		}
	}
}

/**
Creates the file with the target's user and group (JDK 8 ignores anyone else's file and prints a thread dump instead),
and returns a function that removes it. Replaces a stale file, once. Throws system errors; EEXIST if the file is in use.
*/
function create(path: string, target: Target): () => void {
	const {act, mustChown} = rightsOf(target);
	const open = () =>
		act(() =>
			openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW, 0o600));
	let fd: number;
	try {
		fd = open();
	} catch (error) {
		if (errorCode(error) !== 'EEXIST' || isInUse(path, target)) {
			throw error;
		}

		unlinkSync(path);
		fd = open();
	}

	const {ino} = fstatSync(fd, {bigint: true});
	const remove = () => {
		// It may be gone already.
		attempt(() => {
			if (lstatSync(path, {bigint: true}).ino === ino) {
				unlinkSync(path);
			}
		}, undefined);
	};

	try {
		fchmodSync(fd, 0o600);
		if (mustChown) {
			fchownSync(fd, target.uid, target.gid);
		}
	} catch (error) {
		remove();
		throw error;
	} finally {
		closeSync(fd);
	}

	return remove;
}

/** Whether there is an attach file that HotSpot would accept (the target's user's or root's) and that is not stale. */
function isInUse(path: string, target: Target): boolean {
	const stats = attempt(() => lstatSync(path), undefined);
	return stats !== undefined && stats.isFile() && (stats.uid === target.uid || stats.uid === 0)
		&& Math.abs(Date.now() - stats.mtimeMs) < maxUseMs;
}
