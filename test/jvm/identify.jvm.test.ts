import {execFileSync} from 'node:child_process';
import {once} from 'node:events';
import {
	copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync,
} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {afterAll, describe, expect, onTestFinished, test} from 'vitest';
import {safe, type Printable} from '../../source/util/printable.js';
import {attachEngine} from '../../source/engines/attach/attach-engine.js';
import {findTargets, listJvms} from '../../source/jvm/discovery/list-jvms.js';
import {identify} from '../../source/jvm/discovery/inspect.js';
import {JvmWatch} from '../../source/jvm/discovery/jvm-watch.js';
import {listText} from '../../source/commands/list.js';
import {openVitals} from '../../source/jvm/counters/vitals.js';
import {ourCommand, platformProblem} from '../../source/jvm/obstacles.js';
import {readStatus} from '../../source/jvm/system/proc.js';
import {sendQuit} from '../../source/jvm/attachability/signal.js';
import type {Identified} from '../../source/jvm/target.js';
import {isRoot, namespaceRefusal, rootless} from '../helpers/users.js';
import {seenWithoutRights} from '../helpers/unprivileged.js';
import {
	compileProgram, type JavaOptions, type JavaProcess, jdk, jdks, rawTarget, targetOf, jdkOfItsOwn,
} from '../helpers/jvm.js';
import {until} from '../helpers/until.js';
import {
	beside, closedAfterTest, javaForTest, folderForTest, programForTest, sharedJava, spawnForTest,
} from '../helpers/for-test.js';

/** What identifying a JVM gives once it is up: one that keeps no counters counts as starting for some seconds. */
async function identified(java: JavaProcess): Promise<Identified> {
	await until(() => !reason(identify(java.pid)).includes('still starting'));
	return identify(java.pid);
}

const shared = sharedJava('IdleServer');

/** Where a JVM in our own namespaces keeps its counters. */
function counterFileOf(pid: number): string {
	const folder = readdirSync('/tmp').find(name =>
		name.startsWith('hsperfdata_') && existsSync(`/tmp/${name}/${pid}`))!;
	return `/tmp/${folder}/${pid}`;
}

const reason = (found: Identified) => found.ok ? 'ok' : found.reason;

