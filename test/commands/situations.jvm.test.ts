import path from 'node:path';
import process from 'node:process';
import {expect, test} from 'vitest';
import {
	beside,
	closedAfterTest,
	folderForTest,
	javaForTest,
	keepFirstCpuBusy,
	onFirstCpu,
	sharedFolder,
} from '../helpers/for-test.js';
import {jdk, jdks, type JavaOptions} from '../helpers/jvm.js';
import {cli, runCli} from '../helpers/run.js';
import {TerminalSession} from '../helpers/terminal.js';

const state = sharedFolder();

/** A situation of the program, what the first screen must say of it, and how the program is started. */
type Case = readonly [situation: string, cause: RegExp, options?: JavaOptions & {readonly given?: readonly string[]}];

/** The screen as soon as it says without a key what it must, at 80 x 24 and with default settings. */
async function untilSaid([situation, cause, {given = [], ...options} = {}]: Case): Promise<TerminalSession> {
	if (options.under) {
		keepFirstCpuBusy(4);
	}

	const java = await javaForTest('Situations', {args: [situation], under: [], ...options});
	const args = [cli, ...given, String(java.pid)];
	const terminal = closedAfterTest(new TerminalSession(process.execPath, args, {env: {XDG_STATE_HOME: state}}));
	await terminal.until(cause);
	return terminal;
}

test.concurrent.for<Case>([
	['deadlock', /^! (?:\d\/\d )?DEADLOCK:(?: worker-\d ->){2} worker-\d/m],
	['monitor', /^! (?:\d\/\d )?50 threads wait for Object, [^:]*: holder\s+has\s+it,\s+at\s+Situations\.sleep:\d+/m],
	[
		'lock',
		/^! (?:\d\/\d )?50 threads wait for ReentrantLock, [^:]*: holder\s+has\s+it,\s+at\s+Situations\.sleep:\d+/m,
	],
	[
		'virtualThreads',
		/^! (?:\d\/\d )?10000 threads wait for ReentrantLock, [^:]*: holder\s+has\s+it,\s+at\s+Situations\.sleep:\d+/m,
		{jdk: jdk(release => release >= 21)},
	],
	...jdks().map((jdk): Case => [
		'classMonitor',
		/^! (?:\d\/\d )?9 threads wait for Journal\.class, [^:]*: writer-\d+\s+has\s+it,\s+at/m,
		{jdk},
	]),
	['classMonitor', /^! (?:\d\/\d )?9 threads wait for Journal\.class, /m, {given: ['--engine', 'attach']}],
	[
		'futures',
		/^! (?:\d\/\d )?10 threads wait together at Situations\.awaitsAnswer:\d+ via\s+CompletableFuture\.get/m,
	],
	[
		'poolWaitsForItself',
		/^! (?:\d\/\d )?All 4 threads of pool-1-thread-\* wait for results of tasks, [^:]*awaitsChild:\d+\s+via/m,
	],
	[
		'commonPool',
		/^! (?:\d\/\d )?All 3 threads of the common pool [^:]* at\s+Situations\.sleep:\d+\s+via\s+Thread\.sleep/m,
		{jvmArgs: ['-Djava.util.concurrent.ForkJoinPool.common.parallelism=3']},
	],
	[
		'commonPoolOfSleepers',
		/^! (?:\d\/\d )?Both threads of the common pool wait, [^:]* at\s+Situations\.naps:\d+\s+via\s+Thread\.sleep/m,
		{jvmArgs: ['-Djava.util.concurrent.ForkJoinPool.common.parallelism=2']},
	],
	[
		'queueGrows',
		/^! (?:\d\/\d )?The queue of mailer grows: \d+ tasks, \d+ more a\s+second;\s+both\s+threads\s+are\s+busy/m,
	],
	['threadLeak', /^! (?:\d\/\d )?Threads grow: \d+ now, \d+ more a second;\s+\d+\s+are\s+connection-\*, at/m],
	[
		'classInitialiser',
		/^! (?:\d\/\d )?5 threads wait for Slow\.<clinit> to end, longest \S+:\s+initialiser\s+runs\s+it,\s+at\s+Situations\.sleep:\d+/m,
	],
])(
	'threads that wait: %s',
	beside(async situation => {
		await untilSaid(situation);
	}),
);

