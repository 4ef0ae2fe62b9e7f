import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {lstatSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync} from 'node:fs';
import {connect} from 'node:net';
import path from 'node:path';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {describe, expect, test} from 'vitest';
import {AttachClient} from '../../source/jvm/attach/client.js';
import {asOwner, canActAs} from '../../source/jvm/attachability/credentials.js';
import type {Target} from '../../source/jvm/target.js';
import {parseReport} from '../../source/model/report-bytes.js';
import {AgentSession, loadAgent} from '../../source/tracing/agent-session.js';
import {makeSessionFolder} from '../../source/tracing/session-folder.js';
import {TraceSession} from '../../source/tracing/trace-session.js';
import {hasAgent} from '../helpers/tracing.js';
import {isRoot, javaAsOtherUser, otherUser} from '../helpers/users.js';
import {atTestEnd, beside, javaForTest} from '../helpers/for-test.js';
import {isNewestOrAskedFor, type JavaProcess, jdks, targetOf} from '../helpers/jvm.js';
import {isStopped, openFiles} from '../helpers/proc.js';
import {until, patienceMs} from '../helpers/until.js';
import {cli} from '../helpers/run.js';

const third = {uid: otherUser.uid - 7, gid: otherUser.gid - 7};
const jarBytes = readFileSync(path.resolve(import.meta.dirname, '../../agent/agent.jar'));

/** Folders of sessions with this JVM, as paths. */
function foldersOf({pid}: Target): string[] {
	return readdirSync('/tmp').filter(name => name.startsWith(`.tprof-${pid}.`)).map(name => `/tmp/${name}`);
}

/** The jars of agents that a JVM holds open. */
function openJars(pid: number): number {
	return [...openFiles(pid).values()].filter(file => /\/\.tprof-.*\/agent\.jar/.test(file)).length;
}

/** As if a session had left it long ago. */
function age(folder: string): void {
	const longAgo = (Date.now() / 1000) - 3600;
	utimesSync(folder, longAgo, longAgo);
}

async function nextSession(target: Target): Promise<void> {
	const session = await TraceSession.open(target);
	await session.close();
}

const newest = jdks().at(-1)!.release;

const quiet = ['-Xmx384m', '-XX:+UseSerialGC'];