test.concurrent.for(jdks())(
	'JDK $release: a JVM is identified with its facts, with and without counters',
	beside(async on => {
		await Promise.all([[], ['-XX:-UsePerfData']].map(async jvmArgs => {
			const java = await javaForTest('ParkedAndEcho', {
				jdk: on,
				jvmArgs: ['-Xmx64m', ...jvmArgs],
				args: ['1', '9'],
			});
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
	}),
);

describe('what is not a JVM', () => {
	test('numbers that are not process ids', () => {
		for (const pid of [0, -1, 1.5, Number.NaN, 4_194_305, 1e12]) {
			expect(reason(identify(pid))).toMatch(/is not a process id/);
		}
	});

	test('a thread of a process', () => {
		const thread = Number(readdirSync('/proc/self/task').at(-1));
		expect(identify(thread)).toEqual({
			ok: false,
			reason: `${thread} is a thread of process ${process.pid}`,
			hint: `use the process: tprof-top ${process.pid}`,
		});
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
		for (
			const java of await Promise
				.all([{jvmArgs: [flag]}, {env}, {env, jvmArgs: ['-XX:-UsePerfData']}, {
					jdk: jdk(release => release >= 9),
					jvmArgs: [`@${path.join(folder, 'flags')}`],
				}].map(async options => javaForTest('ParkedAndEcho', options)))
		) {
			const found = await identified(java) as Identified & {ok: true};
			expect(await attachEngine.check(found.target)).toMatchObject({
				reason: expect.stringMatching(/DisableAttachMechanism/) as string,
			});
			expect(java.output()).not.toMatch(/Full thread dump/);
		}
	});

	test('stopped', async () => {
		const java = await javaForTest('ParkedAndEcho');
		process.kill(java.pid, 'SIGSTOP');
		await until(() => readStatus(java.pid)?.state === 'T');
		expect(identify(java.pid)).toEqual({
			ok: false,
			reason: `process ${java.pid} is stopped (SIGSTOP or Ctrl-Z)`,
			hint: `resume it with kill -CONT ${java.pid}`,
		});
		process.kill(java.pid, 'SIGCONT');
		await until(() => readStatus(java.pid)?.state === 'S');
		expect(await identified(java)).toMatchObject({ok: true});
	});

	test('under sudo, by a name that it finds or else by the path of our script', () => {
		const folder = folderForTest();
		const script = path.join(folder, 'cli.js');
		writeFileSync(script, '');
		expect(ourCommand(script, process.execPath, [folder])).toBe(`${process.execPath} ${script}`);
		symlinkSync(process.execPath, path.join(folder, 'node'));
		writeFileSync(path.join(folder, 'tprof-top'), 'another installation');
		expect(ourCommand(script, process.execPath, [folder])).toBe(`${process.execPath} ${script}`);
		rmSync(path.join(folder, 'tprof-top'));
		symlinkSync(script, path.join(folder, 'tprof-top'));
		expect(ourCommand(script, process.execPath, [folder])).toBe('tprof-top');
		expect(ourCommand('/it\'s here/cli.js', '/n', [])).toBe(String.raw`/n '/it'\''s here/cli.js'`);
	});

	test.each(jdks().filter(({release}) => release >= 11))(
		'by its source, if it was started from it: JDK $release',
		async ({home}) => {
			const source = path.join(folderForTest(), 'Waits.java');
			writeFileSync(
				source,
				'class Waits { public static void main(String[] args) throws Exception { System.out.println("ready"); Thread.sleep(1_000_000); } }',
			);
			const java = programForTest(path.join(home, 'bin/java'), [source, 'x']);
			await java.waitFor(/^ready$/m);
			expect(await identified(java)).toMatchObject({
				ok: true,
				target: {facts: {mainClass: 'Waits.java', command: 'Waits.java x'}},
			});
		},
	);

	test('of another user, seen by a user without rights', async () => {
		// Who is not root cannot start one of root's, and sees the process that is always there.
		const {pid} = isRoot ? await javaForTest('ParkedAndEcho') : {pid: 1};
		expect(await seenWithoutRights('source/jvm/discovery/inspect.ts', `module.identify(${pid})`)).toEqual({
			ok: false,
			reason: `process ${pid} belongs to user root`,
			brief: expect.stringMatching(new RegExp(`^another user's: sudo .* ${pid}$`)) as string,
			hint: expect
				.stringMatching(new RegExp(`^run as that user or as root: sudo -u root (?:tprof-top|/\\S+ \\S+) ${pid}$`)) as string,
		});
	});

	test.skipIf(!isRoot)('a counter file with the pid of a closed process makes it no JVM (needs root)', async () => {
		const child = spawnForTest('sleep', ['1000']);
		await until(() => readFileSync(`/proc/${child.pid}/comm`, 'utf8') === 'sleep\n');
		const folder = '/tmp/hsperfdata_tprof-test';
		mkdirSync(folder, {recursive: true});
		writeFileSync(`${folder}/${child.pid}`, '');
		onTestFinished(() => {
			rmSync(folder, {recursive: true});
		});
		expect(await seenWithoutRights('source/jvm/discovery/inspect.ts', `module.inspect(${child.pid}).isJvm`))
			.toBe(false);
	});

	test.skipIf(!isRoot)(
		'a JVM under another name than java that may not be inspected is one (needs root)',
		async () => {
			const {pid} = await javaForTest('ParkedAndEcho', {under: ['bash', '-c', 'exec -a other "$@"', 'bash']});
			expect(await seenWithoutRights('source/jvm/discovery/inspect.ts', `module.inspect(${pid}).isJvm`))
				.toBe(true);
		},
	);
});

describe('lists', () => {
	test('JVMs are listed with what is in their way and nothing that a terminal obeys, and found by pid or name', async () => {
		const [first, second] = [
			await javaForTest('ParkedAndEcho', {args: ['1', '1', '\u001B[31mred\u001B[0m\n\u202E']}),
			await javaForTest('ParkedAndEcho', {jvmArgs: ['-XX:+DisableAttachMechanism']}),
		];
		expect(await identified(first)).toMatchObject({ok: true});
		const watch = closedAfterTest(new JvmWatch());
		const listed = watch.scan().filter(jvm => [first.pid, second.pid].includes(jvm.pid));
		expect(listed).toHaveLength(2);
		expect(listed.find(jvm => jvm.pid === first.pid)).toMatchObject({
			mainClass: 'ParkedAndEcho',
			command: String.raw`ParkedAndEcho 1 1 \x1b[31mred\x1b[0m\x0a\u202e`,
			user: execFileSync('id', ['-un'], {encoding: 'utf8'}).trim(),
		});
		expect(listed.find(jvm => jvm.pid === first.pid)).not.toHaveProperty('problem');
		expect(listed.find(jvm => jvm.pid === second.pid)).toMatchObject({
			attachProblem: expect.stringMatching(/DisableAttachMechanism/) as string,
		});
		expect(listText(listed.map(jvm => ({...jvm, findings: []}))))
			.toMatch(new RegExp(`^ *${second.pid} .*with the memory engine only: .*DisableAttach`, 'm'));
		expect(findTargets(String(first.pid)).map(jvm => jvm.pid)).toEqual([first.pid]);
		expect(findTargets('parkedand', listed).map(jvm => jvm.pid).sort((a, b) => a - b))
			.toEqual([first.pid, second.pid].sort((a, b) => a - b));
		expect(findTargets('NoSuchClassAnywhere')).toEqual([]);
		expect(findTargets(' ')).toEqual([]);
		await second.stop();
		expect(listJvms().some(jvm => jvm.pid === second.pid)).toBe(false);
		expect(watch.scan().some(jvm => jvm.pid === second.pid)).toBe(false);
	});

	test('a name that fits exactly goes before names that contain it', () => {
		const jvm = (pid: number, mainClass: Printable) => ({
			pid,
			mainClass,
			user: safe``,
			jvmVersion: safe``,
			vm: safe``,
			command: safe``,
			startedAtMs: 0,
			target: shared.target,
			startTicks: 0,
			cpuTicks: 0,
			atMs: 0,
		});
		const jvms = [jvm(1, safe`com.acme.Main`), jvm(2, safe`com.acme.MainLoop`), jvm(12, safe`app.jar`)];
		const pids = (text: string) => findTargets(text, jvms).map(found => found.pid);
		expect([pids('Main'), pids('com.acme.main'), pids('acme'), pids('12'), pids('app')]).toEqual([
			[1],
			[1],
			[1, 2],
			[12],
			[12],
		]);
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

const unshare = ['unshare', ...rootless, '--mount', '--pid', '--fork', '--kill-child'];

const noNamespaces = namespaceRefusal([...rootless, '--mount', '--pid', '--fork']);

describe.skipIf(noNamespaces)('JVMs of containers that share /tmp, each with pid 1 (needs namespaces)', () => {
	/** Starts a program in namespaces of its own with `tmp` as its /tmp; the pid is ours of the JVM. */
	async function contained(tmp: string, name: string, options: JavaOptions): Promise<JavaProcess> {
		const classes = path.dirname(compileProgram(name, options.jdk ?? jdk()));
		const mount = 'mount --bind "$1" /mnt && mount --bind "$0" /tmp && mkdir -p "$1" && mount --bind /mnt "$1"';
		const under = [...unshare, 'sh', '-c', `${mount} && shift && exec "$@"`, tmp, classes];
		const outer = await javaForTest(name, {...options, under});
		return {...outer, pid: Number(readFileSync(`/proc/${outer.pid}/task/${outer.pid}/children`, 'utf8'))};
	}

	const watch = new JvmWatch();
	afterAll(() => {
		watch.close();
	});
	const listed = ({pid}: JavaProcess) => watch.scan().find(jvm => jvm.pid === pid);
	const counterFile = (tmp: string) =>
		path.join(tmp, readdirSync(tmp).find(name => name.startsWith('hsperfdata_'))!, '1');
	const garbage = {mainClass: 'Garbage', vitals: {heapMaxBytes: expect.closeTo(64 * (2 ** 20), -7) as number}};

	test.each(jdks())('JDK $release: each has its own name, heap and collections', async on => {
		const tmp = folderForTest();
		const serial = ['-Xmn16m', '-XX:+UseSerialGC'];
		const collecting = await contained(tmp, 'Garbage', {jdk: on, jvmArgs: ['-Xmx64m', ...serial]});
		const parked = await contained(tmp, 'ParkedAndEcho', {
			jdk: on,
			jvmArgs: ['-Xmx32m', ...serial],
			args: ['1', '2'],
		});
		expect([collecting, parked].map(java => readStatus(java.pid)!.nsPid)).toEqual([1, 1]);
		await until(() => listed(collecting)?.vitals.heapUsedBytes !== undefined);
		expect(listed(collecting)).toMatchObject(garbage);
		expect(listed(parked)).toMatchObject({mainClass: 'ParkedAndEcho', command: 'ParkedAndEcho 1 2'});
		expect(listed(parked)?.vitals.heapMaxBytes ?? 0).toBeLessThan(33 * (2 ** 20));
		const figures = closedAfterTest(openVitals(await targetOf(collecting)));
		const others = closedAfterTest(openVitals(await targetOf(parked)));
		figures.read();
		others.read();
		await until(() => figures.read().gcPercent! > 0);
		expect(others.read().gcPercent ?? 0).toBe(0);
		// Older updates of a JDK replace the file of a JVM with the same pid that still runs.
		const file = counterFile(tmp);
		rmSync(file);
		copyFileSync(counterFileOf(shared.java.pid), file);
		expect(listed(collecting)).toMatchObject(garbage);
	});

	test.each(jdks())('JDK $release: one that keeps no file has nothing of a killed one\'s', async on => {
		const tmp = folderForTest();
		const killed = await contained(tmp, 'Garbage', {jdk: on, jvmArgs: ['-Xmx64m']});
		await killed.stop();
		expect(existsSync(counterFile(tmp))).toBe(true);
		const java = await contained(tmp, 'ParkedAndEcho', {jdk: on, jvmArgs: ['-XX:+PerfDisableSharedMem']});
		expect(listed(java)).toMatchObject({mainClass: 'ParkedAndEcho'});
		expect(listed(java)).not.toMatchObject({vitals: {heapMaxBytes: expect.anything() as number}});
	});
});
