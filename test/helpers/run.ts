import {execFile, spawn} from 'node:child_process';
import {existsSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {promisify} from 'node:util';
import {patienceMs} from './until.js';

const execute = promisify(execFile);

/** The built program. */
export const cli = path.resolve(import.meta.dirname, '../../dist/cli.js');

export type Ended = {readonly status: number | null; readonly stdout: string; readonly stderr: string};

/** Runs a program to its end without keeping the tests beside it waiting. */
export async function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
	try {
		return {
			status: 0,
			...await execute(command, args, {
				encoding: 'utf8',
				timeout: patienceMs,
				maxBuffer: 2 ** 28,
				env: {...process.env, ...env},
			}),
		};
	} catch (error) {
		const {code, stdout, stderr} = error as {code: number | null; stdout: string; stderr: string};
		return {status: code, stdout, stderr};
	}
}

/** Starts the built program without a terminal, to be disturbed while it runs. */
export function startCli(...args: readonly string[]) {
	return start(process.execPath, [cli, ...args]);
}

/** Starts a program without a terminal, to be disturbed while it runs. */
export function start(command: string, args: readonly string[]) {
	const child = spawn(command, args, {stdio: ['ignore', 'pipe', 'pipe']});
	const written = {stdout: '', stderr: ''};
	for (const stream of ['stdout', 'stderr'] as const) {
		child[stream].setEncoding('utf8').on('data', (chunk: string) => {
			written[stream] += chunk;
		});
	}

	const ended = new Promise<Ended>(resolve => {
		child.once('close', status => {
			resolve({status, ...written});
		});
	});
	return {child, ended, stdout: () => written.stdout, stderr: () => written.stderr};
}

/** Runs the built program without a terminal. */
export async function runCli(...args: readonly string[]): Promise<Ended> {
	return run(process.execPath, [cli, ...args]);
}

/** The go program, on the PATH or where Go's own archive puts it; undefined if there is none. */
export function goProgram(): string | undefined {
	return [...process.env.PATH!.split(path.delimiter), '/usr/local/go/bin'].map(folder => path.join(folder, 'go'))
		.find(file => existsSync(file));
}
