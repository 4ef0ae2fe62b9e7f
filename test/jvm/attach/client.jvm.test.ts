import {once} from 'node:events';
import {rmSync} from 'node:fs';
import {createServer, type Socket} from 'node:net';
import process from 'node:process';
import {expect, test} from 'vitest';
import {AttachClient} from '../../../source/jvm/attach/client.js';
import {chooseDialect, encodeRequest} from '../../../source/jvm/attach/protocol.js';
import {atTestEnd} from '../../helpers/for-test.js';
import {rawTarget} from '../../helpers/jvm.js';
import {patienceMs} from '../../helpers/until.js';

const dump = Buffer.from('2026-01-01 00:00:00\nFull thread dump VM (17 mixed mode):\n\n"main" #1 prio=5\n\nJNI global refs: 12, weak refs: 0\n\n');
const options: Parameters<AttachClient['threadDump']>[0] = {timeoutMs: patienceMs};

/**
A real listener on this process's own attach socket, until the test ends: for answers that no JVM gives on demand.
*/
async function startListener(answer: (request: Buffer, socket: Socket) => void) {
	const path = `/tmp/.java_pid${process.pid}`;
	rmSync(path, {force: true});
	const client = new AttachClient(rawTarget(process.pid));
	const listener = {requests: [] as Buffer[], answer, dump: async (more = options) => client.threadDump(more)};
	const open = new Set<Socket>();
	const server = createServer(socket => {
		open.add(socket.on('error', () => undefined));
		socket.once('data', request => {
			listener.requests.push(request);
			listener.answer(request, socket);
		});
	}).listen(path);
	await once(server, 'listening');
	atTestEnd(async () => {
		server.close();
		for (const socket of open) {
			socket.destroy();
		}

		await once(server, 'close');
		rmSync(path, {force: true});
	});
	return listener;
}

/** Answers the question for the version as an old JVM does, and a dump as `answer` does. */
function oldJvm(answer: (socket: Socket) => void) {
	return (request: Buffer, socket: Socket) => {
		if (request.toString() === '1\0getversion\0options\0\0\0') {
			socket.end('-1\nOperation getversion not recognized!');
		} else {
			answer(socket);
		}
	};
}

test('a dump arrives whole however its bytes are cut', async () => {
	const reply = Buffer.concat([Buffer.from('0\n'), dump]);
	let cut = 0;
	const listener = await startListener(oldJvm(socket => {
		socket.write(reply.subarray(0, cut), () => {
			setImmediate(() => socket.end(reply.subarray(cut)));
		});
	}));
	for (cut = 1; cut < reply.length; cut++) {
		const result = await listener.dump();
		expect(result.status).toBe('ok');
		expect((result as {bytes: Buffer}).bytes.equals(dump)).toBe(true);
	}

	expect(listener.requests.filter(request => request.includes('getversion'))).toHaveLength(1);
	expect(listener.requests.at(-1)!.toString()).toBe('1\0threaddump\0\0\0\0');
});

test('a dump that ends too early is a failure at every byte', async () => {
	const reply = Buffer.concat([Buffer.from('0\n'), dump]);
	let length = 0;
	const listener = await startListener(oldJvm(socket => socket.end(reply.subarray(0, length))));
	const counted = 2 + dump.indexOf('\n\n', dump.indexOf('JNI global ref')) + 1;
	for (length = 1; length < counted; length++) {
		expect(await listener.dump()).toMatchObject({status: 'failed'});
	}

	length = counted;
	expect(await listener.dump()).toMatchObject({status: 'ok'});
});

test.each([
	['no answer at all', (socket: Socket) => socket.end(), /without an answer/],
	['no number in front', (socket: Socket) => socket.end('Full thread dump\n'), /invalid answer/],
	['an endless number', (socket: Socket) => socket.end('0'.repeat(100_000)), /invalid answer/],
	['a refusal', (socket: Socket) => socket.end('-1\nno'), /refused to give a thread dump/],
])('%s is a failure of this dump, and the next may work', async (_, answer, reason) => {
	const listener = await startListener(oldJvm(answer));
	expect(await listener.dump()).toMatchObject({status: 'failed', reason: expect.stringMatching(reason) as string});
	listener.answer = oldJvm(socket => socket.end(Buffer.concat([Buffer.from('0\n'), dump])));
	expect(await listener.dump()).toMatchObject({status: 'ok'});
});

