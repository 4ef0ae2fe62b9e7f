import {type ChildProcess, spawn, type SpawnOptions} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {afterAll, beforeAll, onTestFinished} from 'vitest';
import type {Target} from '../../source/jvm/target.js';
import type {Probe} from '../../source/model/task-probe.js';
import {readProbe} from '../../source/probes/library.js';
import {startJava, type JavaProcess} from './jvm.js';
import {targetOf} from './target.js';

/** A JVM that ends with the test that starts it. */
export async function javaForTest(...how: Parameters<typeof startJava>): Promise<JavaProcess> {
	return stoppedAfterTest(await startJava(...how));
}

/** The same of one that runs already. */
export function stoppedAfterTest(java: JavaProcess): JavaProcess {
	onTestFinished(async () => java.stop());
	return java;
}

/** A process that is killed with the test that starts it. */
export function spawnForTest(command: string, args: readonly string[], options: SpawnOptions = {}): ChildProcess & {readonly pid: number} {
	const child = spawn(command, args, options);
	onTestFinished(() => {
		child.kill('SIGKILL');
	});
	return child as ChildProcess & {readonly pid: number};
}

/** Keeps the first CPU busy until the test ends, with so many programs that share it. */
export function keepFirstCpuBusy(count = 1): Array<{readonly pid: number}> {
	return Array.from({length: count}, () => spawnForTest('taskset', ['-c', '0', 'sh', '-c', 'while :; do :; done'], {stdio: 'ignore'}));
}

/** Something that is closed with the test that opens it. */
export function closedAfterTest<T extends {close(): unknown}>(opened: T): T {
	onTestFinished(async () => {
		await opened.close();
	});
	return opened;
}

/** A JVM for all tests of the file or the `describe` that calls this; there as soon as they run. */
export function sharedJava(...how: Parameters<typeof startJava>): {readonly java: JavaProcess; readonly target: Target} {
	let java: JavaProcess;
	let target: Target;
	beforeAll(async () => {
		java = await startJava(...how);
		target = await targetOf(java);
		return async () => java.stop();
	});
	return {
		get java() {
			return java;
		},
		get target() {
			return target;
		},
	};
}

/** A folder that goes with the test that makes it. */
export function folderForTest(): string {
	const folder = newFolder();
	onTestFinished(() => {
		rmSync(folder, {recursive: true, force: true});
	});
	return folder;
}

/** A folder for all tests of the file or the `describe` that calls this. */
export function sharedFolder(): string {
	const folder = newFolder();
	afterAll(() => {
		rmSync(folder, {recursive: true, force: true});
	});
	return folder;
}

function newFolder(): string {
	return mkdtempSync(path.join(tmpdir(), 'tprof-test-'));
}

/** A probe, read from a file as a user writes it. */
export function probeOf(content: unknown): Probe {
	const file = path.join(folderForTest(), 'probe.jsonc');
	writeFileSync(file, JSON.stringify(content));
	return readProbe(file);
}
