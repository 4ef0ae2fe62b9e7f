import {setTimeout as sleep} from 'node:timers/promises';
import {ignoringErrors} from '../exports/files/write-files.js';
import type {Snapshot} from '../model/snapshot.js';
import {sumOf} from '../util/sum.js';
import {formatBytes} from '../query/columns/format.js';
import type {Headers} from './http-headers.js';
import {keepingAgent, post, type Agent} from './post.js';

/** What tells a JVM's profiles apart: `service_name`, `hostname`, `pid`, `pod` and others, and those of --label. */
export type Labels = Readonly<Record<string, string>>;

/** How windows are sent to a backend: each is the body of one POST. */
export type Protocol = {
	readonly headers: Readonly<Record<string, string>>;
	/** Returns the URL to post to, from that of the backend. */
	urlOf(backend: URL): URL;
	encode(window: Snapshot, labels: Labels): Uint8Array;
	/** Returns why a backend that answered 200 did not take all of it. */
	problemIn(answer: string): string | undefined;
};

export type SenderOptions = {
	readonly headers: () => Headers;
	/** Maximum size of all bodies that wait. */
	readonly maxBytes?: number;
	readonly timeoutMs?: number;
	/** The wait after the first failure. It doubles with each further one. */
	readonly firstWaitMs?: number;
};

const usual = {maxBytes: 64 * 1024 * 1024, timeoutMs: 30_000, firstWaitMs: 1000};
const maxWaitMs = 60_000;

/** Maximum number of requests at a time: a backend may take half a second for each. */
export const maxRequests = 4;

/**
Sends bodies to a backend, the oldest first and a few at a time; one at a time until the backend takes them. While it
does not take them they wait in a bounded queue.
*/
export class Sender {
	/** Bodies that the backend took. */
	sent = 0;
	/** Bodies that the backend refused, wholly or in part. They are not sent again. */
	refused = 0;
	/** Bodies for which there was no room, or no time at the end. */
	dropped = 0;
	/** Whether bodies have been dropped for lack of room since the backend last answered. */
	isFull = false;
	/** Why the last one was not taken; undefined if it was. */
	problem: string | undefined;
	readonly #url: URL;
	readonly #protocol: Protocol;
	readonly #options: Required<SenderOptions>;
	readonly #queue: Uint8Array[] = [];
	/** Ends the wait before the next try. */
	readonly #closing = new AbortController();
	/** Ends the requests in progress. */
	readonly #stop = new AbortController();
	/** Keeps connections open from one request to the next. */
	readonly #agent: Agent;
	/** Requests in progress, and those whose body waits for another try. */
	readonly #requests = new Set<Promise<void>>();
	/** The wait before the next try. */
	#pause: Promise<void> | undefined;
	#waitMs: number;
	/** Whether the backend took, or refused for good, what it last answered to. */
	#isTaking = false;
	/** Whether no more is to be sent: the last try at the end failed. */
	#isOver = false;

	constructor(backend: URL, protocol: Protocol, options: SenderOptions) {
		this.#url = protocol.urlOf(backend);
		this.#protocol = protocol;
		this.#options = {...usual, ...options};
		this.#waitMs = this.#options.firstWaitMs;
		this.#agent = keepingAgent(this.#url, maxRequests);
	}

	get waiting(): number {
		return this.#queue.length;
	}

	get waitingBytes(): number {
		return sumOf(this.#queue, ({length}) => length);
	}

	/** Adds a body. If there is no room, the oldest are dropped; one that never fits is dropped itself. */
	add(body: Uint8Array): void {
		if (body.length > this.#options.maxBytes) {
			this.dropped++;
			this.problem = `a window of ${formatBytes(body.length)} is larger than the queue`;
			return;
		}

		this.#queue.push(body);
		this.#makeRoom();
		this.#begin();
	}

	/** Tries to send what waits, for at most `graceMs`; the rest is dropped. */
	async close(graceMs: number): Promise<void> {
		this.#closing.abort();
		const timer = setTimeout(() => {
			this.#stop.abort();
		}, graceMs);
		while (this.#requests.size > 0) {
			await Promise.all(this.#requests);
		}

		clearTimeout(timer);
		this.#agent.destroy();
		this.dropped += this.#queue.length;
		this.#queue.length = 0;
	}

	#makeRoom(): void {
		while (this.waitingBytes > this.#options.maxBytes) {
			this.#queue.shift();
			this.dropped++;
			this.isFull = true;
		}
	}

	/** Begins as many requests as there are bodies for: one, until the backend has taken something. */
	#begin(): void {
		const atOnce = this.#isTaking ? maxRequests : 1;
		while (this.#requests.size < atOnce && this.#queue.length > 0 && !this.#pause && !this.#isOver) {
			const request = this.#send(this.#queue.shift()!);
			this.#requests.add(request);
			void this.#goOnAfter(request);
		}
	}

	/** Begins further requests at the end of one. */
	async #goOnAfter(request: Promise<void>): Promise<void> {
		await request;
		this.#requests.delete(request);
		this.#begin();
	}

	/** Sends a body, and waits if the backend does not take it. */
	async #send(body: Uint8Array): Promise<void> {
		const {isOver, problem, retryAfterMs = 0} = await this.#try(body);
		this.problem = problem;
		this.#isTaking = isOver;
		if (isOver) {
			this.#waitMs = this.#options.firstWaitMs;
		} else {
			this.#queue.unshift(body);
			this.#makeRoom();
			this.#isOver = this.#closing.signal.aborted;
			this.#pause ??= this.#wait(retryAfterMs);
			await this.#pause;
		}
	}

	/** Waits before the next try, with jitter, so that a fleet does not come back all at once. */
	async #wait(retryAfterMs: number): Promise<void> {
		const ms = Math.max(retryAfterMs, this.#waitMs * (0.5 + (Math.random() / 2)));
		this.#waitMs = Math.min(2 * this.#waitMs, maxWaitMs);
		// When `close` ends the wait, one try follows.
		await ignoringErrors(async () => sleep(ms, undefined, {signal: this.#closing.signal}));
		this.#pause = undefined;
	}

	/** Sends a body once. `isOver`: it was taken, or refused and is not sent again. */
	async #try(body: Uint8Array): Promise<{
		readonly isOver: boolean;
		readonly problem?: string;
		readonly retryAfterMs?: number;
	}> {
		const {headers, timeoutMs} = this.#options;
		let given: Headers;
		try {
			given = headers();
		} catch (error) {
			return {isOver: false, problem: (error as Error).message};
		}

		const hasCredentials = Object.keys(given).length > 0;
		const answer = await post(this.#url, {
			body, headers: {...given, ...this.#protocol.headers}, hasCredentials, timeoutMs,
			signal: this.#stop.signal, agent: this.#agent,
		});
		if (answer.kind === 'failed') {
			return {isOver: false, ...answer};
		}

		this.isFull = false;
		const problem = answer.kind === 'refused' ? answer.problem : this.#problemIn(answer.text, hasCredentials);
		if (problem === undefined) {
			this.sent++;
		} else {
			this.refused++;
		}

		return {isOver: true, problem};
	}

	#problemIn(answer: string, hasCredentials: boolean): string | undefined {
		try {
			const problem = this.#protocol.problemIn(answer);
			return problem !== undefined && hasCredentials
				? `${this.#url.origin} refused a part; its reason is not shown, as it may quote the headers`
				: problem;
		} catch {
			return `${this.#url.origin} gave an answer that no backend gives`;
		}
	}
}
