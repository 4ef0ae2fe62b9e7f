import {setTimeout as sleep} from 'node:timers/promises';
import {type JavaOptions, startJava} from './jvm.js';
import {patienceMs} from './patience.js';

/** How long an answer may take on a busy machine. */

/**
What the program test/programs/Stress.java says of itself: rounds of work since its start, and how many of them had a
wrong result.
*/
export type StressCheck = {readonly rounds: number; readonly failures: number};

export type StressProcess = {
	readonly pid: number;
	/** Asks the program; fails when it has ended or does not answer. */
	check(): Promise<StressCheck>;
	stop(): Promise<void>;
};

/** Starts the program, with so many threads for each of its six kinds of work. */
export async function startStress(threads: number, options: Pick<JavaOptions, 'jdk' | 'jvmArgs' | 'under'> = {}): Promise<StressProcess> {
	const java = await startJava('Stress', {...options, args: [String(threads)]});
	return {
		pid: java.pid,
		async check() {
			const before = java.output().length;
			java.child.stdin?.write('\n');
			const endMs = Date.now() + patienceMs;
			while (Date.now() < endMs) {
				await sleep(5);
				const answer = /rounds (\d+) failures (\d+)\nchecked\n/.exec(java.output().slice(before));
				if (answer) {
					return {rounds: Number(answer[1]), failures: Number(answer[2])};
				}
			}

			throw new Error(`the program no longer answers:\n${java.output().slice(-2000)}`);
		},
		async stop() {
			await java.stop();
		},
	};
}
