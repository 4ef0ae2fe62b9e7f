import {setTimeout as sleep} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {OnCpu} from '../../source/jvm/threads/on-cpu.js';
import {keepFirstCpuBusy, spawnForTest} from '../helpers/for-test.js';
import {until, untilAsync} from '../helpers/until.js';

const started = (script: string) => spawnForTest('sh', ['-c', script], {stdio: 'ignore'});

test('of two that want the same CPU each waits for it at times and has it at times; one that sleeps has none', async () => {
	for (const {pid} of keepFirstCpuBusy(2)) {
		const onCpu = new OnCpu(pid);
		const answers = new Set<boolean>();
		await until(() => {
			onCpu.begin();
			answers.add(onCpu.isOffCpu(pid));
			return answers.size === 2;
		});
		onCpu.close();
	}

	const {pid: sleeping} = started('exec sleep 1000');
	const onCpu = new OnCpu(sleeping);
	await until(() => onCpu.isOffCpu(sleeping));
	// Once it has started, it is given none.
	await untilAsync(async () => {
		onCpu.mark(sleeping);
		await sleep(20);
		return !onCpu.mayHaveLeft(sleeping);
	});
	expect(onCpu.waitedSince(sleeping)).toBe(false);
	onCpu.close();
});

test('one that wakes up was given a CPU since; of one that is gone nothing is said', async () => {
	const child = started('while :; do sleep 0.01; done');
	const {pid} = child;
	const onCpu = new OnCpu(pid);
	onCpu.mark(pid);
	await until(() => onCpu.mayHaveLeft(pid));
	expect(onCpu.waitedSince(pid)).toBe(true);
	child.kill('SIGKILL');
	await until(() => !onCpu.isOffCpu(pid));
	expect(onCpu.mayHaveLeft(pid)).toBe(false);
	onCpu.close();
});

test('threads that sleep say nothing of those that can run', async () => {
	const {pid} = started('exec sleep 1000');
	const onCpu = new OnCpu(pid);
	await until(() => onCpu.isOffCpu(pid));
	for (let count = 0; count < 1000; count++) {
		onCpu.isOffCpu(pid);
	}

	expect([onCpu.isReliable, onCpu.isOffCpu(pid)]).toEqual([true, true]);
	onCpu.close();
});
