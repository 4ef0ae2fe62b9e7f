import http from 'node:http';
import https from 'node:https';
import {getSystemErrorMap} from 'node:util';
import {printable} from '../util/printable.js';
import type {Headers} from './http-headers.js';

/** `failed`: to be tried again. `refused`: this body will never be taken, but others may be. */
export type Answer =
	| {readonly kind: 'accepted'; readonly text: string; readonly bytes: Uint8Array}
	| {readonly kind: 'refused'; readonly problem: string}
	| {readonly kind: 'failed'; readonly problem: string; readonly retryAfterMs?: number};

type Request = {
	readonly headers: Headers;
	/**
	Whether the headers may hold credentials. Then no text of the backend is shown: it may quote them, even encoded.
	*/
	readonly hasCredentials: boolean;
	readonly body: Uint8Array;
	/** Maximum time from connecting to the end of the answer. */
	readonly timeoutMs: number;
	readonly signal: AbortSignal;
	/** Keeps connections for later requests; without it each request has a connection of its own. */
	readonly agent?: Agent;
	/** Approximate maximum of bytes to read; default 64 KB, enough for a message. A longer answer is truncated. */
	readonly maxAnswerBytes?: number;
};

export type Agent = http.Agent;

/** Returns what keeps connections to the backend of a URL open, at most `maxConnections`. */
export function keepingAgent({protocol}: URL, maxConnections: number): Agent {
	return new (protocol === 'https:' ? https : http).Agent({keepAlive: true, maxSockets: maxConnections});
}

const maxTextBytes = 65_536;
const maxQuotedLength = 200;
/** Interim answers (1xx) before the final one. A backend that sends more would keep us busy for the whole time-out. */
const maxInterimAnswers = 20;
/** Upper bound on the wait that a Retry-After header asks for. */
const maxRetryAfterMs = 15 * 60_000;

/** Answers that may change when somebody mends the set-up, or that ask for another try (as OTLP does). */
const retriedStatuses = new Set([401, 403, 404, 405, 407, 408, 425, 429, 502, 503, 504]);

/**
Posts a body. Redirects are not followed: the headers may hold credentials. Never throws; problems are printable.
*/
export async function post(url: URL, request: Request): Promise<Answer> {
	try {
		const {response: {statusCode = 0, headers}, bytes} = await exchange(url, request);
		const text = bytes.toString('utf8', 0, maxTextBytes);
		const answered = `${url.origin} answered ${statusCode}`;
		if (statusCode >= 200 && statusCode < 300) {
			// A proxy's log-in page.
			return headers['content-type']?.startsWith('text/html')
				? {kind: 'failed', problem: `${answered} with a web page: not a backend`}
				: {kind: 'accepted', text, bytes};
		}

		if (statusCode >= 300 && statusCode < 400) {
			return {
				kind: 'failed',
				problem: `${answered}, a redirect${
					request.hasCredentials ? '' : ` to ${originOf(headers.location, url)}`
				}: not followed; give the backend's own address`,
			};
		}

		const quoted = request.hasCredentials ? '' : printable(text.trim(), maxQuotedLength);
		const problem = [answered, hints[statusCode], quoted === '' ? undefined : `"${quoted}"`].filter(Boolean)
			.join(': ');
		return retriedStatuses.has(statusCode)
			? {kind: 'failed', problem, retryAfterMs: retryAfterMs(headers['retry-after'])}
			: {kind: 'refused', problem};
	} catch (error) {
		return {kind: 'failed', problem: `${url.origin}: ${reasonOf(error as NodeJS.ErrnoException)}`};
	}
}

const hints: Readonly<Record<number, string | undefined>> = {
	401: 'the credentials in --headers or TPROF_HEADERS are missing or wrong',
	403: 'the credentials do not allow it',
	404: 'is the path of the address right?',
};

type Exchanged = {readonly response: http.IncomingMessage; readonly bytes: Buffer};

async function exchange(url: URL, options: Request): Promise<Exchanged> {
	const {headers, body, timeoutMs, signal, agent = false, maxAnswerBytes = maxTextBytes} = options;
	return new Promise((resolve, reject) => {
		const request = (url.protocol === 'https:' ? https : http).request(url, {
			method: 'POST', agent, signal, headers: {...headers, 'content-length': String(body.length)},
		});
		const timer = setTimeout(() => {
			request.destroy(new Error(`no answer in ${timeoutMs / 1000} s`));
		}, timeoutMs);
		const fail = (error: Error) => {
			clearTimeout(timer);
			const reason: NodeJS.ErrnoException = request.errored ?? error;
			if (request.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(reason.code ?? '')) {
				// A backend may close an unused connection just as it is used again.
				resolve(exchange(url, {...options, agent: undefined}));
			} else {
				reject(reason);
			}
		};

		request.on('error', fail);
		let interimAnswers = 0;
		request.on('information', ({statusCode}) => {
			if (++interimAnswers > maxInterimAnswers) {
				request.destroy(new Error(`it answers ${statusCode} again and again`));
			}
		});
		request.on('upgrade', (_, socket) => {
			socket.destroy();
			fail(new Error('it switched to another protocol'));
		});
		request.on('response', response => {
			let bytes = Buffer.alloc(0);
			let length = 0;
			const end = () => {
				clearTimeout(timer);
				resolve({response, bytes: bytes.subarray(0, length)});
			};

			response.on('data', (chunk: Buffer) => {
				// Not kept as chunks: those of one byte each need far more memory than their bytes.
				if (length + chunk.length > bytes.length) {
					bytes = Buffer.concat([bytes.subarray(0, length)], 2 * (length + chunk.length));
				}

				chunk.copy(bytes, length);
				length += chunk.length;
				if (length > maxAnswerBytes) {
					end();
					request.destroy();
				}
			});
			response.on('end', end);
			response.on('error', fail);
		});
		request.end(body);
	});
}

function originOf(location: string | undefined, base: URL): string {
	return URL.canParse(location ?? '', base.href) ? printable(new URL(location ?? '', base).origin) : 'nowhere';
}

/** Returns how long to wait by a Retry-After header, which has seconds or an HTTP date. */
function retryAfterMs(header: string | undefined): number | undefined {
	const ms = header === undefined
		? Number.NaN
		: (/^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now());
	return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), maxRetryAfterMs);
}

/** Returns the reason in words; a connection that failed on several addresses has a code and no message. */
function reasonOf({code, message}: NodeJS.ErrnoException): string {
	const known = [...getSystemErrorMap().values()].find(([name]) => name === code);
	return printable(known?.[1] ?? (message === '' ? String(code) : message), maxQuotedLength);
}