test('an answer without an end is given up at a bound, in words', async () => {
	const listener = await startListener(oldJvm(socket => {
		const more = () => {
			let isTaken = true;
			while (socket.writable && isTaken) {
				isTaken = socket.write(Buffer.alloc(1 << 20, 'x\n'));
			}
		};

		socket.on('drain', more);
		more();
	}));
	expect(await listener.dump()).toEqual({
		status: 'failed',
		reason: 'the JVM\'s answer is larger than 64 MB: too much to sample this way',
		hint: '',
		otherEnginesMayWork: true,
	});
});

test('a silent listener costs no more than the time-out, and its connection is closed', async () => {
	let closed: Promise<unknown> | undefined;
	const listener = await startListener((_, socket) => {
		closed = once(socket, 'close');
	});
	expect(await listener.dump({timeoutMs: 100})).toMatchObject({status: 'failed', reason: 'no answer in time'});
	await closed;
	listener.answer = oldJvm(socket => {
		socket.write(dump.subarray(0, 10));
	});
	expect(await listener.dump({timeoutMs: 100})).toMatchObject({status: 'failed', reason: 'no answer in time'});
});

test('a request that is given up ends at once, and its connection is closed', async () => {
	const abort = new AbortController();
	let closed: Promise<unknown> | undefined;
	const listener = await startListener((_, socket) => {
		closed = once(socket, 'close');
		abort.abort();
	});
	expect(await listener.dump({...options, signal: abort.signal})).toMatchObject({
		status: 'failed',
		reason: 'given up',
	});
	await closed;
	expect(await listener.dump({...options, signal: abort.signal})).toMatchObject({
		status: 'failed',
		reason: 'given up',
	});
});

test('no dump is asked for where the answer about streaming is not understood', async () => {
	const listener = await startListener((_, socket) => socket.end('0\nmaybe'));
	expect(await listener.dump()).toMatchObject({
		status: 'failed',
		reason: expect.stringMatching(/protocol version/) as string,
	});
	expect(listener.requests.map(String)).toEqual(['1\0getversion\0options\0\0\0']);
});

test('JVMs that stream are asked not to, in the version they speak', async () => {
	const listener = await startListener((request, socket) => {
		socket.end(request.includes('getversion') ? '0\n2 streaming' : Buffer.concat([Buffer.from('0\n'), dump]));
	});
	expect(await listener.dump()).toMatchObject({status: 'ok'});
	expect(listener.requests.at(-1)!.toString()).toBe('2\u000023\0threaddump streaming=0\0');
});

test('what the listener would misread is no request', () => {
	for (const args of [['a\0b'], ['x'.repeat(1025)], ['1', '2', '3', '4']]) {
		expect(() => encodeRequest(1, 'jcmd', args)).toThrow(RangeError);
	}

	expect(() => encodeRequest(2, 'a\0b', [])).toThrow(RangeError);
});

test.each([
	[-1, 'Operation getversion not recognized!', {version: 1, dumpCommand: 'threaddump'}],
	[0, '2 streaming', {version: 2, dumpCommand: 'threaddump streaming=0'}],
	[0, '2 streaming\n', {version: 2, dumpCommand: 'threaddump streaming=0'}],
	[0, '3 other,streaming', {version: 2, dumpCommand: 'threaddump streaming=0'}],
	[0, '1 streaming', {version: 1, dumpCommand: 'threaddump streaming=0'}],
	[0, '2', {version: 1, dumpCommand: 'threaddump'}],
	[0, '', undefined],
	[0, 'yes', undefined],
	[-1, 'out of memory', undefined],
	[101, '', undefined],
])('getversion answers %i %j', (code, text, dialect) => {
	expect(chooseDialect(code, text)).toEqual(dialect);
});
