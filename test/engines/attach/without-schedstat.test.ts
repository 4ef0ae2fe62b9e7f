import {execFileSync} from 'node:child_process';
import process from 'node:process';
import {expect, test} from 'vitest';
import {AttachClient} from '../../../source/engines/attach/socket/client.js';
import {jdks} from '../../helpers/jvm.js';
import {targetOf} from '../../helpers/target.js';
import {javaForTest} from '../../helpers/for-test.js';
import {missingRights, namespaceRefusal} from '../../helpers/as-root.js';
import {cli} from '../../helpers/run.js';
import {patienceMs} from '../../helpers/until.js';

const refusal = namespaceRefusal(['--mount']);

/** Runs a program with files that cannot be read over the target's schedstat files, in mounts of its own. */
const covering = 'for task in /proc/$0/task/*; do mount --bind /proc/$0/mem $task/schedstat || exit 9; done; exec "$@"';

type Report = {threads: Array<{name: string; states: Record<string, number>}>};

test.skipIf(refusal).each(jdks())(`JDK $release without schedstat${refusal ? ` (files cannot be covered here: ${refusal})` : ''}: a thread at work in a call that may also wait is not IDLE`, async jdk => {
	const java = await javaForTest('ReadsZeros', {jdk});
	// From now on the listener is there, and no thread comes that is not covered.
	expect(await new AttachClient(await targetOf(java)).threadDump({timeoutMs: patienceMs})).toMatchObject({status: 'ok'});
	const args = [cli, String(java.pid), '--engine', 'attach', '--batch', '--format', 'json', '--duration', '3', '--interval', '100', '--max-overhead', '100'];
	const report = JSON.parse(execFileSync('unshare', ['--mount', 'sh', '-c', covering, String(java.pid), process.execPath, ...args], {encoding: 'utf8'})) as Report;
	const statesOf = (name: string) => report.threads.find(thread => thread.name === name)!.states;
	expect(statesOf('reads-zeros').RUNNABLE).toBeGreaterThan(2);
	// On a machine with too much to do it may get no CPU from one dump to the next.
	expect(statesOf('reads-zeros').IDLE).toBeLessThan(statesOf('reads-zeros').RUNNABLE);
	// The dumps of 11 and later have CPU times of their own: by the third at the latest it is known who waits.
	expect(statesOf('main').IDLE > 0).toBe(jdk.release > 8);
	expect(statesOf('main').RUNNABLE).toBeGreaterThan(0);
});

test('where it is not tested, it is for missing rights and nothing else', () => {
	expect(refusal ?? 'not permitted').toMatch(missingRights);
});
