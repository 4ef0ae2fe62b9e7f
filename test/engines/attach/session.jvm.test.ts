import {execFileSync} from 'node:child_process';
import {pbkdf2} from 'node:crypto';
import {once} from 'node:events';
import {connect} from 'node:net';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {promisify} from 'node:util';
import {describe, expect, test} from 'vitest';
import {safe} from '../../../source/util/printable.js';
import {attachEngine} from '../../../source/engines/attach/attach-engine.js';
import {NativeThreads} from '../../../source/engines/attach/native-threads.js';
import {estimatePauseMs} from '../../../source/engines/attach/pause-estimate.js';
import {AttachClient} from '../../../source/jvm/attach/client.js';
import {chooseDialect, encodeRequest} from '../../../source/jvm/attach/protocol.js';
import {SessionOver, type EngineOptions} from '../../../source/engines/common/engine.js';
import {socketPath} from '../../../source/jvm/attachability/attach-socket.js';
import {ThreadCpu} from '../../../source/jvm/threads/thread-cpu.js';
import {Sample} from '../../../source/model/sample.js';
import {namespaceRefusal} from '../../helpers/users.js';
import {freezers, frozenGroup} from '../../helpers/freezer.js';
import {javaForTest, closedAfterTest, onFirstCpu} from '../../helpers/for-test.js';
import {type JavaProcess, jdk, jdks, targetOf} from '../../helpers/jvm.js';
import {cli} from '../../helpers/run.js';
import {sum} from '../../helpers/sum.js';
import {untilAsync, patienceMs} from '../../helpers/until.js';
import {Observer} from '../observe.js';

/** An observer whose samples are dumps. */
const observe = async ({pid}: JavaProcess, options: Partial<EngineOptions> = {}) =>
	Observer.open(pid, {engine: 'attach', ...options});

describe.each(jdks().map(jdk => ({...jdk, label: `JDK ${jdk.release}`})))('$label', jdk => {
	test('200 waiting threads beside two busy ones: all states right, only the busy ones have CPU time', async () => {
		const java = await javaForTest('EveryState', {jdk});
		expect(await attachEngine.check(await targetOf(java))).toBeUndefined();
		const observer = await observe(java);
		await observer.observe();
		const cpuNs = new Map<string, number>();
		for (let round = 0; round < 5; round++) {
			await sleep(100);
			const rows = await observer.observe();
			const own = rows.filter(row => /^[A-Z_]+-/.test(row.name) && row.key > 0);
			expect(own).toHaveLength(203);
			expect(own.filter(row => row.state !== row.name.split('-')[0]).map(row => [row.name, row.state, row.frames[0]])).toEqual([]);
			for (const row of own) {
				cpuNs.set(row.name, (cpuNs.get(row.name) ?? 0) + row.cpuNs);
			}

			expect(own.filter(row => row.name.startsWith('BLOCKED')).every(row =>
				row.lock === 'monitor java.lang.Object' && row.owner.startsWith('WAITING-holder at EveryState.'))).toBe(true);
		}

		const total = sum(cpuNs.values());
		const busy = (cpuNs.get('RUNNABLE-busy-0') ?? 0) + (cpuNs.get('RUNNABLE-busy-1') ?? 0);
		expect(busy).toBeGreaterThan(10_000_000);
		// Up to JDK 8 one of the threads blocked at a monitor wakes now and then to look (ObjectMonitor::EnterI):
		// microseconds, and truly used.
		expect(total - busy).toBeLessThan(Math.max(busy / 1000, 1_000_000));
	});

	test('the target\'s end is a normal end', async () => {
		const java = await javaForTest('CpuAndSleep', {jdk});
		const observer = await observe(java, {depth: 2});
		const rows = await observer.observe();
		expect(rows.find(row => row.name === 'busy-one')?.frames[0]).toMatch(/^CpuAndSleep\.lambda\$main\$\d:\d+$/);
		expect(Math.max(...rows.map(row => row.frames.length))).toBe(2);
		expect(rows.find(row => row.name === 'VM Thread')?.key).toBeLessThan(0);
		await java.stop();
		await expect(observer.observe()).rejects.toMatchObject({constructor: SessionOver, targetEnded: true});
		expect(observer.sample.count).toBe(0);
	});
});

/** Ways to stop a process, and to let it go on. */
const waysToStop = [
	{
		way: 'a signal',
		of: ({child}: JavaProcess) => ({freeze: () => child.kill('SIGSTOP'), thaw: () => child.kill('SIGCONT')}),
	},
	...freezers.slice(0, 1).map(freezer => ({
		way: 'its cgroup',
		of: ({pid}: JavaProcess) => frozenGroup(freezer, pid),
	})),
];

test.each(waysToStop)(
	'the time for which $way has stopped the target does not count as stopped by us',
	async ({of}) => {
		const java = await javaForTest('CpuAndSleep');
		const other = of(java);
		const observer = await observe(java);
		await observer.observe();
		other.freeze();
		const outcome = observer.session.sample(observer.sample);
		await sleep(4000);
		other.thaw();
		expect(await outcome).toMatchObject({ok: true});
		const {stoppedMs, pauseUs} = await outcome as {stoppedMs: number; pauseUs: number};
		expect(stoppedMs).toBeLessThan(2000);
		expect(pauseUs).toBe(stoppedMs * 1000);
	},
);

