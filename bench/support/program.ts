/*
The whole program and a Java target for the benchmarks that measure them together: the built command line in a
pseudo-terminal of 80 x 24, on 200 threads x 50 frames.
*/
import {execFileSync, spawn} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {identify} from '../../source/jvm/discovery/inspect.js';
import {javaProcess, jdk, type JavaProcess} from '../../test/helpers/jvm.js';
import {TerminalSession} from '../../test/helpers/terminal.js';

/** What the targets of "It must reach" are about. */
export const threads = 200;
export const depth = 50;

/**
The options of these benchmarks: thread dumps at the seed's interval, the budget out of the way. TPROF_BENCH_ENGINE
takes another engine.
*/
export const sampling = [
	'--engine',
	process.env.TPROF_BENCH_ENGINE ?? 'attach',
	'--interval',
	'200',
	'--max-overhead',
	'100',
	'-d',
	'1',
] as const;

/** A Java program that runs, on this release; `done` ends it. */
type Target = {readonly java: JavaProcess; readonly release: number; done(): Promise<void>};

/** How long a new JVM is given to be one that can be profiled. */
const startUpMs = 20_000;

/** Builds the program as `npm run build` does and gives its entry's path. */
export function buildProgram(): string {
	execFileSync(process.execPath, ['build.js'], {stdio: ['ignore', 'ignore', 'inherit']});
	return path.resolve('dist/cli.js');
}

/** Compiles and starts test/programs/ManyThreads.java, and waits until it can be profiled; `done` ends it. */
export async function startManyThreads(): Promise<Target> {
	return startJava('ManyThreads', [threads, depth]);
}

/** The same of another program of that folder, with its arguments. */
export async function startJava(program: string, args: readonly number[]): Promise<Target> {
	const on = jdk();
	const classes = mkdtempSync(path.join(tmpdir(), 'tprof-bench-'));
	execFileSync(path.join(on.home, 'bin/javac'), [
		'-nowarn',
		'-g',
		'-d',
		classes,
		path.resolve(`test/programs/${program}.java`),
	], {stdio: ['ignore', 'ignore', 'pipe']});
	const java
		= javaProcess(spawn(path.join(on.home, 'bin/java'), [
			'-XX:+UseSerialGC',
			'-Xmx128m',
			'-cp',
			classes,
			program,
			...args.map(String),
		], {stdio: 'pipe'}));
	const done = async () => {
		await java.stop();
		rmSync(classes, {recursive: true, force: true});
	};

	try {
		await java.waitFor(/^ready$/m);
		const deadlineMs = performance.now() + startUpMs;
		for (let found = identify(java.pid); !found.ok; found = identify(java.pid)) {
			if (performance.now() > deadlineMs) {
				throw new Error(found.reason);
			}

			await sleep(50);
		}

		return {java, release: on.release, done};
	} catch (error) {
		await done();
		throw error;
	}
}

/** Starts the built program in a pseudo-terminal. */
export function startTerminal(
	cli: string,
	args: readonly string[],
	nodeArgs: readonly string[] = [],
	{columns, rows}: {readonly columns?: number; readonly rows?: number} = {},
): TerminalSession {
	return new TerminalSession(process.execPath, [...nodeArgs, cli, ...args], {columns, rows});
}

/** Leaves the screen with q and waits for the end. */
export async function quit(terminal: TerminalSession): Promise<void> {
	terminal.type('q');
	await terminal.ended();
}

/** The line of the help that says how many samples were taken. */
const samplesInHelp = /^\S samples +\S (\d+):/m;

/** Returns how many samples the live view has taken, as its help says. */
export async function samplesOf(terminal: TerminalSession): Promise<number> {
	await terminal.typeUntil('?', 'Help, ');
	const help = await terminal.typeUntil('G', samplesInHelp);
	await terminal.typeUntil('\u001B', screen => !screen.includes('Help, '));
	return Number(samplesInHelp.exec(help)![1]);
}
