import {AsyncLocalStorage} from 'node:async_hooks';
import {type ChildProcess, spawn, type SpawnOptions} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {afterAll, beforeAll, onTestFinished, type TestContext} from 'vitest';
import type {Target} from '../../source/jvm/target.js';
import type {Probe} from '../../source/model/task-probe.js';
import {readProbe} from '../../source/probes/probe-file.js';
import {type JavaOptions, javaProcess, type JavaProcess, nice, startJava, startShop, targetOf} from './jvm.js';

/** The concurrent test that runs here: vitest's own onTestFinished knows one test at a time. */
const concurrentTest = new AsyncLocalStorage<TestContext>();

/** The body of a concurrent test (`test.concurrent`, or `.concurrent.for`), in which the helpers here may be called. */
export function beside<Values extends readonly unknown[]>(
	body: (...values: Values) => Promise<void>,
): (...values: [...Values, TestContext]) => Promise<void> {
	return async (...args) =>
		concurrentTest.run(args.at(-1) as TestContext, async () => body(...args.slice(0, -1) as unknown as Values));
}

/** Has something done when the test that calls this is over. */
export function atTestEnd(end: () => unknown): void {
	(concurrentTest.getStore()?.onTestFinished ?? onTestFinished)(async () => {
		await end();
	});
}

/**
A JVM that ends with the test that starts it. It lets others go first, unless it is `under` something else: `under: []`
is for tests that wait for CPU time of its own, and for agents, for which tprof-top waits a limited time.
*/
export async function javaForTest(name: string, options: JavaOptions = {}): Promise<JavaProcess> {
	return stoppedAfterTest(await startJava(name, {under: nice, ...options}));
}

/** The same of one that runs already. */
export function stoppedAfterTest<T extends JavaProcess>(java: T): T {
	atTestEnd(async () => java.stop());
	return java;
}

/** A program that is or starts a JVM, or speaks as the test programs do; it ends with the test that starts it. */
export function programForTest(command: string, args: readonly string[], options: SpawnOptions = {}): JavaProcess {
	return stoppedAfterTest(javaProcess(spawn(command, args, options)));
}

/** A process that is killed with the test that starts it. */
export function spawnForTest(
	command: string,
	args: readonly string[],
	options: SpawnOptions = {},
): ChildProcess & {readonly pid: number} {
	const child = spawn(command, args, options);
	atTestEnd(() => child.kill('SIGKILL'));
	return child as ChildProcess & {readonly pid: number};
}

/** Puts a program on the first CPU alone. */
export const onFirstCpu: readonly string[] = ['taskset', '-c', '0', ...nice];

/** Keeps the first CPU busy until the test ends, with this number of programs that share it with JVMs there. */
export function keepFirstCpuBusy(count: number): Array<{readonly pid: number}> {
	return Array.from(
		{length: count},
		() =>
			spawnForTest(onFirstCpu[0], [...onFirstCpu.slice(1), 'sh', '-c', 'while :; do :; done'], {stdio: 'ignore'}),
	);
}

/** Something that is closed with the test that opens it. */
export function closedAfterTest<T extends {close(): unknown}>(opened: T): T {
	atTestEnd(async () => opened.close());
	return opened;
}

type Shared = {readonly java: JavaProcess; readonly target: Target};

/**
A JVM for all tests of the file or the `describe` that calls this, as urgent as those of tests; there as soon as they
run.
*/
export function sharedJava(name: string, options: JavaOptions = {}): Shared {
	return shared(async () => startJava(name, {under: nice, ...options}));
}

/** The same of the demo's program. */
export function sharedShop(options: JavaOptions = {}): Shared {
	return shared(async () => startShop(options));
}

function shared(start: () => Promise<JavaProcess>): Shared {
	const found: {java?: JavaProcess; target?: Target} = {};
	beforeAll(async () => {
		const java = await start();
		Object.assign(found, {java, target: await targetOf(java)});
		return async () => java.stop();
	});
	return found as Shared;
}

/** A folder that goes with the test that makes it. */
export const folderForTest = () => folderUntil(atTestEnd);

/** A folder for all tests of the file or the `describe` that calls this. */
export const sharedFolder = () => folderUntil(afterAll);

function folderUntil(atEnd: (end: () => void) => void): string {
	const folder = mkdtempSync(path.join(tmpdir(), 'tprof-test-'));
	atEnd(() => {
		rmSync(folder, {recursive: true, force: true});
	});
	return folder;
}

/** A probe, read from a file as a user writes it. */
export function probeOf(content: unknown): Probe {
	const file = path.join(folderForTest(), 'probe.jsonc');
	writeFileSync(file, JSON.stringify(content));
	return readProbe(file);
}
