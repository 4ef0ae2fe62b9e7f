import {spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {chownSync, readdirSync, rmSync} from 'node:fs';
import process from 'node:process';
import {Worker} from 'node:worker_threads';
import {describe, expect, test} from 'vitest';
import {AttachClient} from '../../../source/jvm/attach/client.js';
import {asOwner, canActAs} from '../../../source/jvm/attachability/credentials.js';
import {isRoot, javaAsOtherUser, otherUser} from '../../helpers/users.js';
import {seenWithoutRights} from '../../helpers/unprivileged.js';
import {folderForTest, javaForTest} from '../../helpers/for-test.js';
import {jdks, targetOf} from '../../helpers/jvm.js';
import {patienceMs} from '../../helpers/until.js';

describe.skipIf(!isRoot)('another user\'s JVM (needs root: nobody else can start one)', () => {
	test.each(jdks())(
		'JDK $release: a socket that root left behind under its name is named; without it dumps come, our own rights are back, the target prints nothing',
		async jdk => {
			const own = folderForTest();
			chownSync(own, otherUser.uid, otherUser.gid);
			const java = await javaForTest('ParkedAndEcho', {
				jdk,
				java: javaAsOtherUser(jdk),
				cwd: own,
				jvmArgs: ['-Xmx64m'],
				args: ['3', '3'],
			});
			const target = await targetOf(java);
			expect(target).toMatchObject({...otherUser, jdk: jdk.release});
			const left = `/tmp/.java_pid${java.pid}`;
			spawnSync(process.execPath, [
				'-e',
				'require("node:net").createServer().listen(process.argv[1], () => process.kill(process.pid, "SIGKILL"))',
				left,
			]);
			// With the release known, and with one that has to be found out.
			const clients = [new AttachClient(target), new AttachClient({...target, jdk: 0})];
			for (const client of clients) {
				expect(await client.threadDump({timeoutMs: patienceMs})).toMatchObject({
					status: 'failed',
					reason: 'a file of another user has the name of the attach socket',
					hint: expect.stringContaining(`.java_pid${java.pid}`) as string,
				});
			}

			rmSync(left);
			for (const client of [...clients, ...clients]) {
				const reply = await client.threadDump({timeoutMs: patienceMs});
				expect(reply.status, JSON.stringify({...reply, bytes: undefined})).toBe('ok');
				expect((reply as {bytes: Buffer}).bytes.toString('latin1').match(/^"parked-\d" #/gm)).toHaveLength(3);
			}

			expect([process.geteuid!(), process.getegid!()]).toEqual([0, 0]);
			expect(java.output()).not.toMatch(/Full thread dump/);
			expect(readdirSync(own).filter(name => name.startsWith('.attach'))).toEqual([]);
		},
	);

	test('another user\'s rights are taken by one thread, for one call, and given back when that throws', async () => {
		expect(canActAs()).toBe(true);
		// The main thread's rights, which stay as they are, are what /proc/PID/status shows; the calling thread's are
		// those of its own entry.
		const groups = process.getgroups!();
		const seen = asOwner(otherUser, () => [process.geteuid!(), process.getegid!(), ...process.getgroups!()]);
		expect(seen).toEqual([65_534, 65_534, otherUser.gid]);
		expect([process.geteuid!(), process.getegid!(), process.getgroups!()]).toEqual([0, 0, groups]);
		expect(() => asOwner(otherUser, () => {
			throw new Error('inside');
		})).toThrow('inside');
		expect([process.geteuid!(), process.getegid!()]).toEqual([0, 0]);
		const worker = new Worker('require(\'node:worker_threads\').parentPort.postMessage(process.geteuid())', {
			eval: true,
		});
		expect(await once(worker, 'message')).toEqual([0]);
	});
});

test('who is not root cannot act as another user', async () => {
	expect(await seenWithoutRights('source/jvm/attachability/credentials.ts', 'module.canActAs()')).toBe(false);
	const refusal = 'try { return module.asOwner({uid: 1, gid: 1}, () => 0); } catch (error) { return error.message; }';
	expect(await seenWithoutRights('source/jvm/attachability/credentials.ts', `(() => { ${refusal} })()`))
		.toBe('cannot act as another user here');
});
