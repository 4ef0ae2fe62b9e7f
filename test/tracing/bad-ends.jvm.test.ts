import {spawnSync} from 'node:child_process';
import {readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import type {TraceReport} from '../../source/model/trace-report.js';
import {traceMethods} from '../../source/views/traces/traced-methods.js';
import {TraceSession} from '../../source/tracing/trace-session.js';
import {agentJar, hasAgent, reportsOf, request, traced} from '../helpers/tracing.js';
import {namespaceRefusal} from '../helpers/users.js';
import {beside, folderForTest, javaForTest, programForTest, closedAfterTest} from '../helpers/for-test.js';
import {compileProgram, type JavaProcess, jdk, runTool, sayTo, targetOf} from '../helpers/jvm.js';
import {until} from '../helpers/until.js';
import {runCli} from '../helpers/run.js';

const patterns = ['KnownTraces#recurse'];
const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;
const unshare = ['unshare', '--mount'];
const noNamespace = namespaceRefusal(unshare);

const recursionsOf = (report: TraceReport) =>
	traceMethods(report, undefined).find(({method}) => method === 'recurse')?.calls;

// They wait for most of their time.
test.concurrent.for([
	['trace', 'KnownTraces', ['KnownTraces#slow'], ['quiet']],
	['tasks', 'KnownTasks', [], []],
] as const)(
	'a target that ends is said beside what was counted until then (%s)',
	beside(async ([command, program, patterns, args]) => {
		const java = await javaForTest(program, {jvmArgs: ['-Xmx384m'], args: [...args], under: []});
		const ended = runCli(command, String(java.pid), ...patterns, '--yes', '--duration', '600', '--format', 'json');
		await until(() => reportsOf(java.pid) >= 2);
		java.child.kill('SIGKILL');
		const {status, stdout, stderr} = await ended;
		expect({status, stderr}).toEqual({status: 0, stderr: ''});
		expect(JSON.parse(stdout)).toMatchObject({
			notes: [`JVM ${java.pid} ended meanwhile: what it did in its last second may be missing`],
		});
	}),
);

test.concurrent(
	'a target that stands still at the end is said beside what was counted until then',
	beside(async () => {
		const java = await javaForTest('KnownTasks', {jvmArgs: ['-Xmx384m'], under: []});
		const ended = runCli('tasks', String(java.pid), '--yes', '--duration', '6', '--format', 'json');
		await until(() => reportsOf(java.pid) >= 1);
		java.child.kill('SIGSTOP');
		const {status, stdout, stderr} = await ended;
		java.child.kill('SIGCONT');
		const fault = `the agent in JVM ${java.pid} does not answer`;
		expect({status, stderr: stderr.split('\n')[0]}).toEqual({status: 1, stderr: `tprof-top: ${fault}`});
		expect(JSON.parse(stdout)).toMatchObject({notes: [`this report ends early: ${fault}`]});
		await until(() => !hasAgent(java.pid));
	}),
);

test.concurrent(
	'an error of the agent in a full heap is not for the program\'s own handler of uncaught exceptions',
	beside(async () => {
		const java = await javaForTest('FillsHeap', {jvmArgs: ['-Xmx300m', '-XX:+UseParallelGC'], under: []});
		await runCli('trace', String(java.pid), 'FillsHeap#tiny', '--yes', '--duration', '4');
		const [, thread] = await java.waitFor(/^(?:survived|uncaught in (\S+):)/m);
		expect(thread ?? 'main').toBe('main');
	}),
);

test.skipIf(!hasPrlimit).concurrent(
	'a report that cannot be written ends the tracing with one clear line (needs prlimit, to bound its file)',
	beside(async () => {
		const java = await javaForTest('KnownTraces', {
			jvmArgs: ['-Xmx384m'],
			args: ['quiet'],
			under: ['prlimit', '--fsize=1048576'],
		});
		const target = await targetOf(java);
		const session = closedAfterTest(await TraceSession.open(target));
		await expect(session.weave({...request, patterns})).rejects
			.toThrow('the disk with the target\'s /tmp is full: the agent could not write its report');
		await session.close();
		await until(() => !hasAgent(java.pid));
		await sayTo(java, '1');
	}),
);

test.concurrent(
	'what another agent changes stays changed, before, while and after',
	beside(async () => {
		const on = jdk();
		const jar = agentJar(
			'OtherAgent',
			on,
			folderForTest(),
			'Premain-Class: OtherAgent\nCan-Retransform-Classes: true\n',
		);
		const java = await javaForTest('KnownTraces', {
			jdk: on,
			jvmArgs: [`-javaagent:${jar}`, '-Xmx384m'],
			args: ['quiet'],
			under: [],
		});
		const target = await targetOf(java);
		const textNow = async () => /^thrown (.*)$/m.exec(await sayTo(java, 'text'))![1];
		expect(await textNow()).toBe('THROUGH FIVE LEVELS');
		const report = await traced(target, {patterns}, async () => {
			await sayTo(java, '7');
			expect(await textNow()).toBe('THROUGH FIVE LEVELS');
		});
		// 1 + 2 + ... + 7 in each of eight threads.
		expect(recursionsOf(report)).toBe(28 * 8);
		expect(await textNow()).toBe('THROUGH FIVE LEVELS');
	}),
);

/** A JVM with a /tmp of its own, a tmpfs with these options. */
async function javaWithOwnTmp(options: string): Promise<JavaProcess> {
	const classes = path.dirname(compileProgram('KnownTraces', jdk()));
	const enter
		= `mount --bind "$0" /mnt && mount -t tmpfs -o ${options} tmpfs /tmp && mkdir "$0" && mount --bind /mnt "$0" && exec "$@"`;
	return javaForTest('KnownTraces', {
		jvmArgs: ['-Xmx384m', '-XX:-UsePerfData'],
		args: ['quiet'],
		under: [...unshare, 'sh', '-c', enter, classes],
	});
}

const foldersIn = ({pid}: JavaProcess) =>
	readdirSync(`/proc/${pid}/root/tmp`).filter(name => name.startsWith('.tprof-'));

test.skipIf(noNamespace).concurrent(
	'a JVM in mounts of its own, with a /tmp of its own (needs mount namespaces)',
	beside(async () => {
		const java = await javaWithOwnTmp('mode=1777');
		const report = await traced(await targetOf(java), {patterns}, async () => sayTo(java, '7'));
		expect(recursionsOf(report)).toBe(28 * 8);
		expect(foldersIn(java)).toEqual([]);
	}),
);

test.skipIf(noNamespace).concurrent(
	'where /tmp has room for the agent but not for what else a session has, one clear line, and nothing is left (needs mount namespaces)',
	beside(async () => {
		const jarPages = Math.ceil(statSync(path.resolve(import.meta.dirname, '../../agent/agent.jar')).size / 4096);
		const java = await javaWithOwnTmp(`size=${2 * jarPages * 4}k`);
		const target = await targetOf(java);
		// The JVM keeps its jar.
		const first = await TraceSession.open(target);
		await first.close();
		await until(() => !hasAgent(java.pid));
		await expect(TraceSession.open(target)).rejects
			.toThrow(`cannot put the agent into the /tmp of JVM ${java.pid} (ENOSPC)`);
		expect(foldersIn(java)).toEqual([]);
	}),
);

test.concurrent(
	'a method that is too large for more code is named, and what is beside it is traced',
	beside(async () => {
		const on = jdk();
		const folder = folderForTest();
		// Eight bytes each, and one: ten less than a method may have.
		writeFileSync(
			path.join(folder, 'Large.java'),
			`public class Large {
	static int sum;
	static void large() { ${'sum++;'.repeat(8190)} }
	static void small() { sum++; }
	public static void main(String[] args) throws Exception {
	System.out.println("ready");
	while (true) { large(); small(); Thread.sleep(1); }
	}
}`,
		);
		runTool(on, 'javac', '-proc:none', '-g:none', '-d', folder, path.join(folder, 'Large.java'));
		const java = programForTest(path.join(on.home, 'bin/java'), ['-Xmx384m', '-cp', folder, 'Large']);
		await java.waitFor(/^ready$/m);
		const session = closedAfterTest(await TraceSession.open(await targetOf(java)));
		expect(await session.weave({...request, patterns: ['Large.*l*']})).toMatchObject({
			wovenMethods: 1, refused: [{name: 'Large.large', reason: 'it is too large: no code can be added to it'}],
		});
	}),
);

test.concurrent(
	'a class to which another agent has added members is said, with exit code 1',
	beside(async () => {
		const on = jdk();
		const folder = folderForTest();
		const jar = agentJar('AddsMembers', on, folder, 'Premain-Class: AddsMembers\nCan-Retransform-Classes: true\n');
		const source = path.join(folder, 'AddsMembers.java');
		const plain = readFileSync(path.resolve(import.meta.dirname, '../programs/AddsMembers.java'), 'utf8');
		writeFileSync(source, plain.replace('/* members */', 'static int added;'));
		runTool(on, 'javac', '-nowarn', '-d', folder, source);
		const agent = `-javaagent:${jar}=${path.join(folder, 'AddsMembers$Extended.class')}`;
		const java = await javaForTest('AddsMembers', {jdk: on, jvmArgs: [agent, '-Xmx384m'], under: []});
		const reason
			= 'AddsMembers$Extended: another agent has added members to it: the JVM does not let it be changed';
		const trace = async (...words: readonly string[]) =>
			runCli('trace', String(java.pid), ...words, '--yes', '--duration', '1');
		expect(await trace('AddsMembers$Extended#work')).toEqual({
			status: 1,
			stdout: '',
			stderr: `tprof-top: cannot trace ${reason}\n`,
		});
		const {status, stdout} = await trace('AddsMembers$*#*', '--format', 'json');
		expect(status).toBe(0);
		expect(JSON.parse(stdout)).toMatchObject({
			wovenMethods: 1,
			notes: expect.arrayContaining([`not traced: ${reason}`]) as unknown,
		});
	}),
);
