import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {Client} from '@modelcontextprotocol/sdk/client/index.js';
import {StdioClientTransport} from '@modelcontextprotocol/sdk/client/stdio.js';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {beside, folderForTest, javaForTest} from '../helpers/for-test.js';
import {cli} from '../helpers/run.js';
import {until} from '../helpers/until.js';

/** Does something with the protocol's own client, connected to a server of ours. */
async function withClient<T>(action: (client: Client) => Promise<T>): Promise<T> {
	const client = new Client({name: 'test', version: '1'});
	await client.connect(new StdioClientTransport({command: process.execPath, args: [cli, 'mcp'], stderr: 'inherit'}));
	try {
		return await action(client);
	} finally {
		await client.close();
	}
}

/** Calls a tool; returns its text, after whether it is an error. */
async function call(
	client: Client,
	name: string,
	given: Record<string, unknown> = {},
): Promise<readonly [isError: boolean, text: string]> {
	const {content, isError} = await client.callTool({name, arguments: given});
	return [isError === true, (content as ReadonlyArray<{readonly text: string}>)[0].text];
}

test.concurrent(
	'a model lists the JVMs, asks what is wrong with one, and for the rows of its views',
	beside(async () => {
		const {pid} = await javaForTest('Situations', {args: ['deadlock']});
		const target = String(pid);
		await withClient(async client => {
			const {tools} = await client.listTools();
			expect(tools.map(({name}) => name)).toEqual([
				'list', 'explain', 'lines', 'threads', 'stacks', 'waits', 'record', 'diff',
			]);
			expect(tools.filter(({annotations}) => !annotations?.readOnlyHint).map(({name}) => name)).toEqual(['record']);
			expect(await call(client, 'list')).toEqual([false, expect.stringContaining(target)]);
			expect(await call(client, 'explain', {target, seconds: 3}))
				.toEqual([false, expect.stringContaining('1. `DEADLOCK: ')]);
			for (const name of ['lines', 'threads', 'stacks', 'waits']) {
				const [isError, text] = await call(client, name, {target, seconds: 1, top: 3, filter: 'w'});
				expect({name, isError, text: isError ? text : ''}).toEqual({name, isError: false, text: ''});
				expect(JSON.parse(text)).toMatchObject({tool: 'tprof-top', target: {pid}});
			}
		});
	}),
);

test.concurrent(
	'it records two windows into new files, and compares them',
	beside(async () => {
		const {pid} = await javaForTest('Situations', {args: ['hog']});
		const [before, after] = ['a', 'b'].map(name => path.join(folderForTest(), `${name}.tprof`));
		await withClient(async client => {
			for (const file of [before, after]) {
				expect(await call(client, 'record', {target: String(pid), seconds: 2, file}))
					.toEqual([false, expect.any(String)]);
				expect(existsSync(file)).toBe(true);
			}

			expect(await call(client, 'record', {target: String(pid), seconds: 1, file: before}))
				.toEqual([true, expect.stringContaining('already exists')]);
			const [isError, text] = await call(client, 'diff', {before, after});
			expect({isError, text}).toEqual({isError: false, text: expect.stringContaining('mixes')});
		});
	}),
);

test('what a tool cannot do is said in its result, and the server goes on', async () => {
	await withClient(async client => {
		expect(await call(client, 'explain', {target: '--help'}))
			.toEqual([true, 'target must not be empty or begin with a dash']);
		expect(await call(client, 'lines', {target: '1', seconds: 1e9}))
			.toEqual([true, 'seconds must be a number from 1 to 600']);
		expect(await call(client, 'explain', {target: '1', events: 'all'}))
			.toEqual([true, expect.stringContaining('"all" is no kind of event')]);
		expect(await call(client, 'record', {target: '1', file: '/etc/passwd'}))
			.toEqual([true, 'file must end in .tprof']);
		expect(await call(client, 'explain', {target: 'NoSuchProgram', seconds: 1}))
			.toEqual([true, expect.stringContaining('NoSuchProgram')]);
		await expect(client.callTool({name: 'trace', arguments: {}})).rejects.toThrow('no tool trace');
	});
});

test('whatever a client sends, each request is answered, and the server ends when the input does', async () => {
	const child = spawn(process.execPath, [cli, 'mcp']);
	const written = {stdout: '', stderr: ''};
	for (const stream of ['stdout', 'stderr'] as const) {
		child[stream].setEncoding('utf8').on('data', (text: string) => {
			written[stream] += text;
		});
	}

	const junk = fc.sample(fc.oneof(
		fc.json(),
		fc.string().filter(text => !/[\n\r]/.test(text)),
		fc.record({jsonrpc: fc.constant('2.0'), id: fc.jsonValue(), method: fc.string(), params: fc.jsonValue()})
			.map(message => JSON.stringify(message)),
	), {numRuns: 200, seed: 4711});
	for (const line of junk) {
		child.stdin.write(`${line}\n`);
	}

	child.stdin.write('{"jsonrpc":"2.0","id":"last","method":"ping"}\n');
	await until(() => written.stdout.includes('"last"'));
	child.stdin.end();
	const [status] = await once(child, 'close') as [number];
	expect({status, stderr: written.stderr}).toEqual({status: 0, stderr: ''});
	for (const line of written.stdout.trim().split('\n')) {
		const answer = JSON.parse(line) as Record<string, unknown>;
		expect(answer).toMatchObject({jsonrpc: '2.0'});
		expect(Object.keys(answer)).toContain('id');
	}
});
