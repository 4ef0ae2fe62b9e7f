import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {onTestFinished} from 'vitest';
import type {Probe} from '../../source/model/task-probe.js';
import {readProbe} from '../../source/probes/library.js';
import {startJava, type JavaProcess} from './jvm.js';

/** A JVM that ends with the test that starts it. */
export async function javaForTest(...how: Parameters<typeof startJava>): Promise<JavaProcess> {
	return stoppedAfterTest(await startJava(...how));
}

/** The same of one that runs already. */
export function stoppedAfterTest(java: JavaProcess): JavaProcess {
	onTestFinished(async () => java.stop());
	return java;
}

/** A folder that goes with the test that makes it. */
export function folderForTest(): string {
	const folder = mkdtempSync(path.join(tmpdir(), 'tprof-test-'));
	onTestFinished(() => {
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
