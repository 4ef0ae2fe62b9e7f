import {closeSync} from 'node:fs';
import {setTimeout as sleep} from 'node:timers/promises';
import {safe, type Printable} from '../../util/printable.js';
import {openAttachSocket, socketPath} from '../attachability/attach-socket.js';
import {openFilesObstacle} from '../attachability/open-files.js';
import {pathOf} from '../system/below-root.js';
import {canActAs, isForeign} from '../attachability/credentials.js';
import {stopObstacle} from '../attachability/signal.js';
import {outOfFiles, isAlive} from '../system/proc.js';
import type {Target} from '../target.js';
import {sudoCommand, type Obstacle} from '../obstacles.js';
import {exchange, maxReplyBytes, type Exchange, type ExchangeOptions} from './connection.js';
import {HandshakePace, type HandshakeOptions, wakeListener} from './handshake.js';
import {chooseDialect, type Dialect, encodeRequest, isWholeDump, parseReply} from './protocol.js';

/** First JDK release whose listener accepts root as a peer; 8 accepts only its own user and group. */
const acceptsRootSince = 11;
/** Pause before the next try when the listener's backlog of five connections is full. */
const backlogPauseMs = 5;
/** Codes for a connection closed without an answer, as the listener does with users that it does not accept. */
const closedCodes: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'EMPTY']);

type RequestOptions = {readonly timeoutMs: number; readonly signal?: AbortSignal};

/** A failure that leaves the target alive. */
export type FailedReply = {
	readonly status: 'failed'; /** The JVM may still carry out the request. */
	readonly isPending?: boolean;
} & Obstacle;

type EndedReply = {readonly status: 'ended'; readonly reason: Printable};

/** `code`, `bytes`: result and payload. Times: milliseconds from the request to the reply's first byte and end. */
export type Reply =
	| {
		readonly status: 'ok';
		readonly code: number;
		readonly bytes: Buffer;
		readonly firstByteMs: number;
		readonly tookMs: number;
	}
	| FailedReply
	| EndedReply;

/**
Talks to one JVM's attach listener, starting it if necessary; uses one connection per request. Every step ends within
the request's time-out, and nothing the target does makes it throw.
*/
export class AttachClient {
	readonly #target: Target;
	readonly #pace = new HandshakePace();
	#dialect: Dialect | undefined;
	/** Whether to connect with the target's user and group. */
	#asOwner: boolean;

	constructor(target: Target) {
		this.#target = target;
		this.#asOwner = isForeign(this.#target) && target.jdk > 0 && target.jdk < acceptsRootSince;
	}

	/** Sends a command in protocol version 1; returns the whole reply. `timeoutMs` includes starting the listener. */
	async request(command: string, args: string[], options: RequestOptions): Promise<Reply> {
		return this.#send(1, command, args, performance.now() + options.timeoutMs, options.signal);
	}

	/**
	Returns a complete dump of all threads, never streamed (see `Dialect`); a truncated dump is a failure. `isFull`:
	includes the owners of java.util.concurrent locks, for which the JVM walks its heap while all its threads are
	stopped.
	*/
	async threadDump(options: RequestOptions & {readonly isFull?: boolean}): Promise<Reply> {
		const deadline = performance.now() + options.timeoutMs;
		const dialect = await this.#negotiate(deadline, options.signal);
		if ('status' in dialect) {
			return dialect;
		}

		const reply = await this.#send(
			dialect.version,
			dialect.dumpCommand,
			options.isFull ? ['-l'] : [],
			deadline,
			options.signal,
		);
		if (reply.status !== 'ok') {
			return reply;
		}

