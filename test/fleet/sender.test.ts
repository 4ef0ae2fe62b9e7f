import {execFileSync} from 'node:child_process';
import {once} from 'node:events';
import {writeFileSync} from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import process from 'node:process';
import {setImmediate} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {backendOf} from '../../source/commands/push.js';
import {readPprof} from '../../source/exports/pprof/read.js';
import {headersFrom} from '../../source/fleet/http-headers.js';
import {serveMetrics} from '../../source/fleet/metrics.js';
import {otlp} from '../../source/fleet/otlp.js';
import {pyroscope} from '../../source/fleet/pyroscope.js';
import {backendQuery, mergedProfile, withLabels} from '../../source/fleet/querier.js';
import {maxRequests, Sender, type SenderOptions} from '../../source/fleet/sender.js';
import {atTestEnd, closedAfterTest, folderForTest} from '../helpers/for-test.js';
import {patienceMs, until} from '../helpers/until.js';
import {serve} from './serve.js';

type Received = {readonly body: string; readonly headers: http.IncomingHttpHeaders; readonly atMs: number};
type Answer = (response: http.ServerResponse) => void;

const accept: Answer = response => {
	response.writeHead(200, {'content-type': 'application/json'}).end('{}');
};

/** A backend that gives these answers in turn, and takes all that comes after them. */
async function backend(answers: readonly Answer[] = [], at = 0) {
	const received: Received[] = [];
	const served = await serve(({headers}, body, response) => {
		received.push({body: body.toString(), headers, atMs: performance.now()});
		(answers[received.length - 1] ?? accept)(response);
	}, at);
	return {received, ...served};
}

/** A sender of texts that keeps all problems that it had. */
function senderTo(url: URL, options: Partial<SenderOptions> = {}, protocol = pyroscope) {
	const sender = new Sender(url, protocol, {headers: () => ({}), firstWaitMs: 10, ...options});
	const problems: string[] = [];
	let current: string | undefined;
	Object.defineProperty(sender, 'problem', {
		get: () => current,
		set(problem: string | undefined) {
			current = problem;
			problems.push(...problem === undefined ? [] : [problem]);
		},
	});
	atTestEnd(async () => sender.close(0));
	const send = (...texts: readonly string[]) => {
		for (const text of texts) {
			sender.add(Buffer.from(text));
		}
	};

	return Object.assign(sender, {problems, send});
}

const status = (code: number, text = '', headers: Record<string, string> = {}): Answer => response => {
	response.writeHead(code, headers).end(text);
};

test('windows are sent, the oldest first, to the path of the push API below that of --to', async () => {
	const {url, received} = await backend();
	const sender = senderTo(new URL('/base/', url), {headers: () => ({'X-Scope-OrgID': 'shop'})});
	sender.send('a', 'b', 'c');
	await until(() => sender.sent === 3);
	expect(received[0].body).toBe('a');
	expect(received.map(({body}) => body).sort()).toEqual(['a', 'b', 'c']);
	const expected = {'content-type': 'application/proto', 'content-encoding': 'gzip', 'x-scope-orgid': 'shop'};
	expect(received[0].headers).toMatchObject(expected);
	expect(pyroscope.urlOf(new URL('http://h:4040/base/')).pathname).toBe('/base/push.v1.PusherService/Push');
});

