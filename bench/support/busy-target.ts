import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {type JavaProcess, type Jdk, startJava} from '../../test/helpers/jvm.js';

/** What the busy threads of test/programs/BusyAndParked.java have done since their start. */
export type Work = {readonly units: number; readonly cpuMs: number; readonly atMs: number};

/** Starts so many threads with stacks of so many frames, of which the first `busy` work. */
export async function startBusy(jdk: Jdk, threads: number, depth: number, busy: number): Promise<JavaProcess> {
	return startJava('BusyAndParked', {
		jdk,
		jvmArgs: ['-XX:+UseSerialGC', '-Xmx128m'],
		args: [
			...[threads, depth, busy].map(String),
			...(process.env.TPROF_BENCH_KIND ? [process.env.TPROF_BENCH_KIND] : []),
		],
	});
}

export async function workOf(java: JavaProcess): Promise<Work> {
	const [, units, cpuNs] = /^work (\d+) cpu (\d+)$/m.exec(await toldBy(java))!;
	return {units: Number(units), cpuMs: Number(cpuNs) / 1e6, atMs: performance.now()};
}

/** What a program says of itself at a line of input, up to its line "done". */
export async function toldBy(java: JavaProcess): Promise<string> {
	const before = java.output().length;
	java.child.stdin?.write('\n');
	while (!/^done$/m.test(java.output().slice(before))) {
		await sleep(1);
	}

	return java.output().slice(before);
}
