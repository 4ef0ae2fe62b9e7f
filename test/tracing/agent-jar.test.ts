import {spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {expect, test} from 'vitest';
import {folderForTest} from '../helpers/for-test.js';
import {jdks} from '../helpers/jvm.js';
import {patienceMs} from '../helpers/until.js';

const agent = path.resolve(import.meta.dirname, '../../agent');
/** javac of another release writes other bytes. */
const builder = jdks().find(({release}) => release === 17);
const hasMaven = spawnSync('mvn', ['--version']).status === 0;

test.skipIf(!builder || !hasMaven)('the agent\'s jar is what its sources give (needs Maven and a JDK that can build it)', () => {
	const folder = folderForTest();
	const fresh = path.join(folder, 'agent.jar');
	const build = (flags: string) => spawnSync(path.join(agent, 'build.sh'), [fresh], {
		encoding: 'utf8', timeout: patienceMs, env: {...process.env, JAVA_HOME: builder!.home, MAVEN_FLAGS: flags},
	});
	const offline = build('--offline');
	const {status, stdout} = offline.status === 0 ? offline : build('');
	expect(status, stdout).toBe(0);
	expect(readFileSync(fresh).equals(readFileSync(path.join(agent, 'agent.jar')))).toBe(true);
});
