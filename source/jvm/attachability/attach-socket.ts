import {closeSync, fstatSync} from 'node:fs';
import type {Socket} from 'node:net';
import {openBelowRoot} from '../system/below-root.js';
import {throwIfOutOfFiles, errorCode} from '../system/proc.js';
import {loadLibc} from '../system/koffi.js';

/** What these functions need to know of a process. */
type SocketOwner = {readonly pid: number; readonly nsPid: number; readonly uid: number};

/** What has the name of the attach socket. */
type AttachSocket =
	| {readonly state: 'present'; /** Tells this socket from one made later under the same name. */ readonly identity: string; /** It has the target's own user. */ readonly isOwn: boolean}
	| {readonly state: 'absent'}
	/** Something else has the name: not a socket, or one of another user. */
	| {readonly state: 'foreign'}
	/** It cannot be looked at; the system's error code. */
	| {readonly state: 'denied'; readonly code: string};

/** The attach listener's socket as the target sees it: in its own /tmp, with its own pid (attachListener_linux.cpp). */
function pathInside({nsPid}: {readonly nsPid: number}): string {
	return `/tmp/.java_pid${nsPid}`;
}

/** The same path for people to read. Nothing is opened by it, since links in it could lead elsewhere. */
export function socketPath(owner: {readonly pid: number; readonly nsPid: number}): string {
	return `/proc/${owner.pid}/root${pathInside(owner)}`;
}

/** Looks at the target's attach socket: see `openAttachSocket`. */
export function attachSocketOf(owner: SocketOwner): AttachSocket {
	const {fd, ...socket} = openAttachSocket(owner);
	if (fd !== undefined) {
		closeSync(fd);
	}

	return socket;
}

/**
Finds the target's attach socket below the target's own root. A socket of a third user could answer anything, so it
counts as foreign; one of root's may belong to a JVM that has since given up its rights, and who answers there must be
checked (`peerOf`). `fd`, for one that is present, reaches it even if its name is reused (`pathOf`); the caller closes
it. Throws when no more files can be opened.
*/
export function openAttachSocket(owner: SocketOwner): AttachSocket & {readonly fd?: number} {
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
		return {
			state: 'present', identity: `${found.dev}:${found.ino}:${found.ctimeNs}`, isOwn: uid === owner.uid, fd,
		};
	}

	closeSync(fd);
	return {state: 'foreign'};
}

/** Linux asm-generic/socket.h. */
const socketLevel = 1;
const peerCredentials = 17;
/** struct ucred: pid, uid, gid. */
const credentialBytes = 12;

type GetOption = (fd: number, level: number, name: number, value: Uint8Array, length: Uint32Array) => number;

let getOption: GetOption | false | undefined;

function load(): GetOption | false {
	return (loadLibc()?.func('int getsockopt(int fd, int level, int name, uint8_t *value, uint32_t *length)') as GetOption | undefined) ?? false;
}

/** Whether `peerOf` can be asked: koffi loads. */
export function canSeePeers(): boolean {
	getOption ??= load();
	return getOption !== false;
}

/** The process at the other end of a connected Unix socket (SO_PEERCRED, unix(7)); 0 when it is not known. */
export function peerOf(socket: Socket): number {
	const fd = (socket as unknown as {_handle?: {fd?: number}})._handle?.fd ?? -1;
	const credentials = Buffer.alloc(credentialBytes);
	return canSeePeers() && getOption && getOption(fd, socketLevel, peerCredentials, credentials, Uint32Array.of(credentialBytes)) === 0 ? credentials.readInt32LE(0) : 0;
}
