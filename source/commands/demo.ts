import {spawn, type ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import {existsSync} from 'node:fs';
import type {Socket} from 'node:net';
import path from 'node:path';
import process from 'node:process';
import {platformProblem} from '../jvm/obstacles.js';
import type {Options} from '../options/parse.js';
import {bundledFile} from '../util/bundle.js';
import {UserError} from '../runtime/errors.js';
import {showFile} from './open-file.js';
import {profileTarget} from './profile-target.js';
import {resolveTarget} from './resolve-target.js';

const readyTimeoutMs = 20_000;

/**
Profiles the bundled program or, where that is impossible, shows a recording of it. Returns the exit code; throws
UserError.
*/
export async function demo(given: Options): Promise<number> {
	const java = findJava();
	const ownSources = bundledFile('demo/src');
	const options = {...given, sources: [...given.sources ?? [], ...(ownSources === undefined ? [] : [ownSources])]};
	if (!java || platformProblem()) {
		const recording = demoFile('recording.tprof');
		const reason = java ? 'JVMs are profiled on Linux only' : 'no java found (JAVA_HOME, PATH)';
		process.stderr.write(`tprof-top: ${reason}: showing a recording of the demo program\n`);
		return showFile(recording, options);
	}

	const program = await startDemo(java, demoFile('shop.jar'));
	try {
		return await profileTarget(await resolveTarget(String(program.pid)), options);
	} finally {
		await program.stop();
	}
}

type Demo = {
	readonly pid: number;
	/** Kills the program; resolves when it has ended. */
	stop(): Promise<void>;
};

/** Returns the java program of JAVA_HOME, else on the PATH; undefined if there is none. */
function findJava({JAVA_HOME, PATH = ''}: NodeJS.ProcessEnv = process.env): string | undefined {
	const folders = [JAVA_HOME ? path.join(JAVA_HOME, 'bin') : '', ...PATH.split(path.delimiter)].filter(Boolean);
	return folders.map(folder => path.join(folder, 'java')).find(file => existsSync(file));
}

/** Returns the path of a file in demo/. Throws UserError if it is missing. */
function demoFile(name: string): string {
	const file = bundledFile(`demo/${name}`);
	if (file === undefined) {
		throw new UserError('the demo program is missing: its place is demo/ beside tprof-top\'s cli.js', {
			hint: 'copy the whole dist folder, or install the package',
		});
	}

	return file;
}

/** Starts the bundled program; resolves when it is ready. It ends when we do, as it watches its standard input. */
export async function startDemo(java: string, jar: string): Promise<Demo> {
	const child: ChildProcess = spawn(java, ['-Xmx384m', '-jar', jar], {
		// In a process group of its own: Ctrl-Z on the screen stops our whole group, but the program should go on.
		detached: true,
		stdio: ['pipe', 'pipe', 'pipe'],
	});
	child.stdin?.on('error', () => {
		// The program has ended, which `exit` reports.
	});
	let output = '';
	let timer: NodeJS.Timeout | undefined;
	try {
		await new Promise<void>((resolve, reject) => {
			timer = setTimeout(() => {
				reject(new Error(`it was not ready after ${readyTimeoutMs / 1000} s`));
			}, readyTimeoutMs);
			const read = (chunk: Buffer) => {
				output = (output + chunk.toString()).slice(-2000);
				if (/^ready$/m.test(output)) {
					resolve();
				}
			};

			child.stdout?.on('data', read);
			child.stderr?.on('data', read);
			child.once('error', reject);
			child.once('exit', code => {
				reject(new Error(`it ended with code ${code}: ${output.trim().split('\n')[0] ?? ''}`));
			});
		});
	} catch (error) {
		child.kill('SIGKILL');
		throw new UserError(`the demo program did not start: ${(error as Error).message}`, {
			hint: `check that this works: ${java} -version`,
		});
	} finally {
		clearTimeout(timer);
	}

	child.unref();
	for (const stream of [child.stdin, child.stdout, child.stderr]) {
		(stream as Socket | null)?.unref();
	}

	return {
		pid: child.pid!,
		async stop() {
			if (child.exitCode === null && child.signalCode === null) {
				const gone = once(child, 'exit');
				child.ref();
				child.kill('SIGKILL');
				await gone;
			}
		},
	};
}
