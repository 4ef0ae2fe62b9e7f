import {readdirSync, readFileSync} from 'node:fs';

/** The JVM starts its own threads first; what is not among so many of the oldest is not looked for further. */
const maxTasks = 256;

/**
Our own id of the thread of that name, as the kernel has it (/proc/PID/task/TID/comm, cut to 15 bytes by the kernel; HotSpot gives its threads names since JDK 8); 0 when there is none or /proc is closed.
A Java thread may have taken the name too: the oldest is the JVM's own.
*/
export function namedTask(pid: number, name: string): number {
	try {
		const tasks = readdirSync(`/proc/${pid}/task`).map(Number).sort((a, b) => a - b).slice(0, maxTasks);
		return tasks.find(task => commOf(pid, task) === name) ?? 0;
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
