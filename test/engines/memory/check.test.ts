import type {ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import process from 'node:process';
import {expect, test} from 'vitest';
import {SessionOver} from '../../../source/engines/common/engine.js';
import {memoryEngine} from '../../../source/engines/memory/engine.js';
import {loadPtrace} from '../../../source/engines/memory/cpu/ptrace/ptrace.js';
import {stopObstacle} from '../../../source/engines/memory/start.js';
import {Sample} from '../../../source/model/sample.js';
import {commOf} from '../../helpers/proc.js';
import {rawTarget} from '../../helpers/target.js';
import {javaForTest, spawnForTest} from '../../helpers/for-test.js';
import {Names} from './observe.js';

/** A process that is no JVM. */
async function startSleep(): Promise<ChildProcess> {
	const other = spawnForTest('sleep', ['1000']);
	await once(other, 'spawn');
	return other;
}

test('a process that is not a JVM', async () => {
	const {pid} = await startSleep();
	expect(await memoryEngine.check(rawTarget(pid!))).toEqual({ready: false, reason: 'no libjvm.so is loaded in this process', hint: '', othersMayDo: true});
	await expect(memoryEngine.open(rawTarget(pid!), {depth: 10}, new Names())).rejects.toThrow(SessionOver);
});

test('a process that has ended', async () => {
	const other = await startSleep();
	const target = rawTarget(other.pid!);
	other.kill('SIGKILL');
	await once(other, 'exit');
	expect(await memoryEngine.check(target)).toMatchObject({ready: false, reason: `process ${target.pid} has ended`});
});

test('another tracer is named', async () => {
	const java = await javaForTest('ParkedAndEcho');
	const target = rawTarget(java.pid);
	const ptrace = loadPtrace();
	// Our own process as the other tracer: it holds the thread that the process is named after.
	expect(ptrace.seize(java.pid)).toBe(0);
	try {
		expect(stopObstacle(target, ptrace)?.reason).toBe(`another tracer, ${commOf(process.pid, process.pid)} (process ${process.pid}), is attached to this JVM`);
	} finally {
		ptrace.interrupt(java.pid);
		while (ptrace.poll(java.pid) === 0) {
			ptrace.sleepUs(1000);
		}

		expect(ptrace.detach(java.pid, 0)).toBe(0);
	}

	expect(stopObstacle(target, ptrace)).toBeUndefined();
});

test('a JVM is ready; its session ends normally when it does', async () => {
	const java = await javaForTest('ParkedAndEcho', {args: ['20', '10']});
	const target = rawTarget(java.pid);
	expect(await memoryEngine.check(target)).toEqual({ready: true});
	const session = await memoryEngine.open(target, {depth: 100}, new Names());
	const sample = new Sample();
	expect(await session.sample(sample)).toMatchObject({ok: true});
	expect(sample.count).toBeGreaterThan(20);
	await java.stop();
	await expect(session.sample(sample)).rejects.toMatchObject({name: 'Error', targetEnded: true});
	await session.close();
	await session.close();
	await expect(session.sample(sample)).rejects.toThrow(SessionOver);
});
