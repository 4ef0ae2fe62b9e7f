import {connect} from 'node:net';
import {beforeEach, expect, test} from 'vitest';
import {AttachClient} from '../../../source/engines/attach/socket/client.js';
import {chooseDialect, encodeRequest} from '../../../source/engines/attach/socket/protocol.js';
import {socketPath} from '../../../source/jvm/attachability/attach-socket.js';
import type {Target} from '../../../source/jvm/target.js';
import {javaForTest} from '../../helpers/for-test.js';
import {type JavaProcess, jdk} from '../../helpers/jvm.js';
import {targetOf} from '../../helpers/target.js';
import {patienceMs} from '../../helpers/until.js';

let java: JavaProcess;
let target: Target;
beforeEach(async () => {
	// A dump of about 1 MB, more than a socket holds while nobody reads.
	java = await javaForTest('ParkedAndEcho', {jdk: jdk(release => release >= 25), args: ['300', '100'], jvmArgs: ['-Xmx128m', '-Xss1m']});
	target = await targetOf(java);
	expect(await new AttachClient(target).threadDump({timeoutMs: patienceMs})).toMatchObject({status: 'ok'});
});

/** Sends a request, reads until the dump has begun, when all threads are stopped, and then pauses. */
async function askAndPause(request: Uint8Array) {
	const socket = connect(socketPath(target));
	socket.write(request);
	await new Promise<void>(resolve => {
		let reply = '';
		const take = (bytes: Buffer) => {
			reply += bytes.toString('latin1');
			if (reply.includes('Full thread dump')) {
				socket.pause();
				socket.off('data', take);
				resolve();
			}
		};

		socket.on('data', take);
	});
	return socket;
}

test('a reader that pauses does not hold up a target that was asked not to stream', async () => {
	const {version, dumpCommand} = chooseDialect(0, '2 streaming')!;
	const socket = await askAndPause(encodeRequest(version, dumpCommand, []));
	for (let line = 0; line < 5; line++) {
		java.child.stdin!.write(`line ${line}\n`);
		await java.waitFor(new RegExp(`echo line ${line}`));
	}

	socket.destroy();
});

test('it would hold up one that streams, until the connection is closed', async () => {
	const socket = await askAndPause(encodeRequest(1, 'threaddump', []));
	java.child.stdin!.write('hello\n');
	await expect(java.waitFor(/echo hello/, 1000)).rejects.toThrow(/no .*echo hello/);
	socket.destroy();
	await java.waitFor(/echo hello/);
});
