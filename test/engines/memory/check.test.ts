import {type ChildProcess, execFileSync, spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {copyFileSync, cpSync, mkdirSync, readdirSync, realpathSync, rmSync, symlinkSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {expect, test} from 'vitest';
import {SessionOver} from '../../../source/engines/common/engine.js';
import {loadPtrace} from '../../../source/engines/memory/cpu/ptrace/ptrace.js';
import {memoryEngine} from '../../../source/engines/memory/engine.js';
import {stopObstacle} from '../../../source/engines/memory/start.js';
import {Sample} from '../../../source/model/sample.js';
import {isRoot} from '../../helpers/as-root.js';
import {javaForTest, spawnForTest, folderForTest, stoppedAfterTest} from '../../helpers/for-test.js';
import {compileProgram, javaProcess, jdk} from '../../helpers/jvm.js';
import {commOf} from '../../helpers/proc.js';
import {cli} from '../../helpers/run.js';
import {rawTarget, targetOf} from '../../helpers/target.js';
import {patienceMs} from '../../helpers/until.js';
import {Names} from './observe.js';

/** A process that is no JVM. */
async function startSleep(): Promise<ChildProcess> {
	const other = spawnForTest('sleep', ['1000']);
	await once(other, 'spawn');
	return other;
}

test('a process that is not a JVM', async () => {
	const {pid} = await startSleep();
	expect(await memoryEngine.check(rawTarget(pid!))).toEqual({reason: 'no libjvm.so is loaded in this process', hint: '', othersMayDo: true});
	await expect(memoryEngine.open(rawTarget(pid!), {depth: 10}, new Names())).rejects.toThrow(SessionOver);
});

test('a process that has ended', async () => {
	const other = await startSleep();
	const target = rawTarget(other.pid!);
	other.kill('SIGKILL');
	await once(other, 'exit');
	expect(await memoryEngine.check(target)).toMatchObject({reason: `process ${target.pid} has ended`});
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
	expect(await memoryEngine.check(target)).toBeUndefined();
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

/** A JVM with a libjvm.so of its own, the rest of the JDK borrowed. */
async function startOwn(folder: string): Promise<{readonly pid: number; readonly library: string}> {
	const {home, release} = jdk(each => each >= 9);
	const [bin, lib, server] = ['bin', 'lib', 'lib/server'].map(name => path.join(folder, name));
	mkdirSync(bin);
	mkdirSync(server, {recursive: true});
	copyFileSync(path.join(home, 'bin/java'), path.join(bin, 'java'));
	symlinkSync(path.join(home, 'conf'), path.join(folder, 'conf'));
	for (const name of readdirSync(path.join(home, 'lib')).filter(each => each !== 'server' && each !== 'src.zip')) {
		symlinkSync(realpathSync(path.join(home, 'lib', name)), path.join(lib, name));
	}

	cpSync(path.join(home, 'lib/server'), server, {recursive: true, dereference: true});
	const program = ['-Xmx64m', '-cp', compileProgram('CpuAndSleep', {home, release}), 'CpuAndSleep'];
	const java = stoppedAfterTest(javaProcess(spawn(path.join(bin, 'java'), program, {stdio: ['pipe', 'pipe', 'pipe'], env: {...process.env, LD_LIBRARY_PATH: lib}})));
	await java.waitFor(/^ready$/m);
	await targetOf(java);
	return {pid: java.pid, library: path.join(server, 'libjvm.so')};
}

test('a pipe in the place of the libjvm.so that a JVM runs is not opened: the library is read through its mapping, or the engine says that it cannot', async () => {
	const {pid, library} = await startOwn(folderForTest());
	rmSync(library);
	execFileSync('mkfifo', [library]);
	const {status, stdout, stderr} = spawnSync(process.execPath, [cli, String(pid), '--engine', 'memory', '--duration', '1'], {encoding: 'utf8', timeout: patienceMs, killSignal: 'SIGKILL'});
	if (isRoot) {
		expect({status, stderr}).toEqual({status: 0, stderr: ''});
		expect(stdout).toMatch(/engine memory/);
	} else {
		expect(status).toBe(1);
		expect(stderr).toMatch(/libjvm\.so that this process runs cannot be opened|closed to us/);
	}
});
