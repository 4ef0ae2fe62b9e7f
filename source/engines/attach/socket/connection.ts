import {type Socket, connect} from 'node:net';
import {asOwner, type Owner} from '../../../jvm/attachability/credentials.js';
import {canSeePeers, peerOf} from '../../../jvm/attachability/peer.js';
import {errorCode} from '../../../jvm/system/proc.js';
import type {ReplyBuffer} from './reply-buffer.js';

export type Exchange =
	| {
		readonly ok: true;
		/** Milliseconds from the request to the reply's first byte, and to its end. */
		readonly firstByteMs: number;
		readonly tookMs: number;
	}
	/**
	`code`: of the system error, or TIMEOUT, ABORTED, TOO_LONG, STRANGER (a process other than `pid` is listening).
	*/
	| {readonly ok: false; readonly code: string};

export type ExchangeOptions = {
	/** Who must be listening, where that can be seen; nothing is sent to anybody else. */
	readonly pid: number;
	/** The `performance.now()` at which to give up. */
	readonly deadline: number;
	readonly signal?: AbortSignal;
	/** Connects as this user and group. */
	readonly connectAs?: Owner;
};

/**
Sends one request to the socket at that path and reads the reply to its end into `reply`. Every way out closes the
connection; never throws, never takes longer than the deadline.
*/
export async function exchange(socketPath: string, request: Uint8Array, reply: ReplyBuffer, options: ExchangeOptions): Promise<Exchange> {
	reply.clear();
	return new Promise(resolve => {
		const startedAt = performance.now();
		let firstByteMs = 0;
		let socket: Socket | undefined;
		const finish = (result: Exchange) => {
			clearTimeout(timer);
			options.signal?.removeEventListener('abort', abort);
			socket?.destroy();
			resolve(result);
		};

		const abort = () => {
			finish({ok: false, code: 'ABORTED'});
		};

		const timer = setTimeout(() => {
			finish({ok: false, code: 'TIMEOUT'});
		}, Math.max(0, options.deadline - startedAt));
		if (options.signal?.aborted) {
			abort();
			return;
		}

		options.signal?.addEventListener('abort', abort, {once: true});
		const take = (count: number, bytes: Uint8Array) => {
			firstByteMs ||= performance.now() - startedAt;
			if (!reply.append(bytes, count)) {
				finish({ok: false, code: 'TOO_LONG'});
				return false;
			}

			return true;
		};

		// A Unix socket is connected within this call, so the credentials of this moment are what the listener sees.
		const open = () => connect({path: socketPath, onread: {buffer: reply.scratch, callback: take}});
		try {
			socket = options.connectAs ? asOwner(options.connectAs, open) : open();
		} catch (error) {
			finish({ok: false, code: errorCode(error)});
			return;
		}

		socket.on('error', error => {
			finish({ok: false, code: errorCode(error)});
		});
		const end = () => {
			finish({ok: true, firstByteMs, tookMs: performance.now() - startedAt});
		};

		socket.once('end', end);
		socket.once('close', end);
		socket.once('connect', () => {
			if (canSeePeers() && peerOf(socket) !== options.pid) {
				finish({ok: false, code: 'STRANGER'});
				return;
			}

			socket.write(request);
		});
	});
}
