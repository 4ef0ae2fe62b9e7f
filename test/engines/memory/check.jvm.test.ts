import {execFileSync, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {rmSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {expect, test} from 'vitest';
import {SessionOver} from '../../../source/engines/common/engine.js';
import {memoryEngine} from '../../../source/engines/memory/memory-engine.js';
import {isRoot} from '../../helpers/users.js';
import {folderForTest, javaForTest, spawnForTest} from '../../helpers/for-test.js';
import {jdk, rawTarget, targetOf, jdkOfItsOwn} from '../../helpers/jvm.js';
import {cli} from '../../helpers/run.js';
import {patienceMs} from '../../helpers/until.js';
import {Names} from '../observe.js';

test('a process that is not a JVM, and one that has ended', async () => {
	const other = spawnForTest('sleep', ['1000']);
	const target = rawTarget(other.pid);
	const reason = 'no libjvm.so is loaded in this process';
	expect(await memoryEngine.check(target)).toEqual({reason, hint: '', otherEnginesMayWork: true});
	await expect(memoryEngine.open(target, {depth: 10}, new Names())).rejects.toMatchObject({
		constructor: SessionOver,
		message: reason,
	});
	other.kill('SIGKILL');
	await once(other, 'exit');
	expect(await memoryEngine.check(target)).toMatchObject({reason: `process ${target.pid} has ended`});
});

test('a pipe in the place of the libjvm.so that a JVM runs is not opened: the library is read through its mapping, or the engine says that it cannot', async () => {
	const folder = folderForTest();
	const java = await javaForTest('CpuAndSleep', jdkOfItsOwn(folder, jdk(release => release >= 9)));
	const {pid} = await targetOf(java);
	const library = path.join(folder, 'lib/server/libjvm.so');
	rmSync(library);
	execFileSync('mkfifo', [library]);
	const {status, stdout, stderr} = spawnSync(process.execPath, [
		cli,
		String(pid),
		'--engine',
		'memory',
		'--duration',
		'1',
	], {encoding: 'utf8', timeout: patienceMs, killSignal: 'SIGKILL'});
	if (isRoot) {
		expect({status, stderr}).toEqual({status: 0, stderr: ''});
		expect(stdout).toMatch(/engine memory/);
	} else {
		expect(status).toBe(1);
		expect(stderr).toMatch(/libjvm\.so that this process runs cannot be opened|closed to us/);
	}
});
