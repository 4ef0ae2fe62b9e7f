import {readdirSync, readFileSync} from 'node:fs';

/** Threads looked at in one search: ids wrap around, so that the JVM's first threads may have the highest. */
const maxTasks = 20_000;

/**
Our own id of the first thread with one of these names, as the kernel has them (/proc/PID/task/TID/comm, cut to 15 bytes
by the kernel; HotSpot gives its threads names since JDK 8); 0 if there is none or /proc is closed. A Java thread may
have the same name: as a rule, the one with the lowest id is the JVM's own.
*/
export function namedTask(pid: number, names: readonly string[]): number {
	try {
		const tasks = readdirSync(`/proc/${pid}/task`).map(Number).sort((a, b) => a - b).slice(0, maxTasks);
		return tasks.find(task => names.includes(commOf(pid, task))) ?? 0;
	} catch {
		return 0;
	}
}

function commOf(pid: number, task: number): string {
	try {
		return readFileSync(`/proc/${pid}/task/${task}/comm`, 'latin1').trimEnd();
	} catch {
		// It has ended meanwhile.
		return '';
	}
}
