import {describe, expect, test} from 'vitest';
import {AttachClient} from '../../../source/jvm/attach/client.js';
import {isAlive, readStatus} from '../../../source/jvm/system/proc.js';
import type {Identified} from '../../../source/jvm/target.js';
import {beside, javaForTest, spawnForTest} from '../../helpers/for-test.js';
import {type JavaProcess, jdks, rawTarget, targetOf} from '../../helpers/jvm.js';
import {seenWithoutRights} from '../../helpers/unprivileged.js';
import {until, untilAsync, patienceMs} from '../../helpers/until.js';
import {isRoot, javaAsOtherUser, namespaceRefusal, otherUser, withCapability} from '../../helpers/users.js';

/** What the other user finds, who has none of the capabilities of the JVM. */
const identifiedBy = async ({pid}: {readonly pid: number}) =>
	seenWithoutRights('source/jvm/discovery/inspect.ts', `module.identify(${pid})`) as Promise<Identified>;
const hazardBy = async (pid: number) =>
	seenWithoutRights('source/jvm/attachability/signal.ts', `module.sendQuit(${JSON.stringify(rawTarget(pid))})`);

/** The status of a dump that the other user asks for. */
async function dumpBy(found: Identified): Promise<unknown> {
	const {target} = found as Identified & {ok: true};
	const client = `new module.AttachClient(${JSON.stringify(target)})`;
	const dump = `(await ${client}.threadDump({timeoutMs: ${patienceMs}})).status`;
	return seenWithoutRights('source/jvm/attach/client.ts', dump);
}

const closed = {ok: false, reason: expect.stringContaining('cannot be inspected') as string};

async function expectNothingPrinted(java: JavaProcess): Promise<void> {
	java.child.stdin!.write('still there\n');
	await java.waitFor(/echo still there/);
	expect(java.output()).not.toMatch(/Full thread dump/);
}

describe.skipIf(!isRoot).concurrent.each(jdks())('JDK $release: a JVM with an ambient capability (needs root)', on => {
	const java = withCapability(javaAsOtherUser(on));

	test('its user attaches to it', beside(async () => {
		const jvm = await javaForTest('ParkedAndEcho', {jdk: on, java, args: ['1', '2']});
		let found = await identifiedBy(jvm);
		await untilAsync(async () => {
			found = await identifiedBy(jvm);
			return found.ok;
		});
		expect(found).toMatchObject({target: {jdk: on.release, facts: {command: 'ParkedAndEcho 1 2'}}});
		expect(await dumpBy(found)).toBe('ok');
		await expectNothingPrinted(jvm);
	}));

	test('without counters it gets no signal, but requests if its socket is there', beside(async () => {
		const jvm = await javaForTest('ParkedAndEcho', {jdk: on, java, jvmArgs: ['-XX:-UsePerfData']});
		expect(await identifiedBy(jvm)).toMatchObject(closed);
		expect(await hazardBy(jvm.pid)).toMatchObject({reason: closed.reason});
		const opener = new AttachClient(await targetOf(jvm));
		expect(await opener.threadDump({timeoutMs: patienceMs})).toMatchObject({status: 'ok'});
		const found = await identifiedBy(jvm);
		expect(found).toMatchObject({ok: true});
		expect(await dumpBy(found)).toBe('ok');
		await expectNothingPrinted(jvm);
	}));

	test.skipIf(namespaceRefusal(['--mount']))('in mounts of its own it stays closed', beside(async () => {
		const under = ['unshare', '--mount'];
		const jvm = await javaForTest('ParkedAndEcho', {jdk: on, java, under});
		expect(await identifiedBy(jvm)).toMatchObject(closed);
		expect(await hazardBy(jvm.pid)).toMatchObject({reason: closed.reason});
		await expectNothingPrinted(jvm);
	}));
});

test.skipIf(!isRoot)('a closed process that only calls itself java gets no signal (needs root)', async () => {
	const [command, ...args] = withCapability(['setpriv', '--reuid', String(otherUser.uid), '--clear-groups']);
	const child = spawnForTest(command, [...args, 'bash', '-c', 'exec -a java sleep 1000']);
	await until(() => readStatus(child.pid)?.uid === otherUser.uid);
	const target = rawTarget(child.pid);
	expect(await hazardBy(child.pid)).toMatchObject({reason: closed.reason});
	expect(isAlive(target)).toBe(true);
});