		if (reply.code !== 0) {
			// The negotiated dialect no longer works: negotiate again next time.
			this.#dialect = undefined;
			return this.#failure(
				safe`the JVM refused to give a thread dump (code ${reply.code})`,
				safe`check whether jstack gets one`,
			);
		}

		return isWholeDump(reply.bytes) ? reply : this.#failure(safe`the thread dump was truncated`, safe``);
	}

	async #negotiate(deadline: number, signal: AbortSignal | undefined): Promise<Dialect | FailedReply | EndedReply> {
		if (this.#dialect) {
			return this.#dialect;
		}

		const reply = await this.#send(1, 'getversion', ['options'], deadline, signal);
		if (reply.status !== 'ok') {
			return reply;
		}

		this.#dialect = chooseDialect(reply.code, reply.bytes.toString('latin1', 0, 256));
		return this.#dialect
			?? this.#failure(
				safe`the JVM reported an unknown protocol version (code ${reply.code})`,
				safe`tprof-top may be too old for this JVM`,
			);
	}

	async #send(
		version: 1 | 2,
		command: string,
		args: readonly string[],
		deadline: number,
		signal: AbortSignal | undefined,
	): Promise<Reply> {
		const request = encodeRequest(version, command, args);
		for (;;) {
			const files = openFilesObstacle(this.#target.pid);
			if (files) {
				return this.#failure(files.reason, files.hint, files);
			}

			const socket = openAttachSocket(this.#target);
			const result = await this.#exchange(socket, request, {deadline, signal});
			if (result.ok && result.bytes.length > 0) {
				const head = parseReply(result.bytes);
				return head
					? {
						status: 'ok',
						code: head.code,
						bytes: result.bytes.subarray(head.start),
						firstByteMs: result.firstByteMs,
						tookMs: result.tookMs,
					}
					: this.#failure(safe`the attach listener gave an invalid answer`, safe``);
			}

			const deadSocket = socket.state === 'present' ? socket.identity : undefined;
			// In a sticky folder such as /tmp the JVM cannot replace another user's socket: do not start the listener.
			const isInTheWay = socket.state === 'present' && !socket.isOwn && !result.ok
				&& ['ECONNREFUSED', 'EACCES'].includes(result.code);
			const problem = await this.#recover(result.ok ? safe`EMPTY` : (isInTheWay ? safe`FOREIGN` : result.code), {
				deadline,
				signal,
				deadSocket,
			});
			if (problem) {
				return problem.status === 'failed' ? {...problem, ...openFilesObstacle(this.#target.pid)} : problem;
			}
		}
	}

	async #exchange(
		socket: ReturnType<typeof openAttachSocket>,
		request: Uint8Array,
		options: Pick<ExchangeOptions, 'deadline' | 'signal'>,
	): Promise<Exchange> {
		if (socket.fd === undefined) {
			return {
				ok: false,
				code: socket.state === 'denied' ? socket.code : (socket.state === 'foreign' ? safe`FOREIGN` : safe`ENOENT`),
			};
		}

		try {
			return await exchange(pathOf(socket.fd), request, {
				...options,
				pid: this.#target.pid,
				connectAs: this.#asOwner ? this.#target : undefined,
			});
		} finally {
			closeSync(socket.fd);
		}
	}

	/** Returns what went wrong, or undefined if the caller should try again at once. */
	async #recover(code: Printable, options: HandshakeOptions): Promise<FailedReply | EndedReply | undefined> {
		if (options.signal?.aborted) {
			return this.#failure(safe`given up`, safe``, {isPending: code === 'ABORTED'});
		}

		if (code === 'ENOENT' || code === 'ECONNREFUSED') {
			return this.#wake(options);
		}

		if (code === 'EAGAIN') {
			await sleep(backlogPauseMs);
			return performance.now() < options.deadline
				? undefined
				: this.#failure(safe`other clients keep the attach listener busy`, safe`end them, or try again later`);
		}

		if (closedCodes.has(code) && isForeign(this.#target) && !this.#asOwner && canActAs()) {
			this.#asOwner = true;
			return undefined;
		}

		const [reason, hint, more] = this.#explain(code);
		return this.#failure(reason, hint, more);
	}

	/** Returns reason and hint for an error code of `Exchange`, EMPTY or FOREIGN. */
	#explain(
		code: Printable,
	): readonly [reason: Printable, hint: Printable, more?: Pick<FailedReply, 'otherEnginesMayWork' | 'isPending'>] {
		const {uid, gid, pid, facts} = this.#target;
		if (closedCodes.has(code)) {
			return isForeign(this.#target)
				? [
					safe`the JVM accepts only its own user and group (${uid}:${gid})`,
					safe`run tprof-top as that user: ${sudoCommand(pid, facts.user, uid)}`,
				]
				: [safe`the JVM closed the connection without an answer`, safe``];
		}

		switch (code) {
			case 'TIMEOUT': {
				const {reason, hint} = stopObstacle(pid)
					?? {
						reason: safe`no answer in time`,
						hint: safe`the JVM is very busy, or another client holds its attach listener`,
					};
				return [reason, hint, {isPending: true}];
			}

			case 'FOREIGN': {
				return [
					safe`a file of another user has the name of the attach socket`,
					safe`remove ${socketPath(this.#target)}`,
				];
			}

			case 'STRANGER': {
				return [
					safe`a process other than JVM ${pid} is listening on its attach socket`,
					safe`check who shares its /tmp, or remove ${socketPath(this.#target)}`,
				];
			}

			case 'TOO_LONG': {
				return [
					safe`the JVM's answer is larger than ${maxReplyBytes / 1024 / 1024} MB: too much to sample this way`,
					safe``,
					{otherEnginesMayWork: true},
				];
			}

			default: {
				const files = outOfFiles({code});
				return files
					? [files.reason, files.hint]
					: [
						safe`the attach socket cannot be reached (${code})`,
						code === 'EACCES' ? safe`run tprof-top as the same user as the JVM, or as root` : safe``,
					];
			}
		}
	}

	async #wake(options: HandshakeOptions): Promise<FailedReply | EndedReply | undefined> {
		const refusal = this.#pace.refusal();
		if (refusal) {
			return this.#failure(
				refusal,
				safe`something keeps removing the attach socket from /tmp, or the JVM does not open it`,
			);
		}

		const result = await wakeListener(this.#target, options);
		if (result.ok || result.signalled) {
			this.#pace.count(result.ok);
		}

		return result.ok
			? undefined
			: (result.ended ? this.#ended() : {status: 'failed', reason: result.reason, hint: result.hint});
	}

	/** Returns a failure, or the target's end if that is the cause. */
	#failure(
		reason: Printable,
		hint: Printable,
		more: Pick<FailedReply, 'otherEnginesMayWork' | 'isPending'> = {},
	): FailedReply | EndedReply {
		return isAlive(this.#target) ? {status: 'failed', reason, hint, ...more} : this.#ended();
	}

	#ended(): EndedReply {
		return {status: 'ended', reason: safe`JVM ${this.#target.pid} has ended`};
	}
}
