import {once} from 'node:events';
import {readdirSync, existsSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {NativeIds} from '../../source/jvm/threads/native-ids.js';
import {OnCpu} from '../../source/jvm/threads/on-cpu.js';
import {ThreadCpu} from '../../source/jvm/threads/thread-cpu.js';
import {isRoot, namespaceRefusal} from '../helpers/users.js';
import {keepFirstCpuBusy, programForTest, sharedJava, spawnForTest} from '../helpers/for-test.js';
import {compileProgram, jdks} from '../helpers/jvm.js';
import {threadsNamed} from '../helpers/proc.js';
import {until, untilAsync} from '../helpers/until.js';

/** The JVM's compiler threads do not come and go. */
const shared = sharedJava('CpuAndSleep', {
	jvmArgs: ['-XX:+IgnoreUnrecognizedVMOptions', '-XX:-UseDynamicNumberOfCompilerThreads'],
});

const openFiles = () => readdirSync('/proc/self/fd').length;

test('without room for open files CPU times are read all the same, and none is kept open', () => {
	const before = openFiles();
	const cpu = new ThreadCpu(shared.java.pid, 2);
	const tids = readdirSync(`/proc/${shared.java.pid}/task`).map(Number);
	for (let round = 0; round < 3; round++) {
		for (const tid of tids) {
			cpu.delta(tid);
			expect(cpu.lastResult).toBe('read');
		}

		expect(openFiles()).toBeLessThanOrEqual(before + 2);
		cpu.forgetUnread();
	}

	cpu.forgetUnread();
	expect(openFiles()).toBe(before);
	cpu.close();
});

test('a thread that is not there is gone; a process that is not there too', () => {
	const cpu = new ThreadCpu(shared.java.pid);
	expect(cpu.delta(2 ** 22)).toBe(0);
	expect(cpu.lastResult).toBe('gone');
	const none = new ThreadCpu(2 ** 22);
	expect(none.read(2 ** 22)).toBe(false);
	expect(none.lastResult).toBe('gone');
	expect(none.delta(1)).toBe(0);
	cpu.close();
});

test('a thread whose file was open when it ended is gone, and its file is closed', async () => {
	const before = openFiles();
	const cpu = new ThreadCpu(shared.java.pid);
	const [ending] = threadsNamed(shared.java.pid, /^ending-one$/);
	cpu.delta(ending);
	expect(openFiles()).toBe(before + 1);
	shared.java.child.stdin?.write('\n');
	await shared.java.waitFor(/^ended$/m);
	await until(() => {
		cpu.delta(ending);
		return cpu.lastResult === 'gone';
	});
	expect(openFiles()).toBe(before);
	cpu.close();
});

test('in another pid namespace each thread is found by the id that it has in its innermost namespace', () => {
	// The JVM's innermost namespace is our own here, so the search must find every id for itself.
	const ids = new NativeIds({pid: shared.java.pid, nsPid: 1});
	const tids = readdirSync(`/proc/${shared.java.pid}/task`).map(Number);
	expect(tids.length).toBeGreaterThan(10);
	expect(tids.map(tid => ids.ours(tid))).toEqual(tids);
	expect(ids.ours(2 ** 22)).toBe(0);
	ids.newRound();
	expect(ids.ours(tids[0])).toBe(tids[0]);
	ids.forget();
	expect(ids.ours(tids[1])).toBe(tids[1]);
});

const unshare = ['--pid', '--fork', '--kill-child', '--mount', '--mount-proc'];
const refusal = isRoot ? namespaceRefusal(unshare) : 'ns_last_pid is for root';

test.skipIf(refusal)(
	`an id that another thread had before is that of the new one${refusal ? ` (${refusal})` : ''}`,
	async () => {
		const [jdk] = jdks();
		const inside = programForTest('unshare', [
			...unshare,
			path.join(jdk.home, 'bin/java'),
			'-Xint',
			'-XX:+UseSerialGC',
			'-cp',
			compileProgram('ReusedThreadId', jdk),
			'ReusedThreadId',
		]);
		const [, inner] = await inside.waitFor(/^ready (\d+)$/m);
		const pid = Number(readFileSync(`/proc/${inside.pid}/task/${inside.pid}/children`, 'latin1').trim());
		const ids = new NativeIds({pid, nsPid: 1});
		const first = ids.oursOfNew(Number(inner));
		expect(existsSync(`/proc/${pid}/task/${first}`)).toBe(true);
		inside.child.stdin!.write('again\n');
		await inside.waitFor(/^reused \d+$/m);
		await until(() => !existsSync(`/proc/${pid}/task/${first}`));
		const second = ids.oursOfNew(Number(inner));
		expect(second).not.toBe(first);
		expect(readFileSync(`/proc/${pid}/task/${second}/status`, 'latin1'))
			.toMatch(new RegExp(`^NSpid:.*\\s${inner}$`, 'm'));
	},
);

test('of two that want the same CPU each waits for it at times and has it at times; one that sleeps has none', async () => {
	for (const {pid} of keepFirstCpuBusy(2)) {
		const onCpu = new OnCpu(pid, new ThreadCpu(pid, 0));
		const answers = new Set<boolean>();
		await until(() => {
			onCpu.begin();
			answers.add(onCpu.isOffCpu(pid));
			return answers.size === 2;
		});
		onCpu.close();
	}

	const {pid: sleeping} = spawnForTest('sleep', ['1000']);
	const onCpu = new OnCpu(sleeping, new ThreadCpu(sleeping, 0));
	await until(() => onCpu.isOffCpu(sleeping));
	// Once it has started, it is given none.
	await untilAsync(async () => {
		onCpu.mark(sleeping);
		await sleep(20);
		return !onCpu.mayHaveLeft(sleeping);
	});
	expect(onCpu.waitedSince(sleeping)).toBe(false);
	// However often it is asked for one that sleeps, that says nothing of those that can run.
	for (let count = 0; count < 1000; count++) {
		onCpu.isOffCpu(sleeping);
	}

	expect([onCpu.isReliable, onCpu.isOffCpu(sleeping)]).toEqual([true, true]);
	onCpu.close();
});

test('one that wakes up was given a CPU since; of one that is gone nothing is said', async () => {
	const child = spawnForTest('sh', ['-c', 'while :; do sleep 0.01; done']);
	const {pid} = child;
	const onCpu = new OnCpu(pid, new ThreadCpu(pid, 0));
	onCpu.mark(pid);
	await until(() => onCpu.mayHaveLeft(pid));
	expect(onCpu.waitedSince(pid)).toBe(true);
	const gone = once(child, 'exit');
	child.kill('SIGKILL');
	await gone;
	expect([onCpu.isOffCpu(pid), onCpu.mayHaveLeft(pid)]).toEqual([false, false]);
	onCpu.close();
});
