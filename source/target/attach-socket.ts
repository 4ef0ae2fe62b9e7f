import {lstatSync} from 'node:fs';
import {errorCode} from './proc.js';

/** What these functions need to know of a process. */
export type SocketOwner = {readonly pid: number; readonly nsPid: number; readonly uid: number};

/** What stands under the name of the attach socket. */
export type AttachSocket =
	| {readonly state: 'present'; /** Tells this socket from one made later under the same name. */ readonly identity: string; /** It has the target's own user. */ readonly isOwn: boolean}
	| {readonly state: 'absent'}
	/** Something else has the name: no socket, or one of another user. */
	| {readonly state: 'foreign'}
	| {readonly state: 'denied'};

/** Path of the socket that HotSpot's attach listener makes, as we reach it: always in the target's own /tmp, named with the pid that the target sees (attachListener_linux.cpp). */
export function socketPath({pid, nsPid}: {readonly pid: number; readonly nsPid: number}): string {
	return `/proc/${pid}/root/tmp/.java_pid${nsPid}`;
}

/** Whether the target's attach socket is there. A socket of a third user could answer anything, so it counts as foreign. */
export function lookAtSocket(owner: SocketOwner): AttachSocket {
	try {
		const found = lstatSync(socketPath(owner), {bigint: true});
		const uid = Number(found.uid);
		return found.isSocket() && (uid === owner.uid || uid === 0)
			? {state: 'present', identity: `${found.dev}:${found.ino}:${found.ctimeNs}`, isOwn: uid === owner.uid}
			: {state: 'foreign'};
	} catch (error) {
		return {state: ['EACCES', 'EPERM'].includes(errorCode(error)) ? 'denied' : 'absent'};
	}
}
