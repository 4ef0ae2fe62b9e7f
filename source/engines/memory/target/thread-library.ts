import {readFileSync} from 'node:fs';
import {printable} from '../../../model/text.js';
import {mappingsOf} from './elf.js';
import {isAddress, type Memory} from './memory.js';
import {wordAt} from './word.js';

/** Bytes searched at a stack's base, where the C library keeps the thread's start function. */
const searchedBytes = 1 << 14;

/** Libraries that start threads on behalf of others. */
const starterLibraries = /^(?:ld|libc|libpthread|libstdc\+\+|libgcc_s)[-.]/;

const rangeLine = /^([\da-f]+)-([\da-f]+) /gm;

/**
Returns the library of a thread's start function, guessed from the words at its stack's base; undefined if unknown.
`sp`: a stack pointer that the thread had; by default the kernel's, known while the thread waits.
*/
export function libraryOfThread(pid: number, tid: number, memory: Memory, sp = waitingSp(pid, tid)): string | undefined {
	if (sp === undefined || !isAddress(sp)) {
		return undefined;
	}

	let maps: string;
	try {
		maps = readFileSync(`/proc/${pid}/maps`, 'latin1');
	} catch {
		return undefined;
	}

	const stack = Array.from(maps.matchAll(rangeLine), ([, start, end]) => ({start: Number.parseInt(start, 16), end: Number.parseInt(end, 16)})).find(({start, end}) => sp >= start && sp < end);
	const code = mappingsOf(maps).filter(({isCode, path}) => isCode && path.startsWith('/'));
	const bytes = new Uint8Array(searchedBytes);
	const from = stack ? Math.max(stack.start, stack.end - searchedBytes) : 0;
	const length = stack ? memory.read(from, bytes, 0, stack.end - from) : 0;
	const view = new DataView(bytes.buffer);
	for (let at = length - 8; at >= 0; at -= 8) {
		const word = wordAt(view, at);
		const path = isAddress(word) ? code.find(({start, end}) => word >= start && word < end)?.path : undefined;
		const library = path?.slice(path.lastIndexOf('/') + 1);
		if (library !== undefined && !starterLibraries.test(library)) {
			return printable(library);
		}
	}

	return undefined;
}

/** Returns the stack pointer of a thread that waits in the kernel (proc(5), syscall); undefined if it is running. */
function waitingSp(pid: number, tid: number): number | undefined {
	try {
		const word = readFileSync(`/proc/${pid}/task/${tid}/syscall`, 'latin1').trim().split(' ').at(-2);
		return word?.startsWith('0x') ? Number(word) : undefined;
	} catch {
		return undefined;
	}
}