const passing: Record<string, {readonly answer: Answer; readonly problem: RegExp}> = {
	'closes instead of answering': {
		answer: response => response.socket!.destroy(),
		problem: /socket hang up|connection reset/,
	},
	'closes in the middle of its answer': {
		answer(response) {
			response.writeHead(200, {'content-length': 100}).write('{');
			setTimeout(() => response.socket!.destroy(), 50);
		}, problem: /aborted|connection reset/,
	},
	'switches to another protocol': {
		answer: response => response.socket!.write('HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
		problem: /another protocol/,
	},
	'has no end of interim answers': {
		answer(response) {
			const interim = 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(1000);
			const more = () => {
				while (!response.socket!.destroyed && response.socket!.write(interim)) {
					// Until the socket is full.
				}
			};

			response.socket!.on('drain', more);
			more();
		}, problem: /answers 102 again and again/,
	},
	'does not answer': {answer: () => undefined, problem: /no answer in 1 s/},
	'begins to answer and stops': {answer: response => response.writeHead(200).write('{'), problem: /no answer in 1 s/},
	'is overloaded': {answer: status(503, 'try later'), problem: /answered 503: "try later"/},
	'wants credentials': {answer: status(401), problem: /answered 401: the credentials in --headers/},
	'answers with a log-in page': {
		answer: status(200, '<html>', {'content-type': 'text/html'}),
		problem: /answered 200 with a web page/,
	},
	'answers with escape sequences': {answer: status(502, '\u001B]0;x\u0007'), problem: /"\\x1b]0;x\\x07"/},
};

test.each(Object.entries(passing))('a backend that %s gets the window again', async (_, {answer, problem}) => {
	const {url, received} = await backend([answer]);
	const sender = senderTo(url, {timeoutMs: 1000, firstWaitMs: 200});
	sender.send('a', 'b');
	expect(await until(() => sender.problems[0])).toMatch(problem);
	await until(() => sender.sent === 2);
	expect(received.map(({body}) => body)).toEqual(['a', 'a', 'b']);
	expect(sender).toMatchObject({problem: undefined, dropped: 0, refused: 0, waiting: 0});
});

test('Retry-After is waited for, but not for ever', async () => {
	const {url, received} = await backend([
		status(429, '', {'retry-after': '1'}),
		status(429, '', {'retry-after': new Date(Date.now() + 2500).toUTCString()}),
	]);
	const sender = senderTo(url);
	sender.send('a');
	await until(() => sender.sent === 1);
	expect(received[1].atMs - received[0].atMs).toBeGreaterThan(950);
	const forEver = await backend([status(429, '', {'retry-after': '99999999999'})]);
	const other = senderTo(forEver.url);
	other.send('a');
	await until(() => other.problems[0]);
	await other.close(1000);
	expect(other).toMatchObject({sent: 1, dropped: 0});
});

/** What a backend says may quote credentials, as they are or encoded. */
const credentials = {headers: () => ({Authorization: 'Basic YWxpY2U6aHVudGVyMg=='})};

const refusing = [status(400, 'bad profile of alice:hunter2'), status(413)];
const takingAPart = [
	status(200, '{"partialSuccess":{"rejectedProfiles":"2","errorMessage":"too old"}}'),
	status(200, 'no JSON'),
];

test.each([
	['refuses', refusing, /^http:\S+ answered 400: "bad profile of alice:hunter2"$/, pyroscope, {}],
	['refuses', refusing, /^http:\S+ answered 400$/, pyroscope, credentials],
	['takes only a part of', takingAPart, /^2 profiles of a window were rejected: too old$/, otlp, {}],
	[
		'takes only a part of',
		takingAPart,
		/ refused a part; its reason is not shown, as it may quote the headers$/,
		otlp,
		credentials,
	],
])('a window that a backend %s is counted, and the next is sent: %#', async (_, answers, said, protocol, options) => {
	const {url} = await backend(answers);
	const sender = senderTo(url, options, protocol);
	sender.send('a');
	expect(await until(() => sender.problems[0])).toMatch(said);
	sender.send('b', 'c');
	await until(() => sender.sent === 1);
	expect(sender).toMatchObject({refused: 2, dropped: 0, problem: undefined});
});

test('credentials do not follow a redirect', async () => {
	const elsewhere = await backend();
	const {url, received}
		= await backend([301, 302, 307, 308].map(code => status(code, '', {location: `${elsewhere.url.href}?token=x`})));
	const sender = senderTo(url, {headers: () => ({Authorization: 'Bearer secret'})});
	sender.send('a');
	expect(await until(() => sender.problems[0]))
		.toBe(`${url.origin} answered 301, a redirect: not followed; give the backend's own address`);
	await until(() => sender.sent === 1);
	expect(received).toHaveLength(5);
	expect(elsewhere.received).toEqual([]);
});

test('while the backend is away the newest windows wait, no more than fit', async () => {
	const {server, port} = await backend();
	server.close();
	const sender = senderTo(new URL(`http://127.0.0.1:${port}`), {maxBytes: 10_000});
	for (let window = 0; window < 1000; window++) {
		sender.send(String(window).padStart(1000));
		expect(sender.waitingBytes).toBeLessThanOrEqual(10_000);
	}

	expect(await until(() => sender.problems[0])).toContain('connection refused');
	await until(() => sender.waiting === 10 && sender.dropped === 990);
	// A window that never fits is dropped alone: those that wait stay.
	sender.add(Buffer.alloc(20_000));
	expect(sender.problems.at(-1)).toBe('a window of 19.5K is larger than the queue');
	const {received} = await backend([], port);
	await until(() => sender.sent === 10);
	const sorted = received.map(({body}) => Number(body)).sort((a, b) => a - b);
	expect(sorted).toEqual(Array.from({length: 10}, (_, at) => 990 + at));
	sender.send('small');
	await until(() => sender.sent === 11);
	expect(sender.dropped).toBe(991);
});

/** Waits until a condition holds, and looks at each turn of the event loop. */
async function soon(condition: () => boolean): Promise<void> {
	const deadlineMs = performance.now() + patienceMs;
	while (!condition()) {
		await setImmediate();
		expect(performance.now()).toBeLessThan(deadlineMs);
	}
}

test('32 JVMs reach a backend that takes half a second, and an outage is made good within its length', async () => {
	const pending: Array<() => void> = [];
	const connections = new Set<unknown>();
	let isAway = true;
	const {url} = await serve((request, _, response) => {
		connections.add(request.socket);
		if (isAway) {
			response.writeHead(503).end();
		} else {
			pending.push(() => response.end());
		}
	});
	const sender = senderTo(url);
	// Each turn is half a second, in which the backend takes what it was sent in the turn before.
	const [turnsOfWindow, turnsOfOutage, jvms] = [30, 1200, 32];
	const turn = (at: number) => {
		if (at % turnsOfWindow === 0) {
			sender.send(...Array.from({length: jvms}, (_, jvm) => `${at} ${jvm}`));
		}
	};

	for (let at = 0; at < turnsOfOutage; at++) {
		turn(at);
	}

	await until(() => sender.problems[0]);
	connections.clear();
	isAway = false;
	let turns = 0;
	for (; turns < turnsOfOutage && (turns === 0 || sender.waiting > 0); turns++) {
		turn(turns);
		// One at a time until it has taken something.
		await soon(() =>
			pending.length >= (sender.sent === 0 ? 1 : Math.min(maxRequests, pending.length + sender.waiting)));
		const {sent} = sender;
		const taken = pending.splice(0);
		for (const take of taken) {
			take();
		}

		await soon(() => sender.sent === sent + taken.length);
	}

	expect(turns).toBeLessThan(turnsOfOutage);
	expect(sender).toMatchObject({dropped: 0, refused: 0, waiting: 0});
	expect(connections.size).toBeLessThanOrEqual(maxRequests);
});

test('a window that meets a closed connection is sent on another', async () => {
	const used = new Set<unknown>();
	const {url} = await serve(({socket}, _, response) => {
		// As if the connection had been closed just before the request came.
		if (used.has(socket)) {
			socket.destroy();
		} else {
			used.add(socket);
			response.end('{}');
		}
	});
	const sender = senderTo(url);
	for (let window = 1; window <= 5; window++) {
		sender.send(String(window));
		await until(() => sender.sent === window);
	}

	expect(sender.problems).toEqual([]);
	expect(used.size).toBe(5);
});

test('at the end what waits is tried once, and the rest counts as dropped', async () => {
	const {url, received} = await backend([status(503), () => undefined]);
	const sender = senderTo(url, {firstWaitMs: 600_000});
	sender.send('a', 'b');
	await until(() => sender.problems[0]);
	await sender.close(200);
	expect(received.map(({body}) => body)).toEqual(['a', 'a']);
	expect(sender).toMatchObject({sent: 0, dropped: 2, waiting: 0});
});

test('headers come from a file, read each time, or from the environment; no error shows a value', () => {
	const file = path.join(folderForTest(), 'headers');
	writeFileSync(file, '# of the backend\nAuthorization: Bearer one\n\nX-Scope-OrgID:shop\r\n');
	const headers = headersFrom(file);
	expect(headers()).toEqual({Authorization: 'Bearer one', 'X-Scope-OrgID': 'shop'});
	writeFileSync(file, 'Authorization: Bearer two');
	expect(headers()).toEqual({Authorization: 'Bearer two'});
	for (
		const content of [
			'secret',
			'na me: secret',
			'a: secr\u0001et',
			'Transfer-Encoding: secret',
			`a: ${'secret'.repeat(20_000)}`,
		]
	) {
		writeFileSync(file, content);
		expect(headers).toThrow(/^(?!.*secret).*headers/);
	}

	execFileSync('mkfifo', [`${file}.fifo`]);
	expect(headersFrom(`${file}.fifo`)).toThrow('not a regular file');
	expect(headersFrom('Authorization: Bearer secret')).toThrow(/^(?!.*secret).*headers/);
	process.env.TPROF_HEADERS = 'a: b';
	expect(headersFrom(undefined)()).toEqual({a: 'b'});
	expect(process.env.TPROF_HEADERS).toBeUndefined();
});

test('a backend\'s address says its protocol, and holds no credential', () => {
	expect(backendOf('http://h:4318/v1development/profiles').protocol).toBe(otlp);
	expect(backendOf('https://h/x').protocol).toBe(pyroscope);
	for (const wrong of ['h:4040', 'ftp://h', 'http://', 'https://user:secret@h', 'https://h/?token=secret']) {
		expect(() => backendOf(wrong)).toThrow(/^(?!.*secret)--to/);
	}
});

test('metrics are for this host, under its own names', async () => {
	const {port} = closedAfterTest(await serveMetrics({host: '127.0.0.1', port: 0}, () => 'page\n'));
	const get = async (at: string, host = `localhost:${port}`) => {
		const [response] = await once(http.get(`http://127.0.0.1:${port}${at}`, {headers: {host}}), 'response') as [
			http.IncomingMessage,
		];
		return `${response.statusCode} ${Buffer.concat(await response.toArray() as Buffer[]).toString()}`;
	};

	expect(await get('/metrics')).toBe('200 page\n');
	expect(await get('/metrics?x=y')).toBe('200 page\n');
	expect(await get('/')).toBe('404 see /metrics\n');
	expect(await get('/metrics', 'evil.example')).toBe('404 see /metrics\n');
	await expect(serveMetrics({host: '127.0.0.1', port}, () => '')).rejects
		.toThrow(/cannot listen on 127.0.0.1 port \d+: EADDRINUSE/);
});

test('a query that Pyroscope cannot answer says why', async () => {
	const now = 1_700_000_000_000;
	expect(backendQuery(
		'pyroscopes://h/base/?query=wall:wall:nanoseconds:wall:nanoseconds{state="BLOCKED"}&from=now-1h&until=now-30m&groupBy=env',
		now,
	)).toEqual({
		url: new URL('https://h/base/'),
		types: ['wall:wall:nanoseconds:wall:nanoseconds'],
		selector: '{state="BLOCKED"}',
		isOfAll: false,
		groupBy: expect.arrayContaining(['service_name', 'pod', 'pid', 'env']) as string[],
		startMs: now - 3_600_000,
		endMs: now - 1_800_000,
	});
	expect(backendQuery(`pyroscope://h/?from=now-1h&until=${now + 7_200_000}`, now)).toMatchObject({
		startMs: now - 3_600_000,
		endMs: now,
	});
	expect(() => backendQuery('pyroscope://h:x')).toThrow('the address is not a URL');
	const ofMemory = 'pyroscope://h/?query=memory:alloc_space:bytes:space:bytes{}';
	expect(() => backendQuery(ofMemory)).toThrow('profiles of CPU and wall time');
	for (
		const wrong of [
			'pyroscope://h/?query=x',
			'pyroscope://h/?token=secret',
			'pyroscope://h/?query={}&from=yesterday',
			'pyroscope://h/?query={}&until=now-1',
			'pyroscope://h/?query={}&from=now',
			'pyroscope://h/?from=now-99999d',
			`pyroscope://h/?from=${now + 1}&until=${now + 2}`,
			'pyroscope://me:secret@h/?query={}',
		]
	) {
		expect(() => backendQuery(wrong, now)).toThrow(/^(?!.*secret)/);
	}

	expect(withLabels({...backendQuery('pyroscope://h'), selector: '{a="1,b=2}",b=~`x`, c!=\'d\'}'}, {b: 'q"', e: ''})
		.selector).toBe(String.raw`{a="1,b=2}", c!='d',b="q\"",e=""}`);
	const {port} = await backend([
		status(400, '{"code":"invalid_argument","message":"no such label"}'),
		status(200),
		response => response.end(Buffer.alloc(500)),
		response => response.end(Buffer.alloc(5000)),
	]);
	const query = backendQuery(`pyroscope://127.0.0.1:${port}/?query={a="b"}`);
	const context = {headers: {}, signal: new AbortController().signal};
	const ask = async () => mergedProfile(query, query.types[0], context, 1024);
	await expect(ask()).rejects.toThrow(/answered 400: ".*no such label/);
	await expect(ask()).rejects.toThrow(`has nothing of ${query.types[0]} of {a="b"} in that span`);
	const nonsense = await ask();
	expect(() => readPprof(nonsense)).toThrow(/as a CPU profile/);
	await expect(ask()).rejects.toThrow(/sent more than 0\.\d+ MB/);
});
