import {setTimeout as sleep} from 'node:timers/promises';
import {lookAtSocket} from '../../../jvm/attachability/attach-socket.js';
import {isAlive} from '../../../jvm/system/proc.js';
import {quitHazard, sendQuit} from '../../../jvm/attachability/signal.js';
import type {Target} from '../../../jvm/target.js';
import {createAttachFile} from './attach-file.js';

/** The listener answers within 1 to 10 ms; so we look early first, and then with more patience. */
const firstPollMs = 1;
const longestPollMs = 50;
/** After this the target is hanging or has no use for the signal: the attach file is removed again. */
const handshakeTimeoutMs = 5000;
/**
Waiting for another client ends this long before the deadline: a signal must not be sent when there is no time left to
see it work.
*/
const leastTimeMs = 1000;

export type HandshakeOptions = {
	/** A `performance.now()`. */
	readonly deadline: number;
	readonly signal?: AbortSignal;
	/** Identity of the socket that was there and did not answer; any other one will do. */
	readonly deadSocket?: string;
};

export type Handshake =
	| {readonly ok: true}
	| {readonly ok: false; readonly reason: string; readonly hint: string; readonly ended: boolean; /** The target got a SIGQUIT. */ readonly signalled: boolean};

/**
Makes HotSpot start its attach listener: an attach file, then SIGQUIT, then its socket appears. While another client is
doing the same, we only wait for the socket. Never throws; an attach file of ours is gone when it returns.
*/
export async function wakeListener(target: Target, options: HandshakeOptions): Promise<Handshake> {
	const before = quitHazard(target);
	if (before) {
		return {ok: false, signalled: false, ...before};
	}

	for (let pollMs = firstPollMs; ; pollMs = longer(pollMs)) {
		const file = createAttachFile(target);
		switch (file.state) {
			case 'ours': {
				try {
					return await signalAndWait(target, options);
				} finally {
					file.remove();
				}
			}

			case 'impossible': {
				return {
					ok: false, signalled: false, ended: !isAlive(target),
					reason: `cannot create an attach file in the working directory or /tmp of JVM ${target.pid} (${file.code})`,
					hint: file.code === 'EACCES' || file.code === 'EPERM' ? 'run tprof-top as the same user as the JVM, or as root' : 'make one of the two writable',
				};
			}

			case 'theirs': {
				await sleep(pollMs);
				if (isAwake(target, options)) {
					return {ok: true};
				}

				if (isOver(target, {...options, deadline: options.deadline - leastTimeMs})) {
					return {
						ok: false, signalled: false, ended: !isAlive(target),
						reason: `another client is attaching to JVM ${target.pid}`, hint: `try again, or remove ${file.path} if it was left behind`,
					};
				}
			}
		}
	}
}

async function signalAndWait(target: Target, options: HandshakeOptions): Promise<Handshake> {
	// Another client may have been faster: a signal to a listener that is already running would make the target print a
	// thread dump.
	if (isAwake(target, options)) {
		return {ok: true};
	}

	const hazard = sendQuit(target);
	if (hazard) {
		return {ok: false, signalled: false, ...hazard};
	}

	const deadline = Math.min(options.deadline, performance.now() + handshakeTimeoutMs);
	for (let pollMs = firstPollMs; ; pollMs = longer(pollMs)) {
		await sleep(pollMs);
		if (isAwake(target, options)) {
			return {ok: true};
		}

		if (isOver(target, {...options, deadline})) {
			const ended = !isAlive(target);
			return {
				ok: false, signalled: true, ended,
				reason: ended ? `JVM ${target.pid} has ended` : `JVM ${target.pid} did not open its attach socket in time`,
				hint: ended ? '' : 'it may be very busy, its /tmp may not be writable, or attaching may be disabled',
			};
		}
	}
}

function isAwake(target: Target, {deadSocket = ''}: HandshakeOptions): boolean {
	const socket = lookAtSocket(target);
	return socket.state === 'present' && socket.identity !== deadSocket;
}

function isOver(target: Target, {deadline, signal}: HandshakeOptions): boolean {
	return !isAlive(target) || (signal?.aborted ?? false) || performance.now() >= deadline;
}

function longer(pollMs: number): number {
	return Math.min(pollMs * 1.5, longestPollMs);
}
