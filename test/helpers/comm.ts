import {readFileSync} from 'node:fs';

/** The kernel's name of a thread, the first 15 bytes of the Java one; undefined where it has ended. */
export function commOf(pid: number, tid: number): string | undefined {
	try {
		return readFileSync(`/proc/${pid}/task/${tid}/comm`, 'latin1').trim();
	} catch {
		return undefined;
	}
}
