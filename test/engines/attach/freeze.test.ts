import {connect} from 'node:net';
import {expect, test} from 'vitest';
import {AttachClient} from '../../../source/engines/attach/socket/client.js';
import {chooseDialect, encodeRequest} from '../../../source/engines/attach/socket/protocol.js';
import {socketPath} from '../../../source/jvm/attachability/attach-socket.js';
import type {Target} from '../../../source/jvm/target.js';
import {javaForTest} from '../../helpers/for-test.js';
import {jdk} from '../../helpers/jvm.js';
import {targetOf} from '../../helpers/target.js';
import {patienceMs} from '../../helpers/until.js';

/** Sends a request, reads until the dump has begun, when all threads are stopped, and then pauses. */
async function askAndPause(target: Target, request: Uint8Array) {
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
	// A dump of about 1 MB, more than a socket holds while nobody reads: a target that streamed it would stand still.
	const java = await javaForTest('ParkedAndEcho', {jdk: jdk(release => release >= 25), args: ['300', '100'], jvmArgs: ['-Xmx128m', '-Xss1m']});
	const target = await targetOf(java);
	expect(await new AttachClient(target).threadDump({timeoutMs: patienceMs})).toMatchObject({status: 'ok'});
	const {version, dumpCommand} = chooseDialect(0, '2 streaming')!;
	const socket = await askAndPause(target, encodeRequest(version, dumpCommand, []));
	for (let line = 0; line < 5; line++) {
		java.child.stdin!.write(`line ${line}\n`);
		await java.waitFor(new RegExp(`echo line ${line}`));
	}

	socket.destroy();
});
