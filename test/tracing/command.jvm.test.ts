import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {readdirSync, statSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {beforeAll, describe, expect, test} from 'vitest';
import {LiveTracer, traceRequest} from '../../source/commands/live-tracer.js';
import {identify} from '../../source/jvm/discovery/inspect.js';
import {parseCommandLine} from '../../source/commands/command-line.js';
import type {Options} from '../../source/options/parse.js';
import {makeSessionFolder} from '../../source/tracing/session-folder.js';
import {classIn, hasAgent, traced} from '../helpers/tracing.js';
import {isRoot, javaAsOtherUser, otherUser} from '../helpers/users.js';
import {beside, closedAfterTest, javaForTest, sharedJava} from '../helpers/for-test.js';
import {isNewestOrAskedFor, type JavaProcess, jdk, jdks, sayTo, startJava, targetOf} from '../helpers/jvm.js';
import {until} from '../helpers/until.js';
import {cli, runCli, startCli} from '../helpers/run.js';
import {TerminalSession} from '../helpers/terminal.js';

/** The tests of a JVM come one after the other: it has one agent at a time. */
const inTurn = {concurrent: false};

describe.concurrent('tprof-top trace', () => {
	const shared = sharedJava('KnownTraces', {jvmArgs: ['-Xmx384m'], under: []});
	let killed: JavaProcess;
	let code: string;
	let second: Awaited<ReturnType<typeof runCli>>;

	// Killed first and looked at last: the agent waits for ten seconds, as the other tests can.
	beforeAll(async () => {
		killed = await startJava('KnownTraces', {jvmArgs: ['-Xmx384m']});
		code = await classIn(await targetOf(killed), 'KnownTraces', jdk());
		const tool = spawn(process.execPath, [
			cli,
			'trace',
			String(killed.pid),
			'KnownTraces#*',
			'--yes',
			'--duration',
			'600',
			'--max-overhead',
			'100',
		], {stdio: 'ignore'});
		try {
			await until(() => hasAgent(killed.pid));
			second = await runCli('trace', String(killed.pid), 'KnownTraces#busy', '--yes');
		} finally {
			const gone = once(tool, 'exit');
			tool.kill('SIGKILL');
			await gone;
		}

		return async () => killed.stop();
	});

	test('says what it would do, and does it with --yes only', inTurn, beside(async () => {
		const {status, stdout, stderr} = await runCli('trace', String(shared.java.pid), 'KnownTraces#busy');
		expect({status, stdout}).toEqual({status: 1, stdout: ''});
		expect(stderr)
			.toMatch(/^Tracing KnownTraces#busy in JVM \d+ .*\n(?:- .*\n)+nothing was done; --yes does it\n$/);
		expect(shared.java.output()).not.toContain('WARNING');
		const traced = await runCli(
			'trace',
			String(shared.java.pid),
			'KnownTraces#busy',
			'--yes',
			'--duration',
			'0.5',
			'--max-overhead',
			'100',
			'--format',
			'json',
			'--slowest',
			'1',
		);
		expect({status: traced.status, stderr: traced.stderr}).toEqual({status: 0, stderr: ''});
		const document = JSON.parse(traced.stdout) as {
			methods: Array<{calls: number}>;
			wovenMethods: number;
			slowest: unknown[];
		};
		expect(document).toMatchObject({
			wovenMethods: 1,
			wovenClasses: 1,
			lostCalls: 0,
			methods: [{method: 'KnownTraces.busy', parameters: 'long', exceptions: 0}],
			tree: [{method: 'KnownTraces.busy', children: []}],
		});
		expect(document.methods[0].calls).toBeGreaterThan(100);
		expect(document.slowest).toHaveLength(1);
	}));

	test('on a terminal it asks before the agent is loaded, and again with the number of methods', inTurn, beside(async () => {
		const tool
			= closedAfterTest(new TerminalSession(process.execPath, [
				cli,
				'trace',
				String(shared.java.pid),
				'KnownTraces#*',
				'--batch',
			]));
		await tool.until('Load the agent and look? [y/N]');
		expect(hasAgent(shared.java.pid)).toBe(false);
		await tool.typeUntil('y\r', /\d+ methods of 1 class: such as KnownTraces\.[^]*Trace\? \[y\/N]/);
		tool.type('\r');
		expect(await tool.ended()).toMatchObject({exitCode: 1});
		await until(() => !hasAgent(shared.java.pid));
	}));

	test('on the screen it is known how many methods a pattern means before they are traced', inTurn, beside(async () => {
		const {options} = parseCommandLine(['trace', String(shared.java.pid), 'x', '--max-methods', '2'], {}) as {
			readonly options: Options;
		};
		const {target} = shared;
		const before = await classIn(target, 'KnownTraces', jdk());
		const tracer = closedAfterTest(new LiveTracer(target, traceRequest(target, [], options)));
		const found = await tracer.find('KnownTraces#*');
		const [, methods] = /^trace (\d+) methods of 1 class\? \[y\/N] $/.exec(found.question)!;
		expect(found.about)
			.toMatch(new RegExp(`^such as KnownTraces\\.\\w+, .*That makes ${methods}, more than --max-methods 2\\..* in JVM ${shared.java.pid} \\(KnownTraces, JDK `));
		const during = await classIn(target, 'KnownTraces', jdk());
		expect(during).toBe(before);
		await tracer.forget();
		await until(() => !hasAgent(shared.java.pid));
		await expect(tracer.trace()).rejects.toThrow('no longer');
		expect(await tracer.find('KnownTraces#busy')).toMatchObject({
			question: 'trace 1 method of 1 class? [y/N] ',
			about: expect.stringMatching(/^KnownTraces\.busy\. Each/) as unknown,
		});
		expect(await tracer.trace()).toBe('1 method is traced; the Traces view has them');
		await tracer.find('KnownTraces#*');
		await tracer.forget();
		await expect(tracer.find('KnownTraces.bussy')).rejects.toThrow('did you mean');
		expect(hasAgent(shared.java.pid)).toBe(true);
		expect(await tracer.find('com.acme.Later#*')).toMatchObject({
			question: 'wait for a class that matches com.acme.Later#*? [y/N] ',
		});
		expect(await tracer.trace())
			.toBe('1 method is traced; the Traces view has them; waiting for a class that matches com.acme.Later#*; it is traced once it is loaded');
		await tracer.find('KnownTraces#*');
		expect(await tracer.trace()).toMatch(`${methods} methods are traced; the Traces view has them`);
	}));

	test('a pattern that means nothing is one clear line', inTurn, beside(async () => {
		expect(await runCli('trace', String(shared.java.pid), 'KnownTraces.bussy', '--yes')).toMatchObject({
			status: 1,
			stdout: '',
			stderr: expect
				.stringMatching(/^tprof-top: no method of a loaded class matches KnownTraces\.bussy; did you mean KnownTraces\.busy.*\n.*\n$/) as unknown,
		});
		expect(await runCli('trace', String(shared.java.pid), 'java.lang.Thread#yield', '--yes')).toMatchObject({
			status: 1,
			stderr: expect.stringContaining('cannot trace java.lang.Thread') as unknown,
		});
		const long = Array.from({length: 250}, () => `${'a'.repeat(300)}#b`);
		expect(await runCli('trace', String(shared.java.pid), ...long, '--yes')).toMatchObject({
			status: 2,
			stderr: expect.stringContaining('no more than 64 KB') as unknown,
		});
	}));

	test.for([
		['a pattern with a space', ['trace', '1', 'Known Traces', '--yes'], ''],
		['501 patterns', ['trace', '1', ...Array.from({length: 501}, () => 'a.B#c'), '--yes'], 'more than 500 patterns'],
		['another command\'s format', ['--format', 'xml', '1'], 'is for tprof-top trace'],
	] as const)('%s is one clear line', async ([, args, reason]) => {
		expect(await runCli(...args)).toMatchObject({
			status: 2,
			stdout: '',
			stderr: expect.stringContaining(reason) as unknown,
		});
	});

	test('a class that is not loaded yet is waited for, until it is loaded or the time is over', inTurn, beside(async () => {
		expect(await runCli('trace', String(shared.java.pid), 'KnownTraces$Awaited#*', '--yes', '--duration', '0.3'))
			.toMatchObject({
				status: 1,
				stdout: '',
				stderr: expect
					.stringMatching(/^tprof-top: no class is loaded yet that matches KnownTraces\$Awaited#\*.*\ntprof-top: waiting for a class that matches .*\ntprof-top: nothing was traced: no class was loaded that matches/) as unknown,
			});
		const tool = startCli(
			'trace',
			String(shared.java.pid),
			'KnownTraces$Awaited#*',
			'--yes',
			'--duration',
			'600',
			'--format',
			'json',
		);
		await until(() => tool.stderr().includes('waiting for a class'));
		await sayTo(shared.java, 'await');
		await until(() => tool.stderr().includes('loaded, and traced from now on: KnownTraces$Awaited.wait'));
		tool.child.kill('SIGINT');
		const {stdout} = await tool.ended;
		expect(JSON.parse(stdout)).toMatchObject({
			methods: [{method: 'KnownTraces$Awaited.wait', calls: 1, exceptions: 0}],
		});
	}));

	test('an interface that lambdas alone implement is one clear line', beside(async () => {
		const lambdas = await javaForTest('FailingConstructors', {jvmArgs: ['-Xmx384m'], under: []});
		expect(await runCli('trace', String(lambdas.pid), 'FailingConstructors$Maker#make', '--yes')).toMatchObject({
			status: 1,
			stdout: '',
			stderr:
				'tprof-top: cannot trace lambdas: lambdas and method references themselves cannot be traced; the code of a lambda can: FailingConstructors#lambda$*\n',
		});
	}));

	test('kill -9 of the tool leaves the target as it was; meanwhile a second tool was refused', inTurn, beside(async () => {
		expect(second).toMatchObject({
			status: 1,
			stderr: expect.stringContaining('another tprof-top has its agent in this JVM') as unknown,
		});
		await until(() => !hasAgent(killed.pid));
		const after = await classIn(await targetOf(killed), 'KnownTraces', jdk());
		expect(after).toBe(code);
		expect(readdirSync('/tmp').filter(name => name.startsWith(`.tprof-${killed.pid}.`))).toEqual([]);
	}));
});

test.concurrent.for([
	['-XX:-EnableDynamicAgentLoading', /does not let agents be loaded \(-XX:-EnableDynamicAgentLoading\)/],
	['-XX:+DisableAttachMechanism', /attach/i],
] as const)('a JVM with %s is left alone, with one clear line', beside(async ([flag, reason]) => {
	const java = await javaForTest('KnownTraces', {jvmArgs: [flag, '-Xmx384m'], args: ['quiet'], under: []});
	const {status, stdout, stderr} = await runCli('trace', String(java.pid), 'KnownTraces#busy', '--yes');
	expect({status, stdout}).toEqual({status: 1, stdout: ''});
	expect(stderr).toMatch(reason);
	expect(hasAgent(java.pid)).toBe(false);
	expect(java.output()).not.toContain('WARNING');
}));

test.skipIf(!isRoot)
	.each(jdks().filter(({release}) => isNewestOrAskedFor(release)).map(on => [on.release, on] as const))(
		'JDK %i: root traces another user\'s JVM: its files are that user\'s, and closed to others (needs root: nobody else can start one)',
		async (_, on) => {
			const java = await javaForTest('KnownTraces', {
				jdk: on, java: javaAsOtherUser(on), jvmArgs: ['-Xmx384m'], under: [],
			});
			const target = await targetOf(java);
			const folder = makeSessionFolder(target, Buffer.from('jar'));
			try {
				const rights = ['', 'agent.jar', 'control', 'data'].map(file => statSync(path.join(folder.path, file)))
					.map(({uid, gid, mode}) => ({uid, gid, mode: mode & 0o7777}));
				expect(rights).toEqual([0o700, 0o444, 0o600, 0o600].map(mode => ({...otherUser, mode})));
				const third = spawnSync('cat', [path.join(folder.path, 'agent.jar')], {
					uid: otherUser.uid + 1,
					gid: otherUser.gid + 1,
				});
				expect(third.status).not.toBe(0);
			} finally {
				folder.remove();
			}

			expect(() => statSync(folder.path)).toThrow('ENOENT');
			expect(await traced(target, {patterns: ['KnownTraces#busy']}, async () => undefined)).toMatchObject({
				phase: 'over',
				wovenMethods: 1,
			});
			expect(identify(java.pid).ok).toBe(true);
		},
	);
