import {readFileSync, readdirSync} from 'node:fs';
import {expect, test} from 'vitest';
import {OtherThreadsIdle} from '../../../source/engines/memory/threads/other-threads-idle.js';
import {ProcessClock} from '../../../source/jvm/threads/process-clock.js';
import {ThreadCpu} from '../../../source/jvm/threads/thread-cpu.js';
import {type JavaProcess} from '../../helpers/jvm.js';
import {until} from '../../helpers/until.js';
import {closedAfterTest, javaForTest} from '../../helpers/for-test.js';

const quickStart = {jvmArgs: ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xshare:auto']};

/** Makes `main` do something, and waits until it has left its CPU to wait for more. */
async function echo(java: JavaProcess, main: number): Promise<void> {
	const echoes = java.output().match(/^echo hello$/gm)?.length ?? 0;
	java.child.stdin?.write('hello\n');
	await java.waitFor(new RegExp(`^(?:[^]*^echo hello$){${echoes + 1}}`, 'm'));
	await untilItReads(java, main);
}

/** Until `main` waits for its standard input: in a system call whose first argument is file 0. */
async function untilItReads(java: JavaProcess, main: number): Promise<void> {
	await until(() => /^\d+ 0x0 /.test(readFileSync(`/proc/${java.pid}/task/${main}/syscall`, 'latin1')));
}

/** Linux ids of a process's threads: that of `main`, which the launcher starts first, and the others. */
function threadsOf(java: JavaProcess): {main: number; others: number[]} {
	const [launcher, main, ...more] = readdirSync(`/proc/${java.pid}/task`).map(Number).toSorted((a, b) => a - b);
	return {main, others: [launcher, ...more]};
}

test('while only watched threads of a process run, the others are idle; one that runs is noticed, and a watched one that ends', async () => {
	const java = await javaForTest('ParkedAndEcho', quickStart);
	const cpu = closedAfterTest(new ThreadCpu(java.pid));
	const {main, others} = threadsOf(java);
	await untilItReads(java, main);
	expect(others.length).toBeLessThan(24);
	const rest = new OtherThreadsIdle(ProcessClock.of(java.pid), cpu);
	const calmDown = async () => {
		let lookedMs = 0;
		await until(() => {
			lookedMs = performance.now();
			rest.afterScan(others, true, lookedMs);
			return rest.areIdle(lookedMs);
		});
		return lookedMs;
	};

	await calmDown();
	// All threads are scanned at least every four seconds.
	expect(rest.areIdle(performance.now() + 4000)).toBe(false);
	const lookedMs = await calmDown();
	await echo(java, main);
	await until(() => !rest.areIdle(lookedMs));
	await calmDown();
	// Another thread that does something is no time to rely on it.
	rest.afterScan(others, false, performance.now());
	expect(rest.areIdle(performance.now())).toBe(false);
	await calmDown();
	await java.stop();
	expect(rest.areIdle(performance.now())).toBe(false);
});
