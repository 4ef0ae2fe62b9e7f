import {execFileSync, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {copyFileSync, cpSync, mkdirSync, readdirSync, realpathSync, rmSync, symlinkSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {expect, test} from 'vitest';
import {SessionOver} from '../../../source/engines/common/engine.js';
import {memoryEngine} from '../../../source/engines/memory/engine.js';
import {isRoot} from '../../helpers/as-root.js';
import {folderForTest, programForTest, spawnForTest} from '../../helpers/for-test.js';
import {compileProgram, jdk} from '../../helpers/jvm.js';
import {cli} from '../../helpers/run.js';
import {rawTarget, targetOf} from '../../helpers/target.js';
import {patienceMs} from '../../helpers/until.js';
import {Names} from '../observe.js';

test('a process that is not a JVM, and one that has ended', async () => {
	const other = spawnForTest('sleep', ['1000']);
	const target = rawTarget(other.pid);
	const reason = 'no libjvm.so is loaded in this process';
	expect(await memoryEngine.check(target)).toEqual({reason, hint: '', othersMayDo: true});
	await expect(memoryEngine.open(target, {depth: 10}, new Names())).rejects.toMatchObject({constructor: SessionOver, message: reason});
	other.kill('SIGKILL');
	await once(other, 'exit');
	expect(await memoryEngine.check(target)).toMatchObject({reason: `process ${target.pid} has ended`});
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
	const java = programForTest(path.join(bin, 'java'), program, {env: {...process.env, LD_LIBRARY_PATH: lib}});
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
