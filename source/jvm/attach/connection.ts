import {type Socket, connect} from 'node:net';
import {safe, type Printable} from '../../util/printable.js';
import {canSeePeers, peerOf} from '../attachability/attach-socket.js';
import {asOwner, type Owner} from '../attachability/credentials.js';
import {errorCode} from '../system/proc.js';

/** A dump of some 9,000 threads of 200 frames, too slow to sample by. */
export const maxReplyBytes = 64 * 1024 * 1024;

export type Exchange =
	/** The whole reply; milliseconds from the request to its first byte, and to its end. */
	| {readonly ok: true; readonly bytes: Buffer; readonly firstByteMs: number; readonly tookMs: number}
	/** `code`: a system error, or TIMEOUT, ABORTED, TOO_LONG, STRANGER (a process other than `pid` is listening). */
	| {readonly ok: false; readonly code: Printable};

export type ExchangeOptions = {
	/** Process that must be listening, else nothing is sent; not checked if the peer's id is unavailable. */
	readonly pid: number;
	/** When to give up, by `performance.now()`. */
	readonly deadline: number;
	readonly signal?: AbortSignal;
	readonly connectAs?: Owner;
};

function connectTo(socketPath: string, connectAs: Owner | undefined): Socket {
	// A Unix socket connects within this call, so the listener sees the credentials in force during it.
	const open = () => connect(socketPath);
	return connectAs ? asOwner(connectAs, open) : open();
}

/** Returns why nothing may be sent to a socket that is connected; undefined if it may. */
function obstacleTo(socket: Socket, pid: number, deadline: number): Printable | undefined {
	if (canSeePeers() && peerOf(socket) !== pid) {
		return safe`STRANGER`;
	}

	// After the deadline too: we may have been suspended.
	return performance.now() >= deadline ? safe`TIMEOUT` : undefined;
}

/** Sends one request and reads the whole reply. Always closes the connection, never throws or exceeds the deadline. */
export async function exchange(
	socketPath: string,
	request: Uint8Array,
	{pid, deadline, signal, connectAs}: ExchangeOptions,
): Promise<Exchange> {
	if (signal?.aborted) {
		return {ok: false, code: safe`ABORTED`};
	}

	const startedAt = performance.now();
	/** Removes the listener to `signal`. */
	const closing = new AbortController();
	let timer: NodeJS.Timeout | undefined;
	let firstByteMs = 0;
	let socket: Socket | undefined;
	const chunks: Buffer[] = [];
	let length = 0;
	const failure = await new Promise<Printable | undefined>(resolve => {
		timer = setTimeout(resolve, Math.max(0, deadline - startedAt), safe`TIMEOUT`);
		signal?.addEventListener('abort', () => {
			resolve(safe`ABORTED`);
		}, {signal: closing.signal});
		try {
			socket = connectTo(socketPath, connectAs);
		} catch (error) {
			resolve(errorCode(error));
			return;
		}

		socket.on('error', error => {
			resolve(errorCode(error));
		});
		socket.on('data', chunk => {
			firstByteMs ||= performance.now() - startedAt;
			length += chunk.length;
			chunks.push(chunk);
			if (length > maxReplyBytes) {
				resolve(safe`TOO_LONG`);
			}
		});
		const end = () => {
			resolve(undefined);
		};

		socket.once('end', end);
		socket.once('close', end);
		socket.once('connect', () => {
			const obstacle = obstacleTo(socket!, pid, deadline);
			if (obstacle === undefined) {
				socket!.write(request);
			} else {
				resolve(obstacle);
			}
		});
	});
	const tookMs = performance.now() - startedAt;
	closing.abort();
	clearTimeout(timer);
	socket?.destroy();
	return failure === undefined
		? {ok: true, bytes: Buffer.concat(chunks), firstByteMs, tookMs}
		: {ok: false, code: failure};
}
