import {type ChildProcess, execFile, execFileSync, spawn} from 'node:child_process';
import {createHash} from 'node:crypto';
import {
	chmodSync,
	copyFileSync,
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	realpathSync,
	renameSync,
	rmSync,
	symlinkSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {promisify} from 'node:util';
import {safe} from '../../source/util/printable.js';
import {identify} from '../../source/jvm/discovery/inspect.js';
import {readStat, readStatus} from '../../source/jvm/system/proc.js';
import type {Target} from '../../source/jvm/target.js';
import {patienceMs, until} from './until.js';

/** A JDK found on this machine. */
export type Jdk = {
	home: string;
	/** Feature release: 8, 11, 17... */
	release: number;
};

const programsDirectory = path.resolve(import.meta.dirname, '../programs');
const shop = path.resolve(import.meta.dirname, '../../demo/shop.jar');
const vmDirectory = '/usr/lib/jvm';

/** A JDK for each release, oldest first: of TPROF_JDKS, JAVA_HOME, /usr/lib/jvm and the PATH, as .ci/tools has them. */
export function jdks(): Jdk[] {
	const homes = [
		...(process.env.TPROF_JDKS ?? '').split(':'),
		process.env.JAVA_HOME ?? '',
		...(existsSync(vmDirectory) ? readdirSync(vmDirectory).map(name => path.join(vmDirectory, name)) : []),
		...(process.env.PATH ?? '').split(':').map(folder => path.join(folder, 'javac')).filter(file =>
			existsSync(file)).map(file => path.dirname(path.dirname(realpathSync(file)))),
	].filter(Boolean);
	const found = new Map<number, Jdk>();
	for (const home of homes.filter(folder => existsSync(path.join(folder, 'bin/javac')))) {
		const release = releaseOf(home);
		if (release >= 8 && !found.has(release)) {
			found.set(release, {home: realpathSync(home), release});
		}
	}

	return [...found.values()].sort((a, b) => a.release - b.release);
}

function releaseOf(home: string): number {
	const file = path.join(home, 'release');
	if (existsSync(file)) {
		return Number(/^JAVA_VERSION="(?:1\.)?(\d+)/m.exec(readFileSync(file, 'utf8'))?.[1] ?? 0);
	}

	// Distributions' packages of JDK 8 come without that file.
	return existsSync(path.join(home, 'jre/lib/rt.jar')) ? 8 : 0;
}

/** The newest JDK found whose release passes; throws when there is none, since these tests are about real JVMs. */
export function jdk(accepts: (release: number) => boolean = () => true): Jdk {
	const found = jdks().findLast(candidate => accepts(candidate.release));
	if (!found) {
		throw new Error('no JDK found: npm test gets one, or set JAVA_HOME or TPROF_JDKS');
	}

	return found;
}

/**
Whether a long test that hardly depends on the JDK runs on a release: on the newest, and on those asked for by name.
*/
export function isNewestOrAskedFor(release: number): boolean {
	return Boolean(process.env.TPROF_JDKS) || release === jdks().at(-1)?.release;
}

/** What makes a JVM that runs for seconds use less CPU time: its second compiler would not pay. */
const forSeconds = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];

/** Runs a tool of a JDK, and gives what it prints. */
export function runTool({home}: Jdk, tool: string, ...args: readonly string[]): string {
	return execFileSync(path.join(home, 'bin', tool), [...forSeconds.map(flag => `-J${flag}`), ...args], {
		encoding: 'utf8',
		stdio: 'pipe',
		maxBuffer: 2 ** 28,
	});
}

type DebugInformation = '-g' | '-g:none';

const classFolders = path.join(tmpdir(), `tprof-test-classes-${process.getuid?.() ?? 0}`);
const sourceOf = (name: string) => path.join(programsDirectory, `${name}.java`);
const compilerOptions = ['-encoding', 'utf8', '-nowarn'];

/** Where the classes of a program are, for a JDK and the source as it is now. */
function classFolderOf(name: string, on: Jdk, debug: DebugInformation): string {
	const hash = createHash('sha256').update(readFileSync(sourceOf(name))).update(on.home).digest('hex').slice(0, 16);
	return path.join(classFolders, `${name}-${on.release}-${hash}${debug.slice(2).replace(':', '-')}`);
}

function newClassFolder(): string {
	mkdirSync(classFolders, {recursive: true});
	const folder = mkdtempSync(path.join(classFolders, 'new-'));
	// For programs that run as another user.
	chmodSync(classFolders, 0o755);
	chmodSync(folder, 0o755);
	return folder;
}

function moveClasses(fresh: string, folder: string): void {
	try {
		renameSync(fresh, folder);
	} catch {
		// Another test process was faster.
		rmSync(fresh, {recursive: true, force: true});
	}
}

/**
Compiles test/programs/NAME.java once for each JDK and content, with this debug information; gives the class path.
*/
export function compileProgram(name: string, on: Jdk, debug: DebugInformation = '-g'): string {
	const folder = classFolderOf(name, on, debug);
	if (!existsSync(folder)) {
		const fresh = newClassFolder();
		runTool(on, 'javac', ...compilerOptions, debug, '-d', fresh, sourceOf(name));
		moveClasses(fresh, folder);
	}

	return folder;
}

/**
Compiles all programs for a JDK, in one JVM: a compiler that starts anew for each takes twenty times the CPU time.
Leaves out programs that do not compile, as those for a later JDK, and does nothing from the second time on.
*/
export async function compilePrograms(on: Jdk): Promise<void> {
	const compiler = 'CompilesPrograms';
	if (existsSync(classFolderOf(compiler, on, '-g'))) {
		return;
	}

	const programs = readdirSync(programsDirectory)
		.filter(file => file.endsWith('.java'))
		.map(file => path.basename(file, '.java'))
		.map(name => ({source: sourceOf(name), folder: classFolderOf(name, on, '-g'), fresh: newClassFolder()}));
	const files = programs.flatMap(({source, fresh}) => [source, fresh]);
	const options = [...forSeconds, '-cp', compileProgram(compiler, on), compiler, ...compilerOptions, '-g', '--'];
	const {stdout} = await promisify(execFile)(path.join(on.home, 'bin/java'), [...options, ...files]);
	const compiled = new Set(stdout.split('\n'));
	for (const {folder, fresh} of programs) {
		if (compiled.has(fresh)) {
			moveClasses(fresh, folder);
		} else {
			rmSync(fresh, {recursive: true});
		}
	}
}

export type JavaProcess = {
	readonly pid: number;
	readonly child: ChildProcess;
	/** Everything the program wrote to its standard output and error so far. */
	output(): string;
	/** Resolves with the match when the output matches; rejects when the program ends first or time is up. */
	waitFor(pattern: RegExp, timeoutMs?: number): Promise<RegExpExecArray>;
	/** Ends the program by its pid and waits until it is gone. */
	stop(): Promise<void>;
};

export type JavaOptions = {
	jdk?: Jdk;
	jvmArgs?: string[];
	args?: string[];
	cwd?: string;
	env?: NodeJS.ProcessEnv;
	/** Debug information of the classes; default all. */
	debug?: DebugInformation;
	/** Output that says the program is ready; default a line "ready". */
	ready?: RegExp;
	/** A command line that becomes the JVM, as nice(1) does. */
	under?: readonly string[];
	/** The java of the JDK in another way than by its path. */
	java?: readonly string[];
};

/** For a JVM that is asked for its stacks to print them. */
const stacksTimeoutMs = 20_000;

/** For programs that would take every CPU from the tests beside: lets others go first. */
export const nice: readonly string[] = ['nice', '-n', '10'];

/** With a pipe as standard input: what Node gives is a socket, and with that JDK 8 to 12 do without IPv6. */
export const piped: readonly string[] = ['bash', '-c', 'exec "$@" < <(cat)', 'bash'];

/** Compiles and starts test/programs/NAME.java, and waits until it prints a line "ready". */
export async function startJava(name: string, options: JavaOptions = {}): Promise<JavaProcess> {
	const on = options.jdk ?? jdk();
	return launch(['-cp', compileProgram(name, on, options.debug), name, ...(options.args ?? [])], {
		...options,
		jdk: on,
	});
}

/** Starts the program of the demo; it lets others go first, as it works all the time. */
export async function startShop(options: JavaOptions = {}): Promise<JavaProcess> {
	return launch(['-jar', shop], {under: nice, jvmArgs: ['-Xmx128m', '-XX:+UseG1GC'], ...options});
}

async function launch(
	program: readonly string[],
	{
		jdk: on = jdk(),
		under = [],
		java: launcher = [path.join(on.home, 'bin/java')],
		jvmArgs = [],
		ready = /^ready$/m,
		cwd,
		env,
	}: JavaOptions,
): Promise<JavaProcess> {
	const [command, ...args] = [...under, ...launcher, ...jvmArgs, ...program];
	const java = javaProcess(spawn(command, args, {stdio: ['pipe', 'pipe', 'pipe'], cwd, env}));
	removeSocket(java);
	try {
		await java.waitFor(ready);
	} catch (error) {
		await java.stop();
		throw error;
	}

	return java;
}

/** Wraps a child process that is (or starts) a JVM. */
export function javaProcess(child: ChildProcess): JavaProcess {
	let text = '';
	const append = (chunk: string) => {
		text += chunk;
	};

	for (const stream of [child.stdout, child.stderr]) {
		stream?.setEncoding('utf8').on('data', append);
	}

	let hasEnded = false;
	const end = new Promise<void>(resolve => {
		const done = () => {
			hasEnded = true;
			resolve();
		};

		child.once('exit', done);
		child.once('error', done);
	});

	return {
		pid: child.pid ?? 0,
		child,
		output: () => text,
		async waitFor(pattern, timeoutMs = patienceMs) {
			for (const deadlineMs = performance.now() + timeoutMs; ;) {
				const match = pattern.exec(text);
				if (match) {
					return match;
				}

				if (hasEnded || performance.now() > deadlineMs) {
					throw new Error(`${hasEnded ? 'the program ended' : `${timeoutMs} ms passed`} with no ${String(pattern)}:\n${text.slice(-2000)}`);
				}

				await sleep(5);
			}
		},
		async stop() {
			if (!hasEnded) {
				child.kill('SIGKILL');
			}

			await end;
			removeSocket(child);
		},
	};
}

/**
Removes the attach socket that a killed JVM with the same pid has left: one that runs as another user could not replace
it.
*/
function removeSocket({pid}: {readonly pid?: number}): void {
	try {
		rmSync(`/tmp/.java_pid${pid}`, {force: true});
	} catch {}
}

/** The JVM as a target, as soon as it is up; fails with the reason when it cannot be one. */
export async function targetOf(java: {readonly pid: number}): Promise<Target> {
	return until(() => {
		const found = identify(java.pid);
		if (!found.ok && !found.reason.includes('still starting')) {
			throw new Error(found.reason);
		}

		return found.ok && found.target;
	});
}

/** The process as a target, even if identifying it would find something in the way. */
export function rawTarget(pid: number): Target {
	const {nsPid, uid, gid} = readStatus(pid)!;
	return {...noTarget, pid, nsPid, uid, gid, startTicks: readStat(pid)!.startTicks, jdk: 0};
}

/** A target for what asks no process. */
export const noTarget: Target = {
	pid: 1, nsPid: 1, uid: 0, gid: 0, startTicks: 0, jdk: 17,
	facts: {pid: 1, mainClass: safe`Main`, command: safe`Main`, jvmVersion: safe`17`, vm: safe`VM`, user: safe`me`, startedAtMs: 0},
};

/**
Has a program that reads lines do these, one after the other, and gives what it printed until it was done with them;
fails with the stacks of its threads.
*/
export async function sayTo(java: JavaProcess, ...lines: readonly string[]): Promise<string> {
	const before = java.output().length;
	for (const line of lines) {
		const {length} = java.output();
		java.child.stdin!.write(`${line}\n`);
		try {
			await until(() => java.output().slice(length).includes(`done ${line}\n`));
		} catch {
			java.child.kill('SIGQUIT');
			await Promise.allSettled([java.waitFor(/^JNI global ref/m, stacksTimeoutMs)]);
			throw new Error(`the program was not done with "${line}":\n${java.output().slice(length)}`);
		}
	}

	return java.output().slice(before);
}

/**
Makes a JDK (9 or later) with a java and a libjvm.so of its own, the rest borrowed from another one; how to start it.
*/
export function jdkOfItsOwn(folder: string, jdk: Jdk): JavaOptions {
	const {home} = jdk;
	const [bin, lib, server] = ['bin', 'lib', 'lib/server'].map(name => path.join(folder, name));
	mkdirSync(bin, {recursive: true});
	mkdirSync(lib);
	copyFileSync(path.join(home, 'bin/java'), path.join(bin, 'java'));
	cpSync(path.join(home, 'lib/server'), server, {recursive: true, dereference: true});
	symlinkSync(path.join(home, 'conf'), path.join(folder, 'conf'));
	for (const name of readdirSync(path.join(home, 'lib')).filter(each => each !== 'server' && each !== 'src.zip')) {
		symlinkSync(realpathSync(path.join(home, 'lib', name)), path.join(lib, name));
	}

	return {jdk, java: [path.join(bin, 'java')], env: {...process.env, LD_LIBRARY_PATH: lib}};
}
