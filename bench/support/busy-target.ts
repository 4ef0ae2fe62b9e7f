import {setTimeout as sleep} from 'node:timers/promises';
import {type JavaProcess, type Jdk, startJava} from '../../test/helpers/jvm.js';

/** What the busy threads of test/programs/BusyAndParked.java have done since their start. */
export type Work = {readonly units: number; readonly cpuMs: number; readonly atMs: number};

/** Starts so many threads with stacks of so many frames, of which the first `busy` work. */
export async function startBusy(jdk: Jdk, threads: number, depth: number, busy: number): Promise<JavaProcess> {
	return startJava('BusyAndParked', {jdk, jvmArgs: ['-XX:+UseSerialGC', '-Xmx128m'], args: [threads, depth, busy].map(String)});
}

export async function workOf(java: JavaProcess): Promise<Work> {
	const before = java.output().length;
	java.child.stdin?.write('\n');
	for (;;) {
		const match = /^work (\d+) cpu (\d+)\ndone$/m.exec(java.output().slice(before));
		if (match) {
			return {units: Number(match[1]), cpuMs: Number(match[2]) / 1e6, atMs: performance.now()};
		}

		await sleep(1);
	}
}
