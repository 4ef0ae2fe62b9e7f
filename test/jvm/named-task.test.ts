import {execFileSync} from 'node:child_process';
import process from 'node:process';
import {expect, test} from 'vitest';
import {namedTask} from '../../source/jvm/threads/native-ids.js';
import {jdks} from '../helpers/jvm.js';
import {javaForTest} from '../helpers/for-test.js';

test.each(jdks().map(on => [on.release, on] as const))('the VM Thread of JDK %d', async (_, on) => {
	const java = await javaForTest('ParkedAndEcho', {jdk: on, args: ['2', '5']});
	const task = namedTask(java.pid, ['no such', 'VM Thread']);
	const dump = execFileSync(`${on.home}/bin/jstack`, [String(java.pid)], {encoding: 'utf8'});
	const nid = /^"VM Thread".* nid=(\w+)/m.exec(dump)![1];
	expect(task).toBe(Number(nid));
});

test('none of that name, no such process', () => {
	expect(namedTask(process.pid, ['VM Thread'])).toBe(0);
	expect(namedTask(4_194_304, ['VM Thread'])).toBe(0);
});
