import {readdirSync, readFileSync} from 'node:fs';
import {printable} from '../../../model/text.js';

/** Linux ids of a process's threads; none if it has ended. */
export function threadIdsOf(pid: number): number[] {
	try {
		return readdirSync(`/proc/${pid}/task`).map(Number);
	} catch {
		return [];
	}
}

/** Bytes of a thread name that Linux keeps (TASK_COMM_LEN without the zero). */
const kernelNameBytes = 15;

/** A thread's name in the kernel, printable; empty if unreadable. HotSpot sets it when a thread starts. */
export function kernelName(pid: number, nativeId: number): string {
	try {
		return printable(readFileSync(`/proc/${pid}/task/${nativeId}/comm`, 'utf8').replace(/\n$/, ''));
	} catch {
		return '';
	}
}

/**
Whether a kernel name is the shortened form of a name: its first 15 bytes, or (since 19, os_linux.cpp) the first 7, two
dots and the last 6.
*/
export function confirms(kernel: string, name: string): boolean {
	if (kernel === '') {
		return name === '';
	}

	const bytes = Buffer.from(name);
	return bytes.length <= kernelNameBytes
		? kernel === name
		: bytes.subarray(0, kernelNameBytes).toString() === kernel || `${bytes.subarray(0, 7).toString()}..${bytes.subarray(-6).toString()}` === kernel;
}
