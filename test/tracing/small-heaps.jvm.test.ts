import {writeFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {hasAgent, reportsOf} from '../helpers/tracing.js';
import {beside, folderForTest, javaForTest, programForTest} from '../helpers/for-test.js';
import {type JavaProcess, type Jdk, jdks, runTool, sayTo} from '../helpers/jvm.js';
import {until, untilAsync} from '../helpers/until.js';
import {runCli, startCli} from '../helpers/run.js';

const serial = ['-Xmx128m', '-XX:+UseSerialGC'];
const g1 = ['-Xmx128m', '-XX:+UseG1GC'];
/** Heaps with room for the agent beside 28 MB. */
const largerSerial = ['-Xmx384m', '-XX:+UseSerialGC'];
const largerG1 = ['-Xmx256m', '-XX:+UseG1GC'];
const has = String.raw`JVM \d+ has only \d+ MB of heap free for long-lived objects`;
/** From the tool, and from the agent where the tool sees no counters: both need the same. */
const tooLittle = new RegExp(`^tprof-top: ${has}; the agent needs 192 MB(: it has removed itself)?\n`);
const collect = /^ {2}garbage counts as used: jcmd \d+ GC\.run frees what there is, .*; or give it a larger -Xmx$/m;
/** Where no collection can free as much. */
const enlarge = /^ {2}give it a larger -Xmx$/m;
const filled = new RegExp(String.raw`${has}; to go on, the agent needs 1(?:29|3\d) MB: it has removed itself`);
const pattern = 'SmallHeap$Tight#*';
const commands = [['trace', pattern], ['tasks']] as const;

/** As urgent as the tools, which wait for it: its threads sleep for most of the time. */
async function start(jdk: Jdk, jvmArgs: readonly string[], ...args: readonly number[]): Promise<JavaProcess> {
	return javaForTest('SmallHeap', {jdk, jvmArgs: [...jvmArgs], args: args.map(String), under: []});
}

/** Waits until each thread of the program has gone on since now, and the agent is gone. */
async function expectUnharmed(java: JavaProcess, threads: number): Promise<void> {
	await until(() => !hasAgent(java.pid));
	await sayTo(java, 'mark');
	await untilAsync(async () => {
		const [, alive, going] = /^alive (\d+) going (\d+) /m.exec(await sayTo(java, 'state'))!.map(Number);
		expect(alive).toBe(threads);
		return going === threads;
	});
}

// A JVM each, which wait for most of their time.
describe.concurrent.each(jdks().map(jdk => [jdk.release, jdk] as const))('JDK %i', (_, jdk) => {
	test.for([
		['6 MB left', 117, 100, serial, enlarge, ['trace']],
		[
			'12 MB left, and no counters that tell so from outside',
			112,
			10,
			[...serial, '-XX:-UsePerfData'],
			collect,
			['trace', 'tasks'],
		],
		['28 MB left', 100, 10, g1, /give it a larger -Xmx$/m, ['tasks']],
		['150 MB left, which a collection might make more', 100, 10, largerSerial, collect, ['trace']],
	] as const)('a heap with %s is left alone, and its figure is said', beside(async values => {
		const [, liveMb, threads, jvmArgs, hint, by] = values;
		const java = await start(jdk, jvmArgs, liveMb, threads);
		for (const [command, ...patterns] of commands.filter(([name]) => (by as readonly string[]).includes(name))) {
			const {status, stdout, stderr} = await runCli(
				command,
				String(java.pid),
				...patterns,
				'--yes',
				'--duration',
				'600',
			);
			expect({status, stdout}).toEqual({status: 1, stdout: ''});
			const [, removed] = tooLittle.exec(stderr)!;
			// Without counters, only the agent can look. Counters may be older than what it sees.
			expect(removed !== undefined || !jvmArgs.includes('-XX:-UsePerfData')).toBe(true);
			expect(stderr).toMatch(hint);
		}

		await expectUnharmed(java, threads);
	}));

	test('with little left of MaxMetaspaceSize, which the agent\'s classes would take for good, the JVM is left alone', beside(async () => {
		const java = await start(jdk, [...largerG1, '-XX:MaxMetaspaceSize=15M'], 28, 4);
		const {status, stdout, stderr} = await runCli('trace', String(java.pid), pattern, '--yes', '--duration', '600');
		expect({status, stdout}).toEqual({status: 1, stdout: ''});
		expect(stderr)
			.toMatch(/^tprof-top: JVM \d+ has only 1?\d MB left of its MaxMetaspaceSize; the agent needs 16 MB\n/);
		await expectUnharmed(java, 4);
	}));

	test('200 threads in deep recursion: what has no room in the agent\'s part of the heap is said', beside(async () => {
		const java = await start(jdk, largerG1, 28, 200, 5000);
		const options = ['--yes', '--running-loops', '--duration', '2', '--max-overhead', '100', '--format', 'json'];
		const {status, stdout, stderr} = await runCli('trace', String(java.pid), pattern, ...options);
		expect({status, stderr}).toEqual({status: 0, stderr: ''});
		const {lostCalls, methods} = JSON.parse(stdout) as {lostCalls: number; methods: Array<{calls: number}>};
		expect(lostCalls).toBeGreaterThan(0);
		expect(methods[0].calls).toBeGreaterThan(0);
		await expectUnharmed(java, 200);
	}));

	test('more tasks than the agent\'s part of the heap has room for are followed in part', beside(async () => {
		const java = await start(jdk, largerG1, 28, 4);
		const options = ['--yes', '--duration', '600', '--max-tasks', '10000000', '--format', 'json'];
		const tool = startCli('tasks', String(java.pid), ...options);
		await until(() => reportsOf(java.pid) > 0);
		await sayTo(java, 'queue 100000');
		tool.child.kill('SIGINT');
		const {status, stdout} = await tool.ended;
		expect(status).toBe(0);
		const {notes} = JSON.parse(stdout) as {notes: string[]};
		expect(notes)
			.toContainEqual(expect.stringMatching(/^more tasks at a time than --max-tasks or the heap allows/));
		await expectUnharmed(java, 4);
	}));

	test.for(commands)(
		'a heap that fills up during %s: the agent ends and says why, beside what was counted until then',
		beside(async ([command, ...patterns]) => {
			const java = await start(jdk, largerSerial, 20, 100);
			await sayTo(java, 'tasks');
			const options = ['--yes', '--duration', '600', '--format', 'json'];
			const tool = startCli(command, String(java.pid), ...patterns, ...options);
			await until(() => reportsOf(java.pid) > 1);
			await sayTo(java, 'fill');
			const {status, stdout, stderr} = await tool.ended;
			expect({status, stderr}).toEqual({status: 1, stderr: expect.stringMatching(filled)});
			const {notes} = JSON.parse(stdout) as {notes: string[]};
			const reason = filled.exec(stderr)![0];
			expect(notes).toContainEqual(`this report ends early: ${reason}`);
			await expectUnharmed(java, 100);
		}),
	);
});

test('methods with an annotation are found beside many more classes and methods than the agent has room for', async () => {
	const on = jdks().at(-1)!;
	const folder = folderForTest();
	const methods = Array.from({length: 1000}, (_, number) => `static void m${number}() {}`);
	writeFileSync(path.join(folder, 'Wide.java'), `public class Wide { ${methods.join(' ')} }`);
	writeFileSync(
		path.join(folder, 'ManyWide.java'),
		`public class ManyWide {
	@java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME) @interface Wanted {}
	@Wanted static void wanted() {}
	public static void main(String[] args) throws Exception {
		java.net.URL[] folder = {new java.io.File(args[0]).toURI().toURL()};
		Class<?>[] loaded = new Class<?>[20];
		for (int at = 0; at < loaded.length; at++) {
			loaded[at] = new java.net.URLClassLoader(folder, null).loadClass("Wide");
		}

		System.out.println("ready");
		while (true) { wanted(); Thread.sleep(loaded.length); }
	}
}`,
	);
	runTool(on, 'javac', '-d', folder, path.join(folder, 'Wide.java'), path.join(folder, 'ManyWide.java'));
	const java = programForTest(path.join(on.home, 'bin/java'), [...largerG1, '-cp', folder, 'ManyWide', folder]);
	await java.waitFor(/^ready$/m);
	const options = ['--yes', '--duration', '1', '--format', 'json'];
	const {status, stdout, stderr} = await runCli('trace', String(java.pid), '@Wanted', ...options);
	expect({status, stderr}).toEqual({status: 0, stderr: ''});
	expect(JSON.parse(stdout)).toMatchObject({wovenMethods: 1, methods: [{method: 'ManyWide.wanted'}]});
});
