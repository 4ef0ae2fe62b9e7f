import {readFileSync, readdirSync, readlinkSync} from 'node:fs';
import {until} from './until.js';

/** The kernel's name of a thread, the first 15 bytes of the Java one; undefined where it has ended. */
export function commOf(pid: number, tid: number): string | undefined {
	try {
		return readFileSync(`/proc/${pid}/task/${tid}/comm`, 'latin1').trim();
	} catch {
		return undefined;
	}
}

/** Ids of a process's threads whose kernel names match. */
export function threadsNamed(pid: number, name: RegExp): number[] {
	return readdirSync(`/proc/${pid}/task`).map(Number).filter(tid => name.test(commOf(pid, tid) ?? ''));
}

/** What the kernel has counted of a thread: CPU time, time that it waited for a CPU, and timeslices. */
export function schedstatOf(
	pid: number,
	tid: number,
): {readonly cpuNs: number; readonly delayNs: number; readonly timeslices: number} {
	const [cpuNs, delayNs, timeslices] = readFileSync(`/proc/${pid}/task/${tid}/schedstat`, 'latin1').split(' ')
		.map(Number);
	return {cpuNs, delayNs, timeslices};
}

/** What a process has open: paths, or the kernel's own names, by their numbers. */
export function openFiles(pid: number | 'self'): Map<string, string> {
	const files = new Map<string, string>();
	for (const fd of readdirSync(`/proc/${pid}/fd`)) {
		try {
			files.set(fd, readlinkSync(`/proc/${pid}/fd/${fd}`));
		} catch {
			// It has just been closed.
		}
	}

	return files;
}

/** How many of a process's threads have a tracer, or are stopped. Threads may end meanwhile. */
export function heldThreads(pid: number): {held: number; threads: number} {
	const statuses = readdirSync(`/proc/${pid}/task`).flatMap(tid => {
		try {
			return [readFileSync(`/proc/${pid}/task/${tid}/status`, 'latin1')];
		} catch {
			return [];
		}
	});
	return {
		held: statuses.filter(status => !/^TracerPid:\t0$/m.test(status) || /^State:\t[tT]/m.test(status)).length,
		threads: statuses.length,
	};
}

/** Whether all threads of a process are stopped by a signal. */
export function isStopped(pid: number): boolean {
	return readdirSync(`/proc/${pid}/task`).every(tid =>
		/^State:\tT/m.test(readFileSync(`/proc/${pid}/task/${tid}/status`, 'latin1')));
}

/** Waits until a tprof-top has taken samples: its perf events are open, and it has read on and on since. */
export async function untilSampling(pid: number): Promise<void> {
	const readCalls = () => Number(/^syscr: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'latin1'))![1]);
	await until(() => [...openFiles(pid).values()].includes('anon_inode:[perf_event]'));
	const before = readCalls();
	await until(() => readCalls() - before > 500);
}
