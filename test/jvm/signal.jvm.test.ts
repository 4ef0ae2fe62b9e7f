import {execFileSync, spawnSync} from 'node:child_process';
import {existsSync, rmSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {describe, expect, test} from 'vitest';
import {AttachClient} from '../../source/jvm/attach/client.js';
import {identify} from '../../source/jvm/discovery/inspect.js';
import {listJvms} from '../../source/jvm/discovery/list-jvms.js';
import {processAgeMs, readStat} from '../../source/jvm/system/proc.js';
import {quitHazard, sendQuit} from '../../source/jvm/attachability/signal.js';
import {beside, programForTest} from '../helpers/for-test.js';
import {compileProgram, type JavaProcess, type Jdk, jdks, rawTarget, targetOf} from '../helpers/jvm.js';
import {until, patienceMs} from '../helpers/until.js';

function libraryOf({home}: Jdk, name: string): string {
	return execFileSync('find', [`${home}/`, '-name', name], {encoding: 'utf8'}).trim().split('\n')[0];
}

/**
The JDKs whose libraries Node can load here: some need a newer C library. Without one, vitest fails for want of tests.
*/
const loadableJdks = jdks().filter(jdk =>
	spawnSync(process.execPath, ['-e', 'require("koffi").load(process.argv[1])', libraryOf(jdk, 'libjvm.so')]).status
	=== 0);

/** Starts a program that is no java launcher and loads a library of the JDK, up to its line "ready". */
async function startLoading(script: string, ...args: readonly string[]): Promise<JavaProcess> {
	const program = programForTest(process.execPath, [
		path.resolve(import.meta.dirname, '../programs', script),
		...args,
	]);
	await program.waitFor(/^ready$/m);
	return program;
}

/** Starts one that runs a JVM with these arguments. */
const startEmbedder = async (jdk: Jdk, args: readonly string[]) =>
	startLoading('embeds-jvm.js', libraryOf(jdk, 'libjli.so'), ...args);

/** Older than what counts as a JVM on its way up. */
async function grownUp({pid}: JavaProcess): Promise<void> {
	await until(() => processAgeMs(readStat(pid)!.startTicks) > 4000);
}

// They wait for most of their time.
describe.concurrent.each(loadableJdks)('JDK $release in a program that is no java launcher', jdk => {
	test(
		'its library alone makes no JVM: no signal is sent, and everything says why',
		beside(async () => {
			const program = await startLoading('loads-libjvm.js', libraryOf(jdk, 'libjvm.so'));
			await grownUp(program);
			const target = rawTarget(program.pid);
			expect(await new AttachClient(target).threadDump({timeoutMs: 2000})).toMatchObject({
				status: 'failed',
				reason: `process ${program.pid} has loaded libjvm.so, but no JVM is running in it`,
			});
			expect(sendQuit(target)?.reason).toMatch(/no JVM is running in it/);
			expect(identify(program.pid)).toMatchObject({
				ok: false,
				reason: `process ${program.pid} has loaded libjvm.so, but no JVM is running in it`,
				hint: expect.stringMatching(/\w/) as string,
			});
			expect(listJvms().find(({pid}) => pid === program.pid)?.problem).toMatch(/no JVM is running in it/);
			expect(program.child.exitCode).toBeNull();
			expect(program.output()).toBe('ready\n');
		}),
	);

	const program = ['-Xmx64m', '-cp', compileProgram('IdleServer', jdk), 'IdleServer'];

	test.for([{flags: []}, {flags: ['-XX:-UsePerfData']}])(
		'a JVM in it gets no signal, as the program may have taken it back $flags',
		beside(async ({flags}) => {
			const java = await startEmbedder(jdk, [...flags, ...program]);
			await grownUp(java);
			java.child.kill('SIGWINCH');
			await java.waitFor(/^taken$/m);
			const reason
				= `JVM ${java.pid} runs inside another program, which may handle SIGQUIT itself, and has no attach socket`;
			expect(await new AttachClient(await targetOf(java)).threadDump({timeoutMs: patienceMs})).toMatchObject({
				status: 'failed',
				reason,
			});
			expect(sendQuit(rawTarget(java.pid))).toMatchObject({
				reason,
				hint: expect.stringContaining('-XX:+StartAttachListener') as string,
			});
			expect(java.child.exitCode).toBeNull();
			expect(java.output()).not.toMatch(/shut down|Full thread dump/);
		}),
	);

	test('a JVM in it that opens its socket by itself is attached to', beside(async () => {
		const java = await startEmbedder(jdk, ['-XX:+StartAttachListener', ...program]);
		await until(() => existsSync(`/tmp/.java_pid${java.pid}`));
		const client = new AttachClient(await targetOf(java));
		expect(await client.threadDump({timeoutMs: patienceMs})).toMatchObject({status: 'ok'});
		expect(java.output()).not.toMatch(/shut down|Full thread dump/);
	}));

	test.for([{flags: []}, {flags: ['-XX:-UsePerfData']}])(
		'a JVM in it that leaves SIGQUIT to the program gets none $flags',
		beside(async ({flags}) => {
			const java = await startEmbedder(jdk, ['-Xrs', ...flags, ...program]);
			const socket = `/tmp/.java_pid${java.pid}`;
			await grownUp(java);
			await until(() => existsSync(socket));
			rmSync(socket);
			expect(quitHazard(rawTarget(java.pid))?.reason).toMatch(/-Xrs|does not handle SIGQUIT/);
			expect(await new AttachClient(rawTarget(java.pid)).threadDump({timeoutMs: 2000})).toMatchObject({
				status: 'failed',
			});
			expect(java.child.exitCode).toBeNull();
			expect(java.output()).not.toMatch(/shut down/);
		}),
	);
});
