import {setTimeout as sleep} from 'node:timers/promises';
import type {TimerId} from '../../source/engines/common/engine.js';
import {type JavaOptions, type JavaProcess, startJava} from './jvm.js';
import {heldThreads} from './proc.js';
import {startCli} from './run.js';
import {until} from './until.js';

/** What test/programs/Stress.java says of itself: rounds of work, and how many had a wrong result. */
type StressCheck = {readonly rounds: number; readonly failures: number};

/** `check` asks the program; fails when it has ended or does not answer. */
export type StressProcess = JavaProcess & {check(): Promise<StressCheck>};

/** Starts the program, with this many threads for each of its six kinds of work. */
export async function startStress(
	threads: number,
	options: Pick<JavaOptions, 'jdk' | 'jvmArgs' | 'under'> = {},
): Promise<StressProcess> {
	const java = await startJava('Stress', {...options, args: [String(threads)]});
	return {
		...java,
		async check() {
			const before = java.output().length;
			java.child.stdin?.write('\n');
			const [, rounds, failures] = await until(() =>
				/rounds (\d+) failures (\d+)\nchecked\n/.exec(java.output().slice(before)) ?? undefined);
			return {rounds: Number(rounds), failures: Number(failures)};
		},
	};
}

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
	const tool = startCli(
		String(pid),
		'--engine',
		'memory',
		'--timer',
		timer,
		'--interval',
		'1',
		'--max-overhead',
		'100',
		'--batch',
		'--format',
		'json',
		'--delay',
		'0.2',
		'--iterations',
		'10000',
	);
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
