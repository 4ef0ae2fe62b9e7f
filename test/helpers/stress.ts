import {type JavaOptions, type JavaProcess, startJava} from './jvm.js';
import {until} from './until.js';

/** What test/programs/Stress.java says of itself: rounds of work, and how many had a wrong result. */
type StressCheck = {readonly rounds: number; readonly failures: number};

/** `check` asks the program; fails when it has ended or does not answer. */
export type StressProcess = JavaProcess & {check(): Promise<StressCheck>};

/** Starts the program, with so many threads for each of its six kinds of work. */
export async function startStress(threads: number, options: Pick<JavaOptions, 'jdk' | 'jvmArgs' | 'under'> = {}): Promise<StressProcess> {
	const java = await startJava('Stress', {...options, args: [String(threads)]});
	return {
		...java,
		async check() {
			const before = java.output().length;
			java.child.stdin?.write('\n');
			const [, rounds, failures] = await until(() => /rounds (\d+) failures (\d+)\nchecked\n/.exec(java.output().slice(before)) ?? undefined);
			return {rounds: Number(rounds), failures: Number(failures)};
		},
	};
}
