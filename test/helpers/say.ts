import type {JavaProcess} from './jvm.js';
import {until} from './until.js';

/** Has a program that reads lines do these, one after the other, and gives what it printed until it was done with them. */
export async function sayTo(java: JavaProcess, ...lines: readonly string[]): Promise<string> {
	const before = java.output().length;
	for (const line of lines) {
		const {length} = java.output();
		java.child.stdin!.write(`${line}\n`);
		await until(() => java.output().slice(length).includes(`done ${line}\n`));
	}

	return java.output().slice(before);
}
