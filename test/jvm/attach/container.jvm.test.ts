import {readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {AttachClient} from '../../../source/jvm/attach/client.js';
import {listJvms} from '../../../source/jvm/discovery/list-jvms.js';
import {isRoot, javaAsOtherUser, namespaceRefusal, rootless} from '../../helpers/users.js';
import {compileProgram, type JavaProcess, type Jdk, jdks, targetOf} from '../../helpers/jvm.js';
import {programForTest} from '../../helpers/for-test.js';
import {patienceMs, untilAsync} from '../../helpers/until.js';

/** The namespaces of a container: pids, mounts, a /tmp of its own. */
const unshare = [...rootless, '--pid', '--fork', '--kill-child', '--mount', '--mount-proc'];
const refusal = namespaceRefusal(unshare);

/** Starts the program as process 1 of a container, and gives its pid as we see it. */
async function startInside(jdk: Jdk, command: readonly string[]): Promise<{pid: number; java: JavaProcess}> {
	// The class files lie in the outer /tmp, which is covered inside.
	const script = 'mount --bind "$1" /srv && mount -t tmpfs -o mode=1777 none /tmp && cd /tmp && shift && exec "$@"';
	const program = [...command, '-Xmx64m', '-cp', '/srv', 'ParkedAndEcho', '3', '3'];
	const java = programForTest('unshare', [
		...unshare,
		'sh',
		'-c',
		script,
		'sh',
		compileProgram('ParkedAndEcho', jdk),
		...program,
	]);
	await java.waitFor(/^ready$/m);
	const [inner] = readFileSync(`/proc/${java.pid}/task/${java.pid}/children`, 'utf8').trim().split(' ').map(Number);
	return {pid: inner, java};
}

describe.skipIf(refusal)(`a JVM in a container${refusal ? ` (none can be made here: ${refusal})` : ''}`, () => {
	const ofRoot = ['of root', ({home}: Jdk) => [path.join(home, 'bin/java')]] as const;
	// A user namespace made without rights has one user.
	const users = isRoot ? [ofRoot, ['of another user', javaAsOtherUser] as const] : [ofRoot];

	test.each(jdks().flatMap(jdk => users.map(([user, commandOf]) => ({jdk, release: jdk.release, user, commandOf}))))(
		'JDK $release, $user',
		async ({jdk, commandOf}) => {
			const {pid, java} = await startInside(jdk, commandOf(jdk));
			const target = await targetOf({pid});
			expect(target).toMatchObject({pid, nsPid: 1, jdk: jdk.release, facts: {mainClass: 'ParkedAndEcho'}});
			const client = new AttachClient(target);
			for (let round = 0; round < 3; round++) {
				const reply = await client.threadDump({timeoutMs: patienceMs});
				expect(reply).toMatchObject({status: 'ok'});
				expect((reply as {bytes: Buffer}).bytes.toString('latin1').match(/^"parked-\d" #/gm)).toHaveLength(3);
			}

			expect(listJvms().find(found => found.pid === pid)).toMatchObject({
				mainClass: 'ParkedAndEcho',
				jvmVersion: target.facts.jvmVersion,
			});
			expect(readdirSync(`/proc/${pid}/root/tmp`).filter(name => name.startsWith('.attach'))).toEqual([]);
			expect(java.output()).not.toMatch(/Full thread dump/);
			await java.stop();
			await untilAsync(async () => {
				const {status} = await client.threadDump({timeoutMs: patienceMs});
				return status === 'ended';
			});
		},
	);
});