test('the user\'s own idle calls', async () => {
	const java = await javaForTest('CpuAndSleep');
	const observer = await observe(java, {extraIdle: ['CpuAndSleep.lambda$main$0']});
	const rows = await observer.observe();
	expect(rows.find(row => row.name === 'busy-one')?.state).toBe('IDLE');
});

test('where threads wait for a CPU for long, it says that shares are off', async () => {
	const [java] = await Promise.all([1, 2, 3].map(async () => javaForTest('CpuAndSleep', {under: onFirstCpu})));
	const observer = await observe(java);
	await untilAsync(async () => {
		await observer.observe();
		return /^threads wait for a CPU about \d0% of the time/.test(observer.session.lineNote ?? '');
	});
});

test('the pause lies between what the VM Thread worked and the latency', () => {
	expect(estimatePauseMs(10, 4, 1, 2)).toBe(7);
	expect(estimatePauseMs(10, 4, 1, 8)).toBe(4);
	expect(estimatePauseMs(10, 4, 1, 80)).toBe(4);
	expect(estimatePauseMs(10, 40, 1, 2)).toBe(10);
	expect(estimatePauseMs(10, 4)).toBe(10);
	expect(estimatePauseMs(10, undefined, 1, 2)).toBe(10);
	expect(estimatePauseMs(0, 4, 1, 2)).toBe(0);
});

test('a reader that pauses does not block a target that was asked not to stream', async () => {
	// A dump of about 1 MB, more than a socket holds while nobody reads: a target that streamed it would stand still.
	const java = await javaForTest('ParkedAndEcho', {
		jdk: jdk(release => release >= 25),
		args: ['300', '100'],
		jvmArgs: ['-Xmx128m', '-Xss1m'],
	});
	const target = await targetOf(java);
	expect(await new AttachClient(target).threadDump({timeoutMs: patienceMs})).toMatchObject({status: 'ok'});
	const {version, dumpCommand} = chooseDialect(0, '2 streaming')!;
	const socket = connect(socketPath(target));
	socket.write(encodeRequest(version, dumpCommand, []));
	// Once the dump has begun, when all threads are stopped, no more is read.
	for (let reply = ''; !reply.includes('Full thread dump'); reply += String(socket.read())) {
		await once(socket, 'readable');
	}

	for (let line = 0; line < 5; line++) {
		java.child.stdin!.write(`line ${line}\n`);
		await java.waitFor(new RegExp(`echo line ${line}`));
	}

	socket.destroy();
});

const refusal = namespaceRefusal(['--mount']);

/** Runs a program with files that cannot be read over the target's schedstat files, in mounts of its own. */
const covering = 'for task in /proc/$0/task/*; do mount --bind /proc/$0/mem $task/schedstat || exit 9; done; exec "$@"';

type Report = {threads: Array<{name: string; states: Record<string, number>}>};

test.skipIf(refusal).each(jdks())(
	`JDK $release without schedstat${
		refusal ? ` (files cannot be covered here: ${refusal})` : ''
	}: a thread at work in a call that may also wait is not IDLE`,
	async jdk => {
		const java = await javaForTest('ReadsZeros', {jdk});
		// From now on the listener is there, and no thread comes that is not covered.
		expect(await new AttachClient(await targetOf(java)).threadDump({timeoutMs: patienceMs})).toMatchObject({
			status: 'ok',
		});
		const args = [
			cli,
			String(java.pid),
			'--engine',
			'attach',
			'--batch',
			'--format',
			'json',
			'--duration',
			'3',
			'--interval',
			'100',
			'--max-overhead',
			'100',
		];
		const report = JSON.parse(execFileSync('unshare', [
			'--mount',
			'sh',
			'-c',
			covering,
			String(java.pid),
			process.execPath,
			...args,
		], {encoding: 'utf8'})) as Report;
		const statesOf = (name: string) => report.threads.find(thread => thread.name === name)!.states;
		expect(statesOf('reads-zeros').RUNNABLE).toBeGreaterThan(2);
		// On a machine with too much to do it may get no CPU from one dump to the next.
		expect(statesOf('reads-zeros').IDLE).toBeLessThan(statesOf('reads-zeros').RUNNABLE);
		// The dumps of 11 and later have CPU times of their own: by the third at the latest it is known who waits.
		expect(statesOf('main').IDLE > 0).toBe(jdk.release > 8);
		expect(statesOf('main').RUNNABLE).toBeGreaterThan(0);
	},
);

test('threads that no dump shows have the kernel\'s names and CPU times; those of the dump, and unknown ids, none', async () => {
	const others = new NativeThreads(process.pid, closedAfterTest(new ThreadCpu(process.pid)));
	const sample = new Sample();
	let usedNs = 0;
	await untilAsync(async () => {
		sample.clear();
		sample.addThread(1, process.pid, safe`main`);
		others.add(sample);
		for (let row = 1; row < sample.count; row++) {
			expect([sample.key[row], sample.nativeId[row]]).toEqual([-sample.nativeId[row], expect.any(Number)]);
			expect(sample.nativeId[row]).not.toBe(process.pid);
			usedNs += sample.cpuNs[row];
		}

		// Work of libuv's threads.
		await Promise.all([promisify(pbkdf2)('', '', 100_000, 64, 'sha512'), sleep(50)]);
		return usedNs >= 50e6;
	});
	expect(sample.name.slice(1).every(name => name !== '')).toBe(true);
	sample.clear();
	sample.addThread(1, 0, safe`main`);
	others.add(sample);
	expect(sample.count).toBe(1);
});
