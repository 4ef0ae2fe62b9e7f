import {closeSync, existsSync, openSync, readdirSync, renameSync, rmSync, unlinkSync, utimesSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {describe, expect, onTestFinished, test, vi} from 'vitest';
import {createAttachFile} from '../../../source/jvm/attach/attach-file.js';
import {AttachClient, type Reply} from '../../../source/jvm/attach/client.js';
import {HandshakePace, wakeListener} from '../../../source/jvm/attach/handshake.js';
import {openVitals} from '../../../source/jvm/counters/vitals.js';
import {identify} from '../../../source/jvm/discovery/inspect.js';
import {isFrozen} from '../../../source/jvm/system/cgroups.js';
import {readStatus} from '../../../source/jvm/system/proc.js';
import {compileProgram, type JavaOptions, type JavaProcess, jdks, rawTarget, targetOf} from '../../helpers/jvm.js';
import {until, patienceMs} from '../../helpers/until.js';
import {freezers, frozenGroup} from '../../helpers/freezer.js';
import {
	atTestEnd,
	beside,
	closedAfterTest,
	folderForTest,
	javaForTest,
	programForTest,
} from '../../helpers/for-test.js';

const options = {timeoutMs: patienceMs};
/** Starts the program in an empty folder of its own, so that nothing may be left in it unseen. */
async function start(javaOptions: JavaOptions = {}): Promise<{java: JavaProcess; folder: string}> {
	const folder = folderForTest();
	const java = await javaForTest('ParkedAndEcho', {
		cwd: folder,
		...javaOptions,
		jvmArgs: ['-Xmx64m', ...(javaOptions.jvmArgs ?? [])],
	});
	return {java, folder};
}

const text = (reply: Reply) => reply.status === 'ok' ? reply.bytes.toString('latin1') : JSON.stringify(reply);
const attachFiles = (folder: string) => readdirSync(folder).filter(name => name.startsWith('.attach_pid'));

/** It answers, and was not made to print a dump. */
async function expectUnharmed(java: JavaProcess): Promise<void> {
	const word = `word-${Math.random()}`;
	java.child.stdin!.write(`${word}\n`);
	await java.waitFor(new RegExp(`echo ${word}`));
	expect(java.output()).not.toMatch(/Full thread dump/);
}

// They wait for most of their time.
describe.concurrent.each(jdks())('JDK $release', on => {
	test(
		'many clients at once need one signal; dumps arrive whole, nothing is left behind, nothing is printed by the target',
		beside(async () => {
			const {java, folder} = await start({jdk: on, args: ['20', '30']});
			const target = await targetOf(java);
			for (
				const dump of await Promise.all(Array.from({length: 5}, async () =>
					text(await new AttachClient(target).threadDump(options))))
			) {
				expect(dump).toMatch(/Full thread dump/);
				expect(dump.match(/^"parked-\d+" #/gm)).toHaveLength(20);
				expect(dump.match(/ParkedAndEcho\.down/g)).toHaveLength(20 * 30);
			}

			expect(attachFiles(folder)).toEqual([]);
			await expectUnharmed(java);
		}),
	);

	test('a socket removed by a tmp cleaner is made again', beside(async () => {
		const {java, folder} = await start({jdk: on});
		const client = new AttachClient(await targetOf(java));
		expect(text(await client.threadDump(options))).toMatch(/Full thread dump/);
		unlinkSync(`/tmp/.java_pid${java.pid}`);
		// The pause between two handshakes of one client.
		let reply = await client.threadDump(options);
		while (reply.status === 'failed' && reply.reason.includes('a moment ago')) {
			await sleep(50);
			reply = await client.threadDump(options);
		}

		expect(text(reply)).toMatch(/Full thread dump/);
		expect(attachFiles(folder)).toEqual([]);
		await expectUnharmed(java);
	}));

	test('a socket that nobody listens to is replaced', beside(async () => {
		const {java} = await start({jdk: on});
		const dead = await start({jdk: on});
		expect(await new AttachClient(await targetOf(dead.java)).threadDump(options)).toMatchObject({status: 'ok'});
		// The socket of one that is killed, under the living one's name.
		renameSync(`/tmp/.java_pid${dead.java.pid}`, `/tmp/.java_pid${java.pid}`);
		await dead.java.stop();
		expect(text(await new AttachClient(await targetOf(java)).threadDump(options))).toMatch(/Full thread dump/);
	}));

	test('without a free file descriptor it is asked nothing, and the message says why', beside(async () => {
		const under = ['prlimit', '--nofile=256:256'];
		const [asked, unasked] = await Promise.all([0, 1].map(async () => javaForTest('OpensFiles', {jdk: on, under})));
		const clientOf = async (java: JavaProcess) => new AttachClient(await targetOf(java));
		const [first, second] = [await clientOf(asked), await clientOf(unasked)];
		expect(await first.threadDump(options)).toMatchObject({status: 'ok'});
		for (const [java, client] of [[asked, first], [unasked, second]] as const) {
			java.child.stdin!.write('open\n');
			await java.waitFor(/^full$/m);
			expect(await client.threadDump({timeoutMs: 2000})).toMatchObject({
				status: 'failed',
				reason: `JVM ${java.pid} has 256 files open, as many as it may: it cannot take a connection`,
				hint: `raise its limit: sudo prlimit --pid ${java.pid} --nofile=512`,
			});
			java.child.stdin!.write('close\n');
			await java.waitFor(/^closed$/m);
			expect(await client.threadDump(options)).toMatchObject({status: 'ok'});
			expect(java.output()).not.toMatch(/Full thread dump/);
		}
	}));

	test(
		'it may be attached to at any moment of its start without harm',
		beside(async () => {
			await Promise.all(['-XX:+UsePerfData', '-Xshare:auto', '-Xshare:auto', '-Xshare:off', '-XX:-UsePerfData']
				.map(async (flag, round) => {
					const java = programForTest(path.join(on.home, 'bin/java'), [
						'-Xmx64m',
						flag,
						'-cp',
						compileProgram('ParkedAndEcho', on),
						'ParkedAndEcho',
					]);
					// As soon as anything of a JVM is to be seen, and without the help of identify.
					const client = new AttachClient(rawTarget(java.pid));
					let reply = await client.threadDump(options);
					while (reply.status !== 'ok') {
						expect(reply.status, reply.reason).toBe('failed');
						await sleep(round);
						reply = await client.threadDump(options);
					}

					await java.waitFor(/ready/);
					await expectUnharmed(java);
				}));
		}),
	);

	test(
		'with -Xrs its own socket serves, and no signal is sent when that is gone',
		beside(async () => {
			const {java} = await start({jdk: on, jvmArgs: ['-Xrs']});
			const client = new AttachClient(await targetOf(java));
			await until(() => existsSync(`/tmp/.java_pid${java.pid}`));
			expect(text(await client.threadDump(options))).toMatch(/Full thread dump/);
			unlinkSync(`/tmp/.java_pid${java.pid}`);
			expect(await client.threadDump(options)).toMatchObject({
				status: 'failed',
				reason: expect.stringMatching(/-Xrs/) as string,
			});
			await expectUnharmed(java);
		}),
	);
});

test.concurrent('a JVM killed at any moment of a dump has ended', beside(async () => {
	await Promise.all(Array.from({length: 4}, async (_, round) => {
		const {java} = await start({args: ['100', '50']});
		const client = new AttachClient(await targetOf(java));
		setTimeout(() => {
			java.child.kill('SIGKILL');
		}, 20 + (round * 14));
		let reply = await client.threadDump(options);
		while (reply.status === 'ok') {
			expect(reply.bytes.toString('latin1').match(/^"parked-\d+" #/gm)).toHaveLength(100);
			reply = await client.threadDump(options);
		}

		while (reply.status === 'failed') {
			reply = await client.threadDump(options);
		}

		expect(reply.status).toBe('ended');
	}));
}));

test.concurrent(
	'a stopped JVM is not signalled, and its socket is not waited for without end',
	beside(async () => {
		const {java, folder} = await start();
		const target = await targetOf(java);
		const stop = async () => {
			process.kill(java.pid, 'SIGSTOP');
			await until(() => readStatus(java.pid)?.state === 'T');
		};

		await stop();
		const client = new AttachClient(target);
		expect(await client.threadDump(options)).toMatchObject({
			status: 'failed',
			reason: expect.stringMatching(/is stopped/) as string,
		});
		expect(attachFiles(folder)).toEqual([]);
		process.kill(java.pid, 'SIGCONT');
		await expectUnharmed(java);

		expect(await client.threadDump(options)).toMatchObject({status: 'ok'});
		await stop();
		expect(await client.threadDump({timeoutMs: 200})).toMatchObject({
			status: 'failed',
			reason: `process ${java.pid} is stopped (SIGSTOP or Ctrl-Z)`,
		});
		process.kill(java.pid, 'SIGCONT');
		expect(await client.threadDump(options)).toMatchObject({status: 'ok'});
	}),
);

test.skipIf(freezers.length === 0).for(freezers)(
	'a JVM that its control group has frozen is not signalled, and its socket is not waited for without end: $root',
	async freezer => {
		const {java, folder} = await start();
		const target = await targetOf(java);
		const group = frozenGroup(freezer, java.pid);
		const reason = `process ${java.pid} is frozen by its cgroup`;
		group.freeze();
		await until(() => isFrozen(java.pid));
		const client = new AttachClient(target);
		expect(await client.threadDump(options)).toMatchObject({status: 'failed', reason});
		expect(identify(java.pid)).toMatchObject({ok: false, reason});
		expect(closedAfterTest(openVitals(target)).read()).toMatchObject({isFrozen: true, isStopped: false});
		expect(attachFiles(folder)).toEqual([]);
		group.thaw();
		await expectUnharmed(java);
		expect(await client.threadDump(options)).toMatchObject({status: 'ok'});
		group.freeze();
		await until(() => isFrozen(java.pid));
		expect(await client.threadDump({timeoutMs: 200})).toMatchObject({status: 'failed', reason});
		group.thaw();
		expect(await client.threadDump(options)).toMatchObject({status: 'ok'});
	},
);

test.concurrent('an attach file that another one took the place of is not removed', beside(async () => {
	const {java, folder} = await start();
	const ours = createAttachFile(await targetOf(java)) as {remove(): void};
	const file = path.join(folder, `.attach_pid${java.pid}`);
	renameSync(file, path.join(folder, 'old'));
	closeSync(openSync(file, 'w'));
	ours.remove();
	expect(existsSync(file)).toBe(true);
}));

describe.concurrent('while another client attaches', () => {
	/** A JVM with the fresh attach file of a client that has not signalled yet. */
	async function startBeside(directory?: string) {
		const {java, folder} = await start();
		const file = path.join(directory ?? folder, `.attach_pid${java.pid}`);
		closeSync(openSync(file, 'w'));
		atTestEnd(() => {
			rmSync(file, {force: true});
		});
		return {java, file, target: await targetOf(java)};
	}

	test.for([['in the working directory', undefined], ['in /tmp', '/tmp']])(
		'its file %s keeps us from signalling, and its socket serves',
		beside(async ([, directory]) => {
			const {java, file, target} = await startBeside(directory);
			const dump = new AttachClient(target).threadDump(options);
			await sleep(200);
			expect(existsSync(`/tmp/.java_pid${java.pid}`)).toBe(false);
			process.kill(java.pid, 'SIGQUIT');
			expect(await dump).toMatchObject({status: 'ok'});
			expect(existsSync(file)).toBe(true);
			await expectUnharmed(java);
		}),
	);

	test('its end without a socket lets us do it', beside(async () => {
		const {java, file, target} = await startBeside();
		const dump = new AttachClient(target).threadDump(options);
		await sleep(100);
		unlinkSync(file);
		expect(await dump).toMatchObject({status: 'ok'});
		expect(existsSync(file)).toBe(false);
		await expectUnharmed(java);
	}));

	test('its file is replaced when no client would wait any longer', beside(async () => {
		const {java, file, target} = await startBeside();
		const madeAt = (Date.now() / 1000) - 11;
		utimesSync(file, madeAt, madeAt);
		expect(await new AttachClient(target).threadDump(options)).toMatchObject({status: 'ok'});
		expect(existsSync(file)).toBe(false);
		await expectUnharmed(java);
	}));

	test('the time-out ends the wait without a signal', beside(async () => {
		const {java, file, target} = await startBeside();
		expect(await wakeListener(target, {deadline: performance.now() + 1100})).toMatchObject({
			ok: false, signalled: false, ended: false, reason: `another client is attaching to JVM ${java.pid}`,
		});
		expect(existsSync(file)).toBe(true);
		expect(existsSync(`/tmp/.java_pid${java.pid}`)).toBe(false);
		await expectUnharmed(java);
	}));
});

test.concurrent('a process that took over a pid is not signalled', beside(async () => {
	const {java, folder} = await start();
	const target = await targetOf(java);
	const client = new AttachClient({...target, startTicks: target.startTicks + 1});
	expect(await client.threadDump(options)).toMatchObject({status: 'ended'});
	expect(existsSync(`/tmp/.java_pid${java.pid}`)).toBe(false);
	expect(attachFiles(folder)).toEqual([]);
	await expectUnharmed(java);
}));

test('a target is woken again only after a pause, and given up after three failures', () => {
	vi.useFakeTimers({toFake: ['performance']});
	onTestFinished(() => {
		vi.useRealTimers();
	});
	const pace = new HandshakePace();
	const refusedFor = () => {
		let ms = 0;
		for (; pace.refusal() && ms < 100_000; ms += 100) {
			vi.advanceTimersByTime(100);
		}

		return ms;
	};

	expect(refusedFor()).toBe(0);
	expect([true, false, false, true].map(isAnswered => {
		pace.count(isAnswered);
		return refusedFor();
	})).toEqual([1000, 15_000, 30_000, 1000]);
	for (let failure = 0; failure < 3; failure++) {
		pace.count(false);
	}

	expect(refusedFor()).toBe(100_000);
	expect(pace.refusal()).toMatch(/3 times/);
});
