import {printable} from '../../../model/text.js';
import {kernelNameOf} from '../../../jvm/threads/native-ids.js';

/** Maximum bytes of a thread's name in Linux (TASK_COMM_LEN without the zero). */
const kernelNameBytes = 15;

/** Returns a thread's name in the kernel, printable; empty if unreadable. HotSpot sets it when a thread starts. */
export function kernelName(pid: number, nativeId: number): string {
	return printable(kernelNameOf(pid, nativeId));
}

/** Whether a kernel name is a name's first 15 bytes or (since 19, os_linux.cpp) its first 7, two dots and last 6. */
export function matchesKernelName(kernel: string, name: string): boolean {
	if (kernel === '') {
		return name === '';
	}

	const bytes = Buffer.from(name);
	return bytes.length <= kernelNameBytes
		? kernel === name
		: bytes.subarray(0, kernelNameBytes).toString() === kernel || `${bytes.subarray(0, 7).toString()}..${bytes.subarray(-6).toString()}` === kernel;
}
