import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync, readdirSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import type {TimerId} from '../../source/engines/common/engine.js';
import {patienceMs} from './until.js';

/** How one kill ended. */
export type KillOutcome = {
	/** Threads of the target that were stopped by the tool when it was looked at, just before the kill. */
	readonly heldBefore: number;
	/** Threads that have a tracer, or are stopped, after the tool is gone. */
	readonly heldAfter: number;
	readonly threads: number;
};

/** Runs the memory engine at its highest rate; kills it with SIGKILL some milliseconds after its first report. */
export async function killTool(pid: number, afterMs: number, timer: TimerId): Promise<KillOutcome> {
	const tool = spawn(process.execPath, [
		path.resolve(import.meta.dirname, '../../dist/cli.js'), String(pid), '--engine', 'memory', '--timer', timer, '--interval', '1', '--max-overhead', '100', '--batch', '--format', 'json', '--delay', '0.2', '--iterations', '10000',
	], {stdio: ['ignore', 'pipe', 'inherit']});
	try {
		await firstReport(tool);
		await sleep(afterMs);
		const heldBefore = heldThreads(pid).held;
		const exited = once(tool, 'exit');
		tool.kill('SIGKILL');
		await exited;
		const {held, threads} = heldThreads(pid);
		return {heldBefore, heldAfter: held, threads};
	} finally {
		tool.kill('SIGKILL');
	}
}

async function firstReport(tool: ChildProcess): Promise<void> {
	const limit = AbortSignal.timeout(patienceMs);
	const ended = async () => {
		const [code] = await once(tool, 'exit', {signal: limit}) as [unknown];
		throw new Error(`the tool ended (${String(code)})`);
	};

	const [first] = await Promise.race([once(tool.stdout!, 'data', {signal: limit}) as Promise<[unknown]>, ended()]);
	if (!String(first).startsWith('{')) {
		throw new Error(`no report: ${String(first)}`);
	}

	// It must not be held up by a full pipe.
	tool.stdout!.resume();
}

/** How many of a process's threads have a tracer, or are stopped. Threads may end meanwhile. */
export function heldThreads(pid: number): {held: number; threads: number} {
	let held = 0;
	let threads = 0;
	for (const tid of readdirSync(`/proc/${pid}/task`)) {
		try {
			const status = readFileSync(`/proc/${pid}/task/${tid}/status`, 'latin1');
			threads++;
			held += /^TracerPid:\t0$/m.test(status) && !/^State:\t[tT]/m.test(status) ? 0 : 1;
		} catch {}
	}

	return {held, threads};
}
