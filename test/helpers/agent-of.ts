import {readFileSync} from 'node:fs';
import {openFiles, threadsNamed} from './proc.js';

/** Whether a thread of our agent's runs in a JVM. */
export function hasAgent(pid: number): boolean {
	return threadsNamed(pid, /^tprof-top/).length > 0;
}

/** Reports that the agent in a JVM has written: the second one answers the command to weave. */
export function reportsOf(pid: number): number {
	const data = [...openFiles(pid)].find(([, file]) => /\/\.tprof-[^/]*\/data/.test(file));
	const bytes = data && readFileSync(`/proc/${pid}/fd/${data[0]}`);
	return bytes && bytes.length >= 16 ? Number(bytes.readBigInt64BE(8)) : 0;
}
