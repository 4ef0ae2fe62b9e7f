import {execFileSync, spawn, spawnSync} from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import {type Jdk, type JavaProcess, javaProcess, jdks} from './jvm.js';

const programs = path.resolve(import.meta.dirname, '../programs');

function libraryOf({home}: Jdk, name: string): string {
	return execFileSync('find', [`${home}/`, '-name', name], {encoding: 'utf8'}).trim().split('\n')[0];
}

/** The JDKs whose libraries Node can load here: some need a newer C library. Never empty. */
export function loadableJdks(): Jdk[] {
	const found = jdks().filter(jdk => spawnSync(process.execPath, ['-e', 'require("koffi").load(process.argv[1])', libraryOf(jdk, 'libjvm.so')]).status === 0);
	if (found.length === 0) {
		throw new Error('no JDK here has a libjvm.so that this Node can load');
	}

	return found;
}

/** Starts a program that has loaded libjvm.so and runs no JVM. */
export async function startLoader(jdk: Jdk): Promise<JavaProcess> {
	const program = javaProcess(spawn(process.execPath, [path.join(programs, 'loads-libjvm.js'), libraryOf(jdk, 'libjvm.so')], {stdio: ['pipe', 'pipe', 'pipe']}));
	await program.waitFor(/^ready$/m);
	return program;
}

/** Starts a program that is no java launcher and runs a JVM with these arguments, up to its line "ready". */
export async function startEmbedder(jdk: Jdk, args: readonly string[]): Promise<JavaProcess> {
	const program = javaProcess(spawn(process.execPath, [path.join(programs, 'embeds-jvm.js'), libraryOf(jdk, 'libjli.so'), ...args], {stdio: ['pipe', 'pipe', 'pipe']}));
	await program.waitFor(/^ready$/m);
	return program;
}
