import {setTimeout as sleep} from 'node:timers/promises';
import {safe, type Printable} from '../../util/printable.js';
import {attachSocketOf} from '../attachability/attach-socket.js';
import {isAlive} from '../system/proc.js';
import {quitHazard, sendQuit, stopObstacle} from '../attachability/signal.js';
import type {Obstacle} from '../obstacles.js';
import type {Target} from '../target.js';
import {createAttachFile} from './attach-file.js';

/** The first poll intervals are short because the listener usually starts within 1 to 10 ms. */
const firstPollMs = 1;
const maxPollMs = 50;
/** After this time the target hangs or does not handle the signal: give up and remove the attach file. */
const handshakeTimeoutMs = 5000;
/**
Waiting for another client ends this long before the deadline: less time is not enough for a handshake of our own.
*/
const minHandshakeMs = 1000;

/** Pause before a socket that vanished is requested again. */
const pauseAfterSuccessMs = 1000;
/** An unanswered signal makes some JVMs print a thread dump, so failed handshakes must be rare. */
const pauseAfterFailureMs = 15_000;
const maxFailures = 3;

export type HandshakeOptions = {
	/** When to give up, by `performance.now()`. */
	readonly deadline: number;
	readonly signal?: AbortSignal;
	/** Identity of a socket that did not answer: the listener has started when there is another one. */
	readonly deadSocket?: string;
};

type Handshake =
	| {readonly ok: true}
	| (Obstacle & {
		readonly ok: false;
		readonly ended: boolean; /** The target got a SIGQUIT. */
		readonly signalled: boolean;
	});

/**
Makes HotSpot start its attach listener: creates an attach file, sends SIGQUIT and waits for the socket. While another
client is attaching, only waits for the socket. Throws only if no more files can be opened; always removes our attach
file.
*/
export async function wakeListener(target: Target, options: HandshakeOptions): Promise<Handshake> {
	const hazard = quitHazard(target);
	if (hazard) {
		return {ok: false, signalled: false, ...hazard};
	}

	const failed = (reason: Printable, hint: Printable): Handshake => ({
		ok: false, signalled: false, ended: !isAlive(target), reason, hint,
	});
	for (let pollMs = firstPollMs; ; pollMs = longer(pollMs)) {
		const file = createAttachFile(target);
		if (file.state === 'ours') {
			try {
				return await signalAndWait(target, options);
			} finally {
				file.remove();
			}
		}

		if (file.state === 'impossible') {
			return failed(
				safe`cannot create an attach file in the working directory or /tmp of JVM ${target.pid} (${file.code})`,
				file.code === 'EACCES' || file.code === 'EPERM'
					? safe`run tprof-top as the same user as the JVM, or as root`
					: safe`make one of the two writable`,
			);
		}

		await sleep(pollMs);
		if (isAwake(target, options)) {
			return {ok: true};
		}

		if (isOver(target, {...options, deadline: options.deadline - minHandshakeMs})) {
			return failed(
				safe`another client is attaching to JVM ${target.pid}`,
				safe`try again, or remove ${file.path} if it was left behind`,
			);
		}
	}
}

async function signalAndWait(target: Target, options: HandshakeOptions): Promise<Handshake> {
	// Another client may have been faster, and a signal to a running listener makes the target print a thread dump.
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
			const {reason, hint} = ended
				? {reason: safe`JVM ${target.pid} has ended`, hint: safe``}
				: stopObstacle(target.pid) ?? {
					reason: safe`JVM ${target.pid} did not open its attach socket in time`,
					hint: safe`it may be very busy, its /tmp may not be writable, or attaching may be disabled`,
				};
			return {ok: false, signalled: true, ended, reason, hint};
		}
	}
}

function isAwake(target: Target, {deadSocket = ''}: HandshakeOptions): boolean {
	const socket = attachSocketOf(target);
	return socket.state === 'present' && socket.identity !== deadSocket;
}

function isOver(target: Target, {deadline, signal}: HandshakeOptions): boolean {
	return !isAlive(target) || (signal?.aborted ?? false) || performance.now() >= deadline;
}

function longer(pollMs: number): number {
	return Math.min(pollMs * 1.5, maxPollMs);
}

/** Limits how often a client signals its target. */
export class HandshakePace {
	#notBefore = 0;
	#failures = 0;

	/** Returns why no handshake may be made now; undefined if one may. */
	refusal(): Printable | undefined {
		if (this.#failures >= maxFailures) {
			return safe`the JVM did not open its attach socket; asked ${maxFailures} times`;
		}

		return performance.now() < this.#notBefore
			? safe`the attach socket is gone; a new one was requested a moment ago`
			: undefined;
	}

	/** Counts a handshake. `isAnswered`: the socket appeared; otherwise the signal remained unanswered. */
	count(isAnswered: boolean): void {
		this.#failures = isAnswered ? 0 : this.#failures + 1;
		this.#notBefore = performance.now() + (isAnswered ? pauseAfterSuccessMs : pauseAfterFailureMs * this.#failures);
	}
}
