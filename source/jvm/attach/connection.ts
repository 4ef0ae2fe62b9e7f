import {type Socket, connect} from 'node:net';
import {canSeePeers, peerOf} from '../attachability/attach-socket.js';
import {asOwner, type Owner} from '../attachability/credentials.js';
import {errorCode} from '../system/proc.js';

/** A dump of some 9,000 threads of 200 frames, too slow to sample by. */
export const maxReplyBytes = 64 * 1024 * 1024;

export type Exchange =
	/** The whole reply; milliseconds from the request to its first byte, and to its end. */
	| {readonly ok: true; readonly bytes: Buffer; readonly firstByteMs: number; readonly tookMs: number}
	/** `code`: a system error, or TIMEOUT, ABORTED, TOO_LONG, STRANGER (a process other than `pid` is listening). */
	| {readonly ok: false; readonly code: string};

export type ExchangeOptions = {
	/** Process that must be listening, else nothing is sent; not checked if the peer's id is unavailable. */
	readonly pid: number;
	/** When to give up, by `performance.now()`. */
	readonly deadline: number;
	readonly signal?: AbortSignal;
	readonly connectAs?: Owner;
};

/** Sends one request and reads the whole reply. Always closes the connection, never throws or exceeds the deadline. */
export async function exchange(
	socketPath: string,
	request: Uint8Array,
	{pid, deadline, signal, connectAs}: ExchangeOptions,
): Promise<Exchange> {
	const startedAt = performance.now();
	/** Removes the time-out and the listener to `signal`. */
	const closing = new AbortController();
	let firstByteMs = 0;
	let socket: Socket | undefined;
	const chunks: Buffer[] = [];
	let length = 0;
	const failure = await new Promise<string | undefined>(resolve => {
		const end = () => {
			resolve(undefined);
		};

		const timer = setTimeout(resolve, Math.max(0, deadline - startedAt), 'TIMEOUT');
		closing.signal.addEventListener('abort', () => {
			clearTimeout(timer);
		});
		if (signal?.aborted) {
			resolve('ABORTED');
			return;
		}

		signal?.addEventListener('abort', () => {
			resolve('ABORTED');
		}, {signal: closing.signal});
		// A Unix socket connects within this call, so the listener sees the credentials in force during it.
		const open = () => connect(socketPath);
		try {
			socket = connectAs ? asOwner(connectAs, open) : open();
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
				resolve('TOO_LONG');
			}
		});
		socket.once('end', end);
		socket.once('close', end);
		socket.once('connect', () => {
			if (canSeePeers() && peerOf(socket!) !== pid) {
				resolve('STRANGER');
			} else if (performance.now() >= deadline) {
				// Send nothing after the deadline: we may have been suspended.
				resolve('TIMEOUT');
			} else {
				socket!.write(request);
			}
		});
	});
	const tookMs = performance.now() - startedAt;
	closing.abort();
	socket?.destroy();
	return failure === undefined
		? {ok: true, bytes: Buffer.concat(chunks), firstByteMs, tookMs}
		: {ok: false, code: failure};
}