// They wait for most of their time.
describe.concurrent.each(jdks().map(jdk => [jdk.release, jdk] as const))('JDK %i', (release, jdk) => {
	/** Of another user where we may, so that a third one is a stranger to it. */
	async function startJvm(): Promise<JavaProcess> {
		return javaForTest('KnownTraces', {
			jdk,
			jvmArgs: quiet,
			args: ['quiet'],
			java: isRoot ? javaAsOtherUser(jdk) : undefined,
			// It sleeps for most of the time, and the tools wait for it with limits of their own.
			under: [],
		});
	}

	async function start(): Promise<Target> {
		const java = await startJvm();
		const target = await targetOf(java);
		atTestEnd(async () => {
			await java.stop();
			spawnSync('rm', ['-rf', ...foldersOf(target)]);
		});
		return target;
	}

	async function answers(target: Target): Promise<void> {
		expect(await new AttachClient(target).request('properties', [], {timeoutMs: patienceMs})).toMatchObject({
			status: 'ok',
		});
	}

	/** Each keeps the JVM from answering until what it returns is called. */
	const hindrances = [
		['is stopped', async ({pid}: Target) => {
			process.kill(pid, 'SIGSTOP');
			// Until the thread that gets the signal is given a CPU, the others run on.
			await until(() => isStopped(pid));
			return () => process.kill(pid, 'SIGCONT');
		}],
		['hears another client first, which does not go on', async (target: Target) => {
			const open = () => connect(`/tmp/.java_pid${target.pid}`);
			const client = canActAs() ? asOwner(target, open) : open();
			client.on('error', () => undefined);
			await once(client, 'connect');
			client.write('1\0thread');
			return () => client.destroy();
		}],
	] as const;

	test.for(isNewestOrAskedFor(release) ? hindrances : [])(
		'a JVM that %s during the load: the name of the folder stays ours while the load is pending',
		beside(async ([, hinder]) => {
			const target = await start();
			await answers(target);
			const goOn = await hinder(target);
			let folder: string;
			try {
				await expect(AgentSession.load(target, files => new AgentSession(target, files, parseReport), {
					timeoutMs: 1000,
				})).rejects.toThrow(/is stopped|no answer in time/);
				const folders = foldersOf(target);
				expect(folders).toHaveLength(1);
				[folder] = folders;
				const found = lstatSync(folder);
				expect({uid: found.uid, mode: found.mode & 0o7777, isFolder: found.isDirectory()}).toEqual({
					uid: target.uid,
					mode: 0o700,
					isFolder: true,
				});
				expect(readdirSync(folder)).toEqual([]);
				if (isRoot) {
					const commands = [['rmdir', folder], ['mv', folder, `${folder}-moved`], ['mkdir', folder], [
						'touch',
						`${folder}/agent.jar`,
					], ['ln', '-sfnT', '/', folder]];
					expect(commands.filter(([command, ...args]) => spawnSync(command, args, third).status === 0))
						.toEqual([]);
				}
			} finally {
				goOn();
			}

			// The listener takes requests in turn: the load is behind it, and has found no jar.
			await answers(target);
			expect(hasAgent(target.pid)).toBe(false);
			expect(openJars(target.pid)).toBe(0);
			age(folder);
			await nextSession(target);
			expect(foldersOf(target)).toEqual([]);
		}),
	);

	test.for(release === newest ? [release] : [])(
		'what killed sessions left is removed by the next one; what may be in use stays',
		beside(async _ => {
			const target = await start();
			const [old, young] = [makeSessionFolder(target, jarBytes), makeSessionFolder(target, jarBytes)];
			age(old.path);
			await nextSession(target);
			expect(foldersOf(target)).toEqual([young.path]);
			expect(readdirSync(young.path).sort()).toEqual(['agent.jar', 'control', 'data']);
			young.remove();
		}),
	);

	test.for(isNewestOrAskedFor(release) ? ['control', 'agent.jar'] : [])(
		'an agent that cannot start, for want of %s, removes its folder itself: the tool may be gone',
		beside(async missing => {
			const target = await start();
			const {path: folder} = makeSessionFolder(target, jarBytes);
			const jar = path.join(folder, 'agent.jar');
			if (missing === 'agent.jar') {
				// The JVM has it by another name; the stub finds none in the folder.
				renameSync(jar, path.join(folder, 'data'));
				const words = ['instrument', 'false', `${folder}/data=${folder}`];
				expect(await new AttachClient(target).request('load', words, {timeoutMs: patienceMs}))
					.toMatchObject({status: 'ok'});
			} else {
				rmSync(path.join(folder, missing));
				expect(await loadAgent(new AttachClient(target), target, folder, patienceMs)).toEqual({ok: true});
			}

			await until(() => foldersOf(target).length === 0);
			expect(hasAgent(target.pid)).toBe(false);
			await nextSession(target);
		}),
	);

	test.for(release === newest ? [release] : [])(
		'what sessions left with a JVM that has ended is removed by the next one',
		beside(async _ => {
			const java = await startJvm();
			const ended = await targetOf(java);
			const {path: left} = makeSessionFolder(ended, jarBytes);
			age(left);
			await java.stop();
			const target = await start();
			await nextSession(target);
			expect(foldersOf(ended)).toEqual([]);
		}),
	);

	test('any number of sessions, one refused among them, leave one open file and no folder', beside(async () => {
		const target = await start();
		for (let session = 0; session < 2; session++) {
			const first = await TraceSession.open(target);
			try {
				await expect(TraceSession.open(target)).rejects.toThrow('another tprof-top has its agent in this JVM');
			} finally {
				await first.close();
			}

			await until(() => !hasAgent(target.pid));
			expect(openJars(target.pid)).toBe(1);
			expect(foldersOf(target)).toEqual([]);
		}
	}));

	test.for(isNewestOrAskedFor(release) ? [release] : [])(
		'kill -9 at any moment of a load leaves nothing once the next session has begun',
		beside(async _ => {
			const target = await start();
			for (let round = 0; round < 5; round++) {
				const known = new Set(foldersOf(target));
				const tool = spawn(process.execPath, [
					cli,
					'trace',
					String(target.pid),
					'KnownTraces#slow',
					'--yes',
					'--duration',
					'600',
				], {stdio: 'ignore'});
				const gone = once(tool, 'exit');
				await until(() =>
					tool.exitCode !== null || foldersOf(target).some(folder => !known.has(folder))
					|| hasAgent(target.pid));
				await sleep(round * 8);
				tool.kill('SIGKILL');
				await gone;
			}

			// Agents without a tool leave after ten seconds.
			await answers(target);
			await until(() => !hasAgent(target.pid));
			for (const folder of foldersOf(target)) {
				age(folder);
			}

			await nextSession(target);
			expect(foldersOf(target)).toEqual([]);
			await until(() => !hasAgent(target.pid));
			// Loads under way at the same time have names of their own; later ones have none of those again.
			const jars = openJars(target.pid);
			await nextSession(target);
			expect(openJars(target.pid)).toBe(jars);
		}),
	);
});
