import {spawn} from 'node:child_process';
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {NativeIds} from '../../source/jvm/threads/native-ids.js';
import {isRoot, namespaceRefusal} from '../helpers/as-root.js';
import {compileProgram, javaProcess, jdks} from '../helpers/jvm.js';
import {until} from '../helpers/until.js';
import {sharedJava, stoppedAfterTest} from '../helpers/for-test.js';

/** Its compiler threads do not come and go. */
const shared = sharedJava('CpuAndSleep', {jvmArgs: ['-XX:+IgnoreUnrecognizedVMOptions', '-XX:-UseDynamicNumberOfCompilerThreads']});

test('in the same pid namespace ids are the same, and nothing is looked up', () => {
	const ids = new NativeIds({pid: shared.java.pid, nsPid: shared.java.pid});
	expect(ids.ours(123_456_789)).toBe(123_456_789);
	expect(ids.ours(0)).toBe(0);
	expect(ids.ours(-1)).toBe(0);
});

test('otherwise each thread is found by the id that it has in its innermost namespace', () => {
	// The JVM's innermost namespace is our own here, so the search must find every id for itself.
	const ids = new NativeIds({pid: shared.java.pid, nsPid: 1});
	const tids = readdirSync(`/proc/${shared.java.pid}/task`).map(Number);
	expect(tids.length).toBeGreaterThan(10);
	expect(tids.map(tid => ids.ours(tid))).toEqual(tids);
	expect(ids.ours(2 ** 22)).toBe(0);
	ids.newRound();
	expect(ids.ours(tids[0])).toBe(tids[0]);
	ids.forget();
	expect(ids.ours(tids[1])).toBe(tids[1]);
});

test('a process that is gone has no threads', () => {
	expect(new NativeIds({pid: 2 ** 22, nsPid: 1}).ours(1)).toBe(0);
});

const unshare = ['--pid', '--fork', '--kill-child', '--mount', '--mount-proc'];
const refusal = isRoot ? namespaceRefusal(unshare) : 'ns_last_pid is for root';

test.skipIf(refusal)(`an id that another thread had before is that of the new one${refusal ? ` (${refusal})` : ''}`, async () => {
	const [jdk] = jdks();
	const inside = stoppedAfterTest(javaProcess(spawn('unshare', [...unshare, path.join(jdk.home, 'bin/java'), '-Xint', '-XX:+UseSerialGC', '-cp', compileProgram('ReusedThreadId', jdk), 'ReusedThreadId'], {stdio: ['pipe', 'pipe', 'pipe']})));
	const [, inner] = await inside.waitFor(/^ready (\d+)$/m);
	const pid = Number(readFileSync(`/proc/${inside.pid}/task/${inside.pid}/children`, 'latin1').trim());
	const ids = new NativeIds({pid, nsPid: 1});
	const first = ids.oursOfNew(Number(inner));
	expect(existsSync(`/proc/${pid}/task/${first}`)).toBe(true);
	inside.child.stdin!.write('again\n');
	await inside.waitFor(/^reused \d+$/m);
	await until(() => !existsSync(`/proc/${pid}/task/${first}`));
	const second = ids.oursOfNew(Number(inner));
	expect(second).not.toBe(first);
	expect(readFileSync(`/proc/${pid}/task/${second}/status`, 'latin1')).toMatch(new RegExp(`^NSpid:.*\\s${inner}$`, 'm'));
});
