import type {JavaProcess} from './jvm.js';
import {until} from './until.js';

/** Has a program that reads lines do one, and gives what it printed until it was done with it. */
export async function sayTo(java: JavaProcess, line: string): Promise<string> {
	const before = java.output().length;
	java.child.stdin!.write(`${line}\n`);
	await until(() => java.output().slice(before).includes(`done ${line}\n`));
	return java.output().slice(before);
}
