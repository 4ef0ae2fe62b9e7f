import {execFileSync, spawnSync} from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import {
	afterEach, describe, expect, test,
} from 'vitest';
import {AttachClient} from '../../../source/engines/attach/socket/client.js';
import {jdks, type JavaProcess, startJava} from '../../helpers/jvm.js';
import {targetOf} from '../../helpers/target.js';
import {patienceMs} from '../../helpers/patience.js';

const cli = path.resolve(import.meta.dirname, '../../../dist/cli.js');
const tried = spawnSync('unshare', ['--mount', 'true'], {encoding: 'utf8'});

/**
Runs tprof-top where the target's schedstat files cannot be read: a file that gives an error lies over each of them, in
mounts of its own.
*/
const covering = 'for task in /proc/$0/task/*; do mount --bind /proc/$0/mem $task/schedstat || exit 9; done; exec "$@"';

type Report = {threads: Array<{name: string; states: Record<string, number>}>};

let java: JavaProcess | undefined;
afterEach(async () => {
	await java?.stop();
});

if (tried.status === 0) {
	describe.each(jdks())('JDK $release without schedstat', jdk => {
		test('a thread at work in a call that may also wait is not IDLE', async () => {
			java = await startJava('ReadsZeros', {jdk});
			// From now on the listener is there, and no thread comes that is not covered.
			expect(await new AttachClient(await targetOf(java)).threadDump({timeoutMs: patienceMs})).toMatchObject({status: 'ok'});
			const args = [cli, String(java.pid), '--engine', 'attach', '--batch', '--format', 'json', '--duration', '4', '--interval', '100', '--max-overhead', '100'];
			const report = JSON.parse(execFileSync('unshare', ['--mount', 'sh', '-c', covering, String(java.pid), process.execPath, ...args], {encoding: 'utf8'})) as Report;
			const statesOf = (name: string) => report.threads.find(thread => thread.name === name)!.states;
			expect(statesOf('reads-zeros').RUNNABLE).toBeGreaterThan(2);
			// On a machine with too much to do it may get no CPU from one dump to the next.
			expect(statesOf('reads-zeros').IDLE).toBeLessThan(statesOf('reads-zeros').RUNNABLE);
			// The dumps of 11 and later have CPU times of their own: by the third at the latest it is known who waits.
			expect(statesOf('main').IDLE > 0).toBe(jdk.release > 8);
			expect(statesOf('main').RUNNABLE).toBeGreaterThan(0);
		});
	});
} else {
	test('files cannot be covered here; the reason is the system\'s', () => {
		// Not a silent pass: says what is missing, and fails when the reason is anything but missing rights.
		console.warn(`reading without schedstat not tested: ${tried.error?.message ?? tried.stderr}`);
		expect(tried.error?.message ?? tried.stderr).toMatch(/not permitted|denied|enoent/i);
	});
}
