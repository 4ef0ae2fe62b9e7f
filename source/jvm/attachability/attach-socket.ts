import {closeSync, fstatSync} from 'node:fs';
import type {Socket} from 'node:net';
import {safe, type Printable} from '../../util/printable.js';
import {openBelowRoot} from '../system/below-root.js';
import {throwIfOutOfFiles, errorCode} from '../system/proc.js';
import {loadLibc} from '../system/koffi.js';
import type {ProcessIds} from '../target.js';

/** What exists at the path of the attach socket. */
type AttachSocket =
	/** `identity` tells the socket from a later one at the same path; `isOwn`: it belongs to the target's user. */
	| {readonly state: 'present'; readonly identity: string; readonly isOwn: boolean}
	| {readonly state: 'absent'}
	/** Not a socket, or another user's. */
	| {readonly state: 'foreign'}
	/** It cannot be examined; `code` is the system's error. */
	| {readonly state: 'denied'; readonly code: Printable};

/** Returns the socket's path as the target sees it: in its own /tmp, with its own pid (attachListener_linux.cpp). */
function pathInside({nsPid}: Pick<ProcessIds, 'nsPid'>): Printable {
	return safe`/tmp/.java_pid${nsPid}`;
}

/** Returns the socket's path for messages. Never open it: links in it could lead elsewhere. */
export function socketPath(owner: Pick<ProcessIds, 'pid' | 'nsPid'>): Printable {
	return safe`/proc/${owner.pid}/root${pathInside(owner)}`;
}

/** Examines the target's attach socket, see `openAttachSocket`. */
export function attachSocketOf(owner: ProcessIds): AttachSocket {
	const {fd, ...socket} = openAttachSocket(owner);
	if (fd !== undefined) {
		closeSync(fd);
	}

	return socket;
}

/**
Opens the target's attach socket below the target's own root. A third user's socket could answer anything, so it counts
as foreign; root's may belong to a JVM that has dropped its privileges, so the caller must check the peer (`peerOf`).
The path of a present socket's `fd` (`pathOf`) leads to it even if its name is reused; the caller closes `fd`. Throws if
no more files can be opened.
*/
export function openAttachSocket(owner: ProcessIds): AttachSocket & {readonly fd?: number} {
	let fd: number;
	try {
		fd = openBelowRoot(owner.pid, pathInside(owner), 'as-is');
	} catch (error) {
		throwIfOutOfFiles(error);
		const code = errorCode(error);
		return ['ENOENT', 'ENOTDIR', 'ESRCH', 'ELOOP'].includes(code) ? {state: 'absent'} : {state: 'denied', code};
	}

	const found = fstatSync(fd, {bigint: true});
	const uid = Number(found.uid);
	if (found.isSocket() && (uid === owner.uid || (uid === 0 && canSeePeers()))) {
		return {state: 'present', identity: `${found.dev}:${found.ino}:${found.ctimeNs}`, isOwn: uid === owner.uid, fd};
	}

	closeSync(fd);
	return {state: 'foreign'};
}

/** Linux asm-generic/socket.h. */
const socketLevel = 1;
const peerCredentials = 17;
/** struct ucred: pid, uid, gid. */
const credentialBytes = 12;

let loaded: ((...args: unknown[]) => number) | undefined;

function getOption(): typeof loaded {
	loaded ??= loadLibc()?.func('int getsockopt(int fd, int level, int name, uint8_t *value, uint32_t *length)');
	return loaded;
}

/** Whether `peerOf` works: the C library can be called. */
export function canSeePeers(): boolean {
	return getOption() !== undefined;
}

/** Returns the pid at the other end of a connected Unix socket (SO_PEERCRED, unix(7)); 0 if unknown. */
export function peerOf(socket: Socket): number {
	// Node has no public access to a socket's descriptor.
	const fd = (socket as unknown as {_handle?: {fd?: number}})._handle?.fd ?? -1;
	const credentials = Buffer.alloc(credentialBytes);
	return getOption()?.(fd, socketLevel, peerCredentials, credentials, Uint32Array.of(credentialBytes)) === 0
		? credentials.readInt32LE(0)
		: 0;
}
