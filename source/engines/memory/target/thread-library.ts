import {readFileSync} from 'node:fs';
import {printable} from '../../../model/text.js';
import {mappingsOf} from './elf.js';
import {isAddress, type Memory} from './memory.js';
import {wordAt} from './word.js';

/** Bytes at a stack's end that are searched: there the C library keeps where the thread began. */
const searchedBytes = 1 << 14;

/** Libraries that start threads for others. */
const starters = /^(?:ld|libc|libpthread|libstdc\+\+|libgcc_s)[-.]/;

const rangeLine = /^([\da-f]+)-([\da-f]+) /gm;

/**
The library whose function a thread of the target began with, as far as the words at its stack's end tell; undefined if
they do not. `sp`: a stack pointer that it had; undefined to ask the kernel, which tells it of a thread that waits.
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
		if (library !== undefined && !starters.test(library)) {
			return printable(library);
		}
	}

	return undefined;
}

/** Stack pointer of a thread that waits in the kernel (proc(5), syscall); undefined for one that runs. */
function waitingSp(pid: number, tid: number): number | undefined {
	try {
		const word = readFileSync(`/proc/${pid}/task/${tid}/syscall`, 'latin1').trim().split(' ').at(-2);
		return word?.startsWith('0x') ? Number(word) : undefined;
	} catch {
		return undefined;
	}
}
