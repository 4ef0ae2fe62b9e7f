import {Buffer} from 'node:buffer';
import {readdirSync, readFileSync, readlinkSync} from 'node:fs';
import {commOf} from './comm.js';

/** Whether a thread of our agent's runs in a JVM. */
export function hasAgent(pid: number): boolean {
	return readdirSync(`/proc/${pid}/task`).some(tid => commOf(pid, Number(tid))?.startsWith('tprof-top'));
}

/** Reports that the agent in a JVM has written: the second one answers the command to weave. */
export function reportsOf(pid: number): number {
	const data = readdirSync(`/proc/${pid}/fd`).map(fd => `/proc/${pid}/fd/${fd}`).find(file => /\/\.tprof-[^/]*\/data/.test(linkOf(file)));
	const bytes = data === undefined ? Buffer.alloc(0) : readFileSync(data);
	return bytes.length < 16 ? 0 : Number(bytes.readBigInt64BE(8));
}

function linkOf(file: string): string {
	try {
		return readlinkSync(file);
	} catch {
		return '';
	}
}
