import {execFileSync} from 'node:child_process';
import {once} from 'node:events';
import {copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {describe, expect, onTestFinished, test} from 'vitest';
import {attachEngine} from '../../source/engines/attach/engine.js';
import {findTargets, listJvms} from '../../source/jvm/discovery/list.js';
import {identify} from '../../source/jvm/discovery/inspect.js';
import {listText} from '../../source/commands/list.js';
import {platformProblem} from '../../source/jvm/obstacles.js';
import {readStatus} from '../../source/jvm/system/proc.js';
import {sendQuit} from '../../source/jvm/attachability/signal.js';
import type {Identified} from '../../source/jvm/target.js';
import {isRoot, namespaceRefusal} from '../helpers/users.js';
import {seenWithoutRights} from '../helpers/unprivileged.js';
import {type JavaProcess, jdk, jdks, rawTarget, jdkOfItsOwn} from '../helpers/jvm.js';
import {until} from '../helpers/until.js';
import {beside, javaForTest, folderForTest, spawnForTest} from '../helpers/for-test.js';

/** What identifying a JVM gives once it is up: one that keeps no counters counts as starting for some seconds. */
async function identified(java: JavaProcess): Promise<Identified> {
	await until(() => !reason(identify(java.pid)).includes('still starting'));
	return identify(java.pid);
}

const reason = (found: Identified) => found.ok ? 'ok' : found.reason;

test.concurrent.for(jdks())('JDK $release: a JVM is identified with its facts, with and without counters', beside(async on => {
	await Promise.all([[], ['-XX:-UsePerfData']].map(async jvmArgs => {
		const java = await javaForTest('ParkedAndEcho', {jdk: on, jvmArgs: ['-Xmx64m', ...jvmArgs], args: ['1', '9']});
		const found = await identified(java);
		expect(found).toMatchObject({
			ok: true,
			target: {
				pid: java.pid, nsPid: java.pid, uid: process.geteuid!(), gid: process.getegid!(), jdk: on.release,
				facts: {pid: java.pid, mainClass: 'ParkedAndEcho', command: 'ParkedAndEcho 1 9'},
			},
		});
		const {facts} = (found as Identified & {ok: true}).target;
		expect(Math.abs(facts.startedAtMs - Date.now())).toBeLessThan(600_000);
		expect(facts.jvmVersion).toMatch(on.release === 8 ? /^1\.8\.0/ : new RegExp(String.raw`^${on.release}\b`));
		await java.stop();
		expect(reason(identify(java.pid))).toBe(`there is no process ${java.pid}`);
	}));
}));

describe('what is not a JVM', () => {
	test('numbers that are not process ids', () => {
		for (const pid of [0, -1, 1.5, Number.NaN, 4_194_305, 1e12]) {
			expect(reason(identify(pid))).toMatch(/is not a process id/);
		}
	});

	test('a thread of a process', () => {
		const thread = Number(readdirSync('/proc/self/task').at(-1));
		expect(identify(thread)).toEqual({ok: false, reason: `${thread} is a thread of process ${process.pid}`, hint: `use the process: tprof-top ${process.pid}`});
	});

	test('a plain process; it never gets a signal', async () => {
		const child = spawnForTest('sleep', ['1000']);
		await until(() => readFileSync(`/proc/${child.pid}/comm`, 'utf8') === 'sleep\n');
		expect(reason(identify(child.pid))).toBe(`process ${child.pid} (sleep) is not a JVM`);
		expect(sendQuit(rawTarget(child.pid))?.reason).toMatch(/is not a JVM/);
		expect(child.exitCode).toBeNull();
		await until(() => readStatus(child.pid)?.state === 'S');
	});

	test('a zombie', async () => {
		// The child ends when its shell has long been replaced by sleep, which never collects it.
		const child = spawnForTest('sh', ['-c', 'sleep 0.3 & echo $!; exec sleep 1000']);
		const [told] = await once(child.stdout!, 'data') as [Buffer];
		const zombie = Number(told);
		await until(() => readStatus(zombie)?.state === 'Z');
		expect(reason(identify(zombie))).toMatch(/has ended \(a zombie/);
	});

	test('an executable with the heap section of a GraalVM native image', async () => {
		const folder = folderForTest();
		const image = path.join(folder, 'image');
		writeFileSync(path.join(folder, 'heap'), 'x'.repeat(64));
		execFileSync('objcopy', ['--add-section', `.svm_heap=${path.join(folder, 'heap')}`, '/bin/sleep', image]);
		const child = spawnForTest(image, ['1000']);
		expect(reason(identify(child.pid))).toMatch(/is a GraalVM native image/);
		expect(listJvms().find(jvm => jvm.pid === child.pid)?.problem).toMatch(/native image/);
	});

	test('a JVM with OpenJ9\'s library beside libjvm.so', async () => {
		const on = jdk(release => release >= 11);
		const library = path.join(folderForTest(), 'libj9vm29.so');
		copyFileSync(path.join(on.home, 'lib/libjli.so'), library);
		const java = await javaForTest('ParkedAndEcho', {jdk: on, env: {...process.env, LD_PRELOAD: library}});
		expect(reason(identify(java.pid))).toMatch(/OpenJ9/);
		expect(sendQuit(rawTarget(java.pid))?.reason).toMatch(/OpenJ9/);
		expect(java.output()).not.toMatch(/Full thread dump/);
	});
});

describe('JVMs that cannot be profiled', () => {
	test('attach disabled: on the command line, in a variable, in an argument file', async () => {
		const flag = '-XX:+DisableAttachMechanism';
		const folder = folderForTest();
		writeFileSync(path.join(folder, 'flags'), `-XX:-UsePerfData ${flag}`);
		const env = {...process.env, JAVA_TOOL_OPTIONS: flag};
		for (const java of await Promise.all([{jvmArgs: [flag]}, {env}, {env, jvmArgs: ['-XX:-UsePerfData']}, {jdk: jdk(release => release >= 9), jvmArgs: [`@${path.join(folder, 'flags')}`]}].map(async options => javaForTest('ParkedAndEcho', options)))) {
			const found = await identified(java) as Identified & {ok: true};
			expect(await attachEngine.check(found.target)).toMatchObject({reason: expect.stringMatching(/DisableAttachMechanism/) as string});
			expect(java.output()).not.toMatch(/Full thread dump/);
		}
	});

	test('stopped', async () => {
		const java = await javaForTest('ParkedAndEcho');
		process.kill(java.pid, 'SIGSTOP');
		await until(() => readStatus(java.pid)?.state === 'T');
		expect(identify(java.pid)).toEqual({ok: false, reason: `process ${java.pid} is stopped (SIGSTOP or Ctrl-Z)`, hint: `resume it with kill -CONT ${java.pid}`});
		process.kill(java.pid, 'SIGCONT');
		await until(() => readStatus(java.pid)?.state === 'S');
		expect(await identified(java)).toMatchObject({ok: true});
	});

	test('of another user, seen by a user without rights', async () => {
		// Who is not root cannot start one of root's, and sees the process that is always there.
		const {pid} = isRoot ? await javaForTest('ParkedAndEcho') : {pid: 1};
		expect(await seenWithoutRights('source/jvm/discovery/inspect.ts', `module.identify(${pid})`)).toEqual({
			ok: false, reason: `process ${pid} belongs to user root`, hint: `run as that user or as root: sudo -u root tprof-top ${pid}`,
		});
	});

	test.skipIf(!isRoot || namespaceRefusal(['--pid', '--fork']))('a process of a container is not called a JVM because of a counter file in our /tmp with its inner id (needs root)', async () => {
		const folder = '/tmp/hsperfdata_tprof-test';
		mkdirSync(folder, {recursive: true});
		writeFileSync(`${folder}/1`, '');
		onTestFinished(() => {
			rmSync(folder, {recursive: true});
		});
		const outer = spawnForTest('unshare', ['--pid', '--fork', '--kill-child', 'sleep', '1000']);
		const children = () => readFileSync(`/proc/${outer.pid}/task/${outer.pid}/children`, 'utf8').trim();
		const inner = Number(await until(() => children() || undefined));
		expect(readStatus(inner)).toMatchObject({nsPid: 1});
		expect(await seenWithoutRights('source/jvm/discovery/inspect.ts', `module.inspect(${inner}).isJvm`)).toBe(false);
	});
});

describe('lists', () => {
	test('JVMs are listed with what is in their way and nothing that a terminal obeys, and found by pid or name', async () => {
		const [first, second] = [await javaForTest('ParkedAndEcho', {args: ['1', '1', '\u001B[31mred\u001B[0m\n\u202E']}), await javaForTest('ParkedAndEcho', {jvmArgs: ['-XX:+DisableAttachMechanism']})];
		expect(await identified(first)).toMatchObject({ok: true});
		const listed = listJvms().filter(jvm => [first.pid, second.pid].includes(jvm.pid));
		expect(listed).toHaveLength(2);
		expect(listed.find(jvm => jvm.pid === first.pid)).toMatchObject({mainClass: 'ParkedAndEcho', command: String.raw`ParkedAndEcho 1 1 \x1b[31mred\x1b[0m\x0a\u202e`, user: execFileSync('id', ['-un'], {encoding: 'utf8'}).trim()});
		expect(listed.find(jvm => jvm.pid === first.pid)).not.toHaveProperty('problem');
		expect(listed.find(jvm => jvm.pid === second.pid)).toMatchObject({attachProblem: expect.stringMatching(/DisableAttachMechanism/) as string});
		expect(listText(listed)).toMatch(new RegExp(`^ *${second.pid} .*with the memory engine only: .*DisableAttach`, 'm'));
		expect(findTargets(String(first.pid)).map(jvm => jvm.pid)).toEqual([first.pid]);
		expect(findTargets('parkedand', listed).map(jvm => jvm.pid).sort((a, b) => a - b)).toEqual([first.pid, second.pid].sort((a, b) => a - b));
		expect(findTargets('NoSuchClassAnywhere')).toEqual([]);
		expect(findTargets(' ')).toEqual([]);
		await second.stop();
		expect(listJvms().some(jvm => jvm.pid === second.pid)).toBe(false);
	});

	test('a name that fits exactly goes before names that contain it', () => {
		const jvm = (pid: number, mainClass: string) => ({
			pid, mainClass, user: '', jvmVersion: '', vm: '', command: '', startedAtMs: 0, startTicks: 0, cpuTicks: 0, atMs: 0,
		});
		const jvms = [jvm(1, 'com.acme.Main'), jvm(2, 'com.acme.MainLoop'), jvm(12, 'app.jar')];
		const pids = (text: string) => findTargets(text, jvms).map(found => found.pid);
		expect([pids('Main'), pids('com.acme.main'), pids('acme'), pids('12'), pids('app')]).toEqual([[1], [1], [1, 2], [12], [12]]);
	});

	test('a JDK that was replaced on disk while its JVM runs is still known', async () => {
		const on = jdk(release => release >= 11);
		const home = path.join(folderForTest(), `jdk-${on.release}`);
		const java = await javaForTest('ParkedAndEcho', {...jdkOfItsOwn(home, on), jvmArgs: ['-XX:-UsePerfData']});
		rmSync(home, {recursive: true});
		expect(await identified(java)).toMatchObject({ok: true, target: {jdk: on.release}});
	});
});

test('other systems are told that this is for Linux', () => {
	expect(platformProblem('darwin')?.reason).toMatch(/only on Linux, not on darwin/);
	expect(platformProblem()).toBeUndefined();
});
