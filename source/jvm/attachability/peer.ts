import type {Socket} from 'node:net';
import {loadLibc} from '../system/libc.js';

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

/** Whether `peerOf` can be asked: the koffi package loads. */
export function canSeePeers(): boolean {
	getOption ??= load();
	return getOption !== false;
}

/**
The process that is listening at the other end of a connected Unix socket (SO_PEERCRED, unix(7)), as our pid namespace
knows it; 0 when it is not known.
*/
export function peerOf(socket: Socket): number {
	const fd = (socket as unknown as {_handle?: {fd?: number}})._handle?.fd ?? -1;
	const credentials = Buffer.alloc(credentialBytes);
	return canSeePeers() && getOption && getOption(fd, socketLevel, peerCredentials, credentials, Uint32Array.of(credentialBytes)) === 0 ? credentials.readInt32LE(0) : 0;
}
