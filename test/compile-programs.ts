import {compilePrograms, jdks} from './helpers/jvm.js';

/** Vitest calls this before all tests of the project. */
export async function setup(): Promise<void> {
	await Promise.all(jdks().map(async jdk => compilePrograms(jdk)));
}
