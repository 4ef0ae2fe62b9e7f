import {readFileSync, readdirSync} from 'node:fs';

/** Clock ticks a second in /proc/PID/stat: 100 on every Linux that Node runs on (proc(5), sysconf(_SC_CLK_TCK)). */
const ticksPerS = 100;
const pageBytes = 4096;

/** CPU milliseconds that a process has used, user and system, in steps of 10 (utime and stime of proc(5)). */
export function processCpuMs(pid: number): number {
	return ticksMs(pid, 11);
}

/** Those of our children that were waited for (cutime and cstime of proc(5)). */
export function childrenCpuMs(): number {
	return ticksMs('self', 13);
}

/** The sum of two fields of /proc/PID/stat, the first of them counted from behind the name, milliseconds. */
function ticksMs(pid: number | 'self', first: number): number {
	const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	return (Number(fields[first]) + Number(fields[first + 1])) * 1000 / ticksPerS;
}

/** A thread: its name, and the milliseconds it has run on a CPU and waited for one (the first numbers of schedstat). */
export type ThreadCpu = {readonly name: string; readonly cpuMs: number; readonly waitedMs: number};

/** Every thread of a process by its id; one that ends meanwhile is left out. */
export function threadCpus(pid: number): Map<number, ThreadCpu> {
	const found = new Map<number, ThreadCpu>();
	for (const id of readdirSync(`/proc/${pid}/task`)) {
		try {
			const folder = `/proc/${pid}/task/${id}`;
			const [ranNs, waitedNs] = readFileSync(`${folder}/schedstat`, 'latin1').split(' ').map(Number);
			found.set(Number(id), {
				name: readFileSync(`${folder}/comm`, 'utf8').trim(),
				cpuMs: ranNs / 1e6,
				waitedMs: waitedNs / 1e6,
			});
		} catch {
			// It has ended.
		}
	}

	return found;
}

/** Resident memory in bytes (second number of statm, in pages). */
export function residentBytes(pid: number): number {
	return Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * pageBytes;
}
