import {readdirSync} from 'node:fs';
import {expect, test} from 'vitest';
import {ThreadCpu} from '../../source/jvm/threads/thread-cpu.js';
import {schedstatOf, threadsNamed} from '../helpers/proc.js';
import {until} from '../helpers/until.js';
import {sharedJava} from '../helpers/for-test.js';

/** The JVM's compiler threads do not come and go. */
const fixedThreads = ['-XX:+IgnoreUnrecognizedVMOptions', '-XX:-UseDynamicNumberOfCompilerThreads'];

const shared = sharedJava('CpuAndSleep', {jvmArgs: fixedThreads});

test('a busy thread\'s deltas add up to what the kernel counted; a sleeping one has none', async () => {
	const cpu = new ThreadCpu(shared.java.pid);
	const {pid} = shared.java;
	const [[busy], [sleeping]] = [/^busy-one$/, /^sleeping-one$/].map(name => threadsNamed(pid, name));
	expect(cpu.delta(busy)).toBe(0);
	const start = cpu.cpuNs;
	expect(cpu.delta(sleeping)).toBe(0);
	let sum = 0;
	for (let round = 0; round < 5; round++) {
		const before = schedstatOf(pid, busy).cpuNs;
		await until(() => schedstatOf(pid, busy).cpuNs > before + 10_000_000);
		sum += cpu.delta(busy);
		expect(cpu.delta(sleeping)).toBe(0);
		expect(cpu.reading).toBe('read');
		cpu.forgetUnread();
	}

	expect(sum).toBeGreaterThan(50_000_000);
	expect(cpu.read(busy)).toBe(true);
	expect(cpu.cpuNs).toBeGreaterThanOrEqual(start + sum);
	cpu.close();
});

test('without room for open files it reads all the same, and keeps none open', () => {
	const openFiles = () => readdirSync('/proc/self/fd').length;
	const before = openFiles();
	const cpu = new ThreadCpu(shared.java.pid, 2);
	const tids = readdirSync(`/proc/${shared.java.pid}/task`).map(Number);
	for (let round = 0; round < 3; round++) {
		for (const tid of tids) {
			cpu.delta(tid);
			expect(cpu.reading).toBe('read');
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
	expect(cpu.reading).toBe('gone');
	const none = new ThreadCpu(2 ** 22);
	expect(none.read(2 ** 22)).toBe(false);
	expect(none.reading).toBe('gone');
	expect(none.delta(1)).toBe(0);
	cpu.close();
});

test('a thread whose file was open when it ended is gone, and its file is closed', async () => {
	const openFiles = () => readdirSync('/proc/self/fd').length;
	const before = openFiles();
	const cpu = new ThreadCpu(shared.java.pid);
	const [ending] = threadsNamed(shared.java.pid, /^ending-one$/);
	cpu.delta(ending);
	expect(openFiles()).toBe(before + 1);
	shared.java.child.stdin?.write('\n');
	await shared.java.waitFor(/^ended$/m);
	await until(() => {
		cpu.delta(ending);
		return cpu.reading === 'gone';
	});
	expect(openFiles()).toBe(before);
	cpu.close();
});
