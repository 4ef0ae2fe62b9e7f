import {type Socket, connect} from 'node:net';
import {canSeePeers, peerOf} from '../../../jvm/attachability/attach-socket.js';
import {asOwner, type Owner} from '../../../jvm/attachability/credentials.js';
import {errorCode} from '../../../jvm/system/proc.js';

/** Largest reply taken: 1,000 threads of 200 frames give 7 MB; sampling by larger dumps makes no sense. */
export const maxReplyBytes = 64 * 1024 * 1024;
const firstBytes = 64 * 1024;
/** The size of one read: a Unix socket hands out about 200 KB at most by default (net.core.wmem_default). */
const scratchBytes = 128 * 1024;

/** Bytes of one reply after the other in one growing buffer, so that a dump leaves no garbage of its own size. */
export class ReplyBuffer {
	/** Where the connection puts what it has just read. */
	readonly scratch = Buffer.allocUnsafeSlow(scratchBytes);
	length = 0;
	#bytes = Buffer.allocUnsafeSlow(firstBytes);

	constructor(readonly maxBytes = maxReplyBytes) {}

	/** Copies bytes to the end; false, with nothing copied, when there would be more than the bound. */
	append(bytes: Uint8Array, count: number): boolean {
		const needed = this.length + count;
		if (needed > this.maxBytes) {
			return false;
		}

		if (needed > this.#bytes.length) {
			const grown = Buffer.allocUnsafeSlow(Math.min(this.maxBytes, Math.max(needed, this.#bytes.length * 2)));
			this.#bytes.copy(grown, 0, 0, this.length);
			this.#bytes = grown;
		}

		this.#bytes.set(bytes.subarray(0, count), this.length);
		this.length = needed;
		return true;
	}

	/** The bytes from `start` on: a view, valid until the next reply. */
	view(start = 0): Buffer {
		return this.#bytes.subarray(start, this.length);
	}
}

export type Exchange =
	/** Milliseconds from the request to the reply's first byte, and to its end. */
	| {readonly ok: true; readonly firstByteMs: number; readonly tookMs: number}
	/** `code`: of the system error, or TIMEOUT, ABORTED, TOO_LONG, STRANGER (a process other than `pid` is listening). */
	| {readonly ok: false; readonly code: string};

export type ExchangeOptions = {
	/** Who must be listening, if that can be seen; nothing is sent to anybody else. */
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
export async function exchange(socketPath: string, request: Uint8Array, reply: ReplyBuffer, {pid, deadline, signal, connectAs}: ExchangeOptions): Promise<Exchange> {
	const startedAt = performance.now();
	const closing = new AbortController();
	let firstByteMs = 0;
	let socket: Socket | undefined;
	reply.length = 0;
	const result = await new Promise<Exchange>(resolve => {
		const fail = (code: string) => {
			resolve({ok: false, code});
		};

		const end = () => {
			resolve({ok: true, firstByteMs, tookMs: performance.now() - startedAt});
		};

		const timer = setTimeout(fail, Math.max(0, deadline - startedAt), 'TIMEOUT');
		closing.signal.addEventListener('abort', () => {
			clearTimeout(timer);
		});
		if (signal?.aborted) {
			fail('ABORTED');
			return;
		}

		signal?.addEventListener('abort', () => {
			fail('ABORTED');
		}, {signal: closing.signal});
		const take = (count: number, bytes: Uint8Array) => {
			firstByteMs ||= performance.now() - startedAt;
			const isTaken = reply.append(bytes, count);
			if (!isTaken) {
				fail('TOO_LONG');
			}

			return isTaken;
		};

		// A Unix socket is connected within this call, so the credentials of this moment are what the listener sees.
		const open = () => connect({path: socketPath, onread: {buffer: reply.scratch, callback: take}});
		try {
			socket = connectAs ? asOwner(connectAs, open) : open();
		} catch (error) {
			fail(errorCode(error));
			return;
		}

		socket.on('error', error => {
			fail(errorCode(error));
		});
		socket.once('end', end);
		socket.once('close', end);
		socket.once('connect', () => {
			if (canSeePeers() && peerOf(socket!) !== pid) {
				fail('STRANGER');
			} else if (performance.now() >= deadline) {
				// We may have been suspended meanwhile, and nothing may be sent after the deadline.
				fail('TIMEOUT');
			} else {
				socket!.write(request);
			}
		});
	});
	closing.abort();
	socket?.destroy();
	return result;
}