test.concurrent(
	'threads that wait: a dead socket, which is also what stays on the terminal',
	beside(async () => {
		const screen = await untilSaid([
			'deadSocket',
			/^! (?:\d\/\d )?20 threads wait for 127\.0\.0\.1:\d+, longest \S+,\s+at\s+Situations\.queries:\d+/m,
		]);
		await screen.quit();
		expect(screen.scrollback().replaceAll(/\n +/g, ' '))
			.toMatch(/^waited for .* \(20 threads\) at Situations\.queries:\d+/m);
		expect(screen.scrollback()).not.toContain('Situations.main');
	}),
);

test.concurrent(
	'what grows: in the header long before it is used up, and with its rate in Memory',
	beside(async () => {
		const java = await javaForTest('GrowsSteadily', {
			args: ['1000000'],
			under: ['prlimit', '--nofile=1500'],
			jvmArgs: ['-Xmx64m', '-XX:+UseSerialGC', '-XX:MaxDirectMemorySize=400m', '-XX:MaxMetaspaceSize=32m'],
		});
		const args = [cli, String(java.pid)];
		const terminal = closedAfterTest(new TerminalSession(process.execPath, args, {env: {XDG_STATE_HOME: state}}));
		await terminal.until(/^CPU .* (?:direct memory|open files|metaspace) \d+% of \d+M? ↗/m);
		await terminal.typeUntil('8', /^.direct memory .* ↗ \d+M\/min, full in /m);
		await terminal.until(/^.metaspace .* ↗ [\d.]+M\/min, full in /m);
		await terminal.until(/^.open files .* ↗ \d+\/min, full in /m);
	}),
);

// The machine of the tests may have no CPU for compilers: that they are at work is then not seen.
test.for<Case>([
	[
		'collector',
		/^! (?:\d\/\d )?The heap is full: [^;]*;\s+the\s+program\s+stands\s+still\s+for\s+collections\s+\d+%/m,
		{jvmArgs: ['-Xmx64m']},
	],
	[
		'systemGc',
		/^! (?:\d\/\d )?Calls of System\.gc\(\) stop the program \d+% of the time[^:]*, at\s+Situations\.cleansUp:\d+/m,
		{jvmArgs: ['-Xmx64m']},
	],
	...jdks().map((jdk): Case => [
		'classLoading',
		/^! (?:\d\/\d )?Loading classes makes the JVM collect, which stops the program \d+%[^:]*, at\s+Situations\$Loader\.define:\d+/m,
		{jdk, jvmArgs: ['-Xmx256m', '-XX:MaxMetaspaceSize=24m']},
	]),
	[
		'jit',
		/^! (?:\d\/\d )?(?:C\d compiles \S+: \d+% of the CPU time\.|The JIT compiler uses \d+% CPU|Host CPU saturated)/m,
		{jvmArgs: ['-Xcomp']},
	],
	[
		'crowd',
		/^! (?:\d\/\d )?(?:39|4\d) threads want 1 CPU: (?:39|40) of them are adder-\*, at Situations\.mixes:\d+\./m,
		{under: onFirstCpu},
	],
	['hog', /^> *\d\d\d?\S* .* Situations\.mixes:\d+/m],
	[
		'deflate',
		/^! (?:\d\/\d )?\d+% of the CPU time is what Situations\.compresses:\d+ called[^>]*> *\d\S* .* \S*Deflater\.deflate\S* +Situations\.compresses:\d/m,
	],
])('threads that run: %s', async situation => {
	await untilSaid(situation);
});

/** What is found of a program within four seconds, and the notes. */
async function reported(name: string, options: JavaOptions) {
	const {pid} = await javaForTest(name, {under: [], ...options});
	const {stdout} = await runCli(
		String(pid),
		'--batch',
		'--format',
		'json',
		'--duration',
		'4',
		'--filter',
		'thread:*',
	);
	const {findings, notes} = JSON.parse(stdout) as {
		findings: ReadonlyArray<{readonly id: string; readonly sentence: string}>;
		notes: readonly string[];
	};
	// The machine of the tests may be busy.
	return {findings: findings.filter(({id}) => id !== 'host-cpu'), notes};
}

