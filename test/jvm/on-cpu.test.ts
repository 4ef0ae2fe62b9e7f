import {setTimeout as sleep} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {OnCpu} from '../../source/jvm/threads/on-cpu.js';
import {keepFirstCpuBusy, spawnForTest} from '../helpers/for-test.js';
import {until, untilAsync} from '../helpers/until.js';

const started = (script: string) => spawnForTest('sh', ['-c', script], {stdio: 'ignore'});

test('of two that want the same CPU each waits for it at times and has it at times; one that sleeps has none', async () => {
	for (const {pid} of keepFirstCpuBusy(2)) {
		const looker = new OnCpu(pid);
		const answers = new Set<boolean>();
		await until(() => {
			looker.begin();
			answers.add(looker.isOffCpu(pid));
			return answers.size === 2;
		});
		looker.close();
	}

	const {pid: sleeping} = started('exec sleep 1000');
	const looker = new OnCpu(sleeping);
	await until(() => looker.isOffCpu(sleeping));
	// Once it has started, it is given none.
	await untilAsync(async () => {
		looker.mark(sleeping);
		await sleep(20);
		return !looker.mayHaveLeft(sleeping);
	});
	expect(looker.waitedSince(sleeping)).toBe(false);
	looker.close();
});

test('one that wakes up was given a CPU since; of one that is gone nothing is said', async () => {
	const child = started('while :; do sleep 0.01; done');
	const {pid} = child;
	const looker = new OnCpu(pid);
	looker.mark(pid);
	await until(() => looker.mayHaveLeft(pid));
	expect(looker.waitedSince(pid)).toBe(true);
	child.kill('SIGKILL');
	await until(() => !looker.isOffCpu(pid));
	expect(looker.mayHaveLeft(pid)).toBe(false);
	looker.close();
});

test('threads that sleep say nothing of those that can run', async () => {
	const {pid} = started('exec sleep 1000');
	const looker = new OnCpu(pid);
	await until(() => looker.isOffCpu(pid));
	for (let count = 0; count < 1000; count++) {
		looker.isOffCpu(pid);
	}

	expect([looker.isReliable, looker.isOffCpu(pid)]).toEqual([true, true]);
	looker.close();
});
