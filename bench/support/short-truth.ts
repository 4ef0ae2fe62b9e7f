import {spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {ProcessClock} from '../../source/jvm/threads/process-clock.js';
import type {JavaProcess, Jdk} from '../../test/helpers/jvm.js';
import {asyncProfiler} from './async-profiler.js';
import {threadCpus} from './process-cpu.js';

/** Names, as the kernel has them, of threads that are no Java thread or whose work is the JVM's. */
const ofTheJvm = /^(?:C[12] Compiler|GC |G1 |VM |Signal |Attach |Common-Cleaner|Finalizer|Reference |Service |Monitor |Notification |Sweeper|StringDedup)/;

/** async-profiler 4.0 crashes JDK 27: its method ids are no pointers any more. */
const newestKnown = 26;

/** The first release whose jcmd loads an agent (JVMTI.agent_load). */
const firstThatLoads = 9;

/** CPU time of `work`, and of sleeps, since the call before, nanoseconds, as test/programs/ShortWork.java says itself. */
export async function sharesNs(java: JavaProcess): Promise<{readonly workNs: number; readonly sleepNs?: number}> {
	const before = java.output().length;
	java.child.stdin?.write('\n');
	for (;;) {
		const answer = /^share work (\d+)$(?:\s*^share sleep (\d+)$)?[^]*^done$/m.exec(java.output().slice(before));
		if (answer) {
			return {workNs: Number(answer[1]), sleepNs: answer[2] === undefined ? undefined : Number(answer[2])};
		}

		if (java.child.exitCode !== null) {
			throw new Error(`the program has ended: ${java.output()}`);
		}

		await sleep(5);
	}
}

/** CPU time of all but the JVM's own threads up to now, those that have ended too, nanoseconds. */
function javaNs(clock: ProcessClock, pid: number): number {
	return clock.readNs() - [...threadCpus(pid).values()].filter(({name}) => ofTheJvm.test(name)).reduce((sum, {cpuMs}) => sum + (cpuMs * 1e6), 0);
}

/**
What is true while no profiler looks: the part of the CPU time of the Java threads, as the kernel counts it, that is in
`work`, percent, over so many seconds.
*/
export async function aloneShare(java: JavaProcess, seconds: number): Promise<number> {
	const clock = ProcessClock.of(java.pid)!;
	await sharesNs(java);
	const before = javaNs(clock, java.pid);
	await sleep(seconds * 1000);
	const {workNs: worked} = await sharesNs(java);
	return 100 * worked / (javaNs(clock, java.pid) - before);
}

/**
The same as async-profiler has it: of its samples (perf events, one each millisecond of CPU time) of Java threads those
with `work` on the stack; undefined where it is not to be had.
*/
export async function asyncShare(java: JavaProcess, jdk: Jdk, seconds: number): Promise<number | undefined> {
	const library = jdk.release > newestKnown || jdk.release < firstThatLoads ? undefined : asyncProfiler(jdk);
	if (!library) {
		return undefined;
	}

	const folder = mkdtempSync(path.join(tmpdir(), 'tprof-bench-async-'));
	const file = path.join(folder, 'collapsed');
	const tell = (command: string) => spawnSync(path.join(jdk.home, 'bin/jcmd'), [String(java.pid), 'JVMTI.agent_load', library, `"${command}"`]);
	try {
		tell('start,event=cpu,interval=1ms,threads');
		await sleep(seconds * 1000);
		tell(`stop,collapsed,threads,file=${file}`);
		let [all, working] = [0, 0];
		for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
			const count = Number(line.slice(line.lastIndexOf(' ') + 1));
			if (!ofTheJvm.test(line.slice(1))) {
				all += count;
				working += line.includes('ShortWork.work') ? count : 0;
			}
		}

		return 100 * working / all;
	} finally {
		rmSync(folder, {recursive: true});
	}
}
