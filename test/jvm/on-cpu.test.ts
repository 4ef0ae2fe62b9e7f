import {spawn, type ChildProcess} from 'node:child_process';
import {setTimeout as sleep} from 'node:timers/promises';
import {afterEach, expect, test} from 'vitest';
import {OnCpu} from '../../source/jvm/threads/on-cpu.js';
import {until, untilAsync} from '../helpers/until.js';

const children: ChildProcess[] = [];

afterEach(() => {
	for (const child of children.splice(0)) {
		child.kill('SIGKILL');
	}
});

function started(script: string): number {
	const child = spawn('sh', ['-c', script], {stdio: 'ignore'});
	children.push(child);
	return child.pid!;
}

test('of two that want the same CPU each waits for it at times and has it at times; one that sleeps has none', async () => {
	const pids = [started('exec taskset -c 0 sh -c "while :; do :; done"'), started('exec taskset -c 0 sh -c "while :; do :; done"')];
	for (const pid of pids) {
		const looker = new OnCpu(pid);
		const answers = new Set<boolean>();
		await until(() => {
			looker.begin();
			answers.add(looker.isWaiting(pid));
			return answers.size === 2;
		});
		looker.close();
	}

	const sleeping = started('exec sleep 1000');
	const looker = new OnCpu(sleeping);
	await until(() => looker.isWaiting(sleeping));
	// Once it has started, it is given none.
	await untilAsync(async () => {
		looker.mark(sleeping);
		await sleep(20);
		return !looker.wasGivenSince(sleeping);
	});
	expect(looker.waitedSince(sleeping)).toBe(false);
	looker.close();
});

test('one that wakes up was given a CPU since; of one that is gone nothing is said', async () => {
	const pid = started('while :; do sleep 0.01; done');
	const looker = new OnCpu(pid);
	looker.mark(pid);
	await until(() => looker.wasGivenSince(pid));
	expect(looker.waitedSince(pid)).toBe(true);
	children[0].kill('SIGKILL');
	await until(() => !looker.isWaiting(pid));
	expect(looker.wasGivenSince(pid)).toBe(false);
	looker.close();
});

test('where nobody is ever found on a CPU, nobody is said to wait', async () => {
	const pid = started('exec sleep 1000');
	const looker = new OnCpu(pid);
	await until(() => looker.isWaiting(pid));
	for (let count = 0; count < 1000 && looker.isOfUse; count++) {
		looker.isWaiting(pid);
	}

	expect([looker.isOfUse, looker.isWaiting(pid)]).toEqual([false, false]);
	looker.close();
});