test.concurrent.for(jdks().filter(({release}) => release >= 21))(
	'virtual threads that wait for pinned carriers: JDK $release',
	beside(async jdk => {
		const [situation, carriers, ...sentences] = jdk.release < 24
			? [
				'pinned',
				2,
				/both are pinned in synchronized or native code, at Situations\.locksWith:\d+\.$/,
				/^2 threads wait for ReentrantLock, [^:]*: holder has it, at Situations\.sleep:\d+\.$/,
			] as const
			: [
				'pinnedByInitialiser',
				1,
				/the only one is pinned in a class initializer, at Situations\$Slow\.<clinit>:\d+\.$/,
			] as const;
		const jvmArgs = ['parallelism', 'maxPoolSize'].map(name => `-Djdk.virtualThreadScheduler.${name}=${carriers}`);
		const {findings, notes} = await reported('Situations', {jdk, args: [situation], jvmArgs});
		expect(findings[0]).toMatchObject({id: 'pinned', figures: {threads: 28, carriers}});
		expect(findings.map(({sentence}) => sentence))
			.toEqual(sentences.map(sentence => expect.stringMatching(sentence) as string));
		expect(notes).not.toContainEqual(expect.stringContaining('virtual threads'));
	}),
);

test.concurrent.for(jdks().filter(({release}) => release >= 24))(
	'virtual threads that wait for carriers which native code keeps: JDK $release',
	beside(async on => {
		const jvmArgs = ['parallelism', 'maxPoolSize'].map(name => `-Djdk.virtualThreadScheduler.${name}=2`);
		const java = await javaForTest('CallsBack', {
			jdk: on, args: ['70'], jvmArgs: [...jvmArgs, '--enable-native-access=ALL-UNNAMED'], under: [],
		});
		const args = [cli, String(java.pid)];
		const terminal = closedAfterTest(new TerminalSession(process.execPath, args, {env: {XDG_STATE_HOME: state}}));
		await terminal.until(/^! (?:\d\/\d )?68 virtual threads wait for a carrier, [^:]*: both\s+are\s+pinned\s+in\s+native/m);
		await terminal.until(/^7\d threads: 0 running.* 68 lack a carrier/m);
	}),
);

test.concurrent(
	'threads renamed for each task: screen and reports that choose threads by name say that others are missing',
	beside(async () => {
		const note = '2 threads were renamed: their samples count under their last name';
		const java = await javaForTest('Situations', {args: ['renamedThreads'], under: []});
		const args = [cli, '--filter', 'thread:order-A*', String(java.pid)];
		const terminal = closedAfterTest(new TerminalSession(process.execPath, args, {env: {XDG_STATE_HOME: state}}));
		await terminal.until(note);
		await terminal.typeUntil('\u001B', screen => !screen.includes(note), 'no line without a filter');
		const file = path.join(folderForTest(), 'orders.tprof');
		await runCli('record', String(java.pid), '-o', file, '--duration', '4');
		const report = async (...options: readonly string[]) => {
			const {stdout} = await runCli('open', file, ...options);
			return stdout;
		};

		const filtered = ['--filter', 'thread:main,order-A*'];
		expect(await report('--format', 'text', ...filtered)).toContain(`note: ${note}`);
		expect(await report('--format', 'html', ...filtered)).toContain(note);
		expect(JSON.parse(await report('--format', 'json', ...filtered))).toMatchObject({
			notes: expect.arrayContaining([note]) as unknown,
		});
		expect(await report('--format', 'json', '--filter', 'sleep')).not.toContain('were renamed');
	}),
);

test.concurrent.for([['IdleServer'], ['BusyAndParked', '20', '5', '1']])(
	'nothing is found of a healthy program: %s',
	beside(async ([name, ...args]) => {
		const {findings, notes} = await reported(name, {args});
		expect(findings).toEqual([]);
		expect(notes).not.toContainEqual(expect.stringContaining('renamed: '));
	}),
);

test('what is wrong in the program comes before a busy host; ! goes to the next finding, and back to the first', async () => {
	const cause = /^! 1\/2 \d+% of the CPU time is what Situations\.validates:\d+ called/m;
	const row = /^> *\d\S* .* \S+\.\S+:\d+ +Situations\.validates:\d/m;
	const terminal = await untilSaid(['regex', new RegExp(`${cause.source}[^>]*${row.source.slice(1)}`, 'm'), {
		under: onFirstCpu,
	}]);
	await terminal.typeUntil('!', /^! 2\/2 Host CPU saturated: threads waited \d+\.\d s for a CPU/m);
	await terminal.typeUntil('!', cause);
});
