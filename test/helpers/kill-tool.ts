import {setTimeout as sleep} from 'node:timers/promises';
import type {TimerId} from '../../source/engines/common/engine.js';
import {heldThreads} from './proc.js';
import {startCli} from './run.js';
import {until} from './until.js';

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
	const tool = startCli(String(pid), '--engine', 'memory', '--timer', timer, '--interval', '1', '--max-overhead', '100', '--batch', '--format', 'json', '--delay', '0.2', '--iterations', '10000');
	try {
		await until(() => tool.stdout() !== '' || tool.child.exitCode !== null);
		if (!tool.stdout().startsWith('{')) {
			throw new Error(`no report: ${tool.stdout()}${tool.stderr()}`);
		}

		await sleep(afterMs);
		const heldBefore = heldThreads(pid).held;
		tool.child.kill('SIGKILL');
		await tool.ended;
		const {held, threads} = heldThreads(pid);
		return {heldBefore, heldAfter: held, threads};
	} finally {
		tool.child.kill('SIGKILL');
	}
}
