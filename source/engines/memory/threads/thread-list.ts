import {has} from '../hotspot/layout.js';
import {isAligned} from '../process/memory.js';
import {fail, Unreadable} from '../process/reader.js';
import {type Vm} from '../hotspot/vm.js';

/** Most threads taken from a list; kernels allow 32,768 by default (pid_max). */
const threadLimit = 65_536;

/** How often the list is read again when it changed meanwhile. */
const tries = 5;

/** Addresses of all JavaThreads. Throws `Unreadable` when no list could be read whole. */
export function readThreadList(vm: Vm): number[] {
	return has(vm.layout.fields.threadsList) ? readArray(vm) : readChain(vm);
}

/**
17 and later: an array that is replaced when a thread comes or goes (threadSMR.hpp), freed only when no one inside the
VM reads it. We are outside: it is read again when it was replaced meanwhile.
*/
function readArray({reader, layout: {fields}}: Vm): number[] {
	const attempt = () => {
		const list = reader.pointer(fields.threadsList);
		const length = reader.u32(list + fields.threadsListLength);
		const bytes = length <= threadLimit ? reader.bytes(reader.pointer(list + fields.threadsListThreads), length * 8) : fail();
		return reader.word(fields.threadsList) === list ? addresses(bytes) : fail();
	};

	return repeated(attempt);
}

/**
Tries again what fails when the list changes meanwhile: whatever was read of a list that has been freed is no list, or
points nowhere.
*/
function repeated<T>(attempt: () => T): T {
	for (let failures = 1; failures < tries; failures++) {
		try {
			return attempt();
		} catch (error) {
			if (!(error instanceof Unreadable)) {
				throw error;
			}
		}
	}

	return attempt();
}

function addresses(bytes: Uint8Array): number[] {
	const words = new Uint32Array(bytes.buffer, 0, bytes.length / 4);
	return Array.from({length: words.length / 2}, (_, index) => words[index * 2] + (words[(index * 2) + 1] * 0x1_00_00_00_00)).filter(address => isAligned(address));
}

/**
8 and 11: threads linked to one another, the newest first; a new one is put at the front, so a chain whose front is the
same at its end was whole unless a thread ended.
*/
function readChain({reader, layout: {fields}}: Vm): number[] {
	return repeated(() => {
		const threads: number[] = [];
		const first = reader.word(fields.firstThread);
		let thread = first;
		while (isAligned(thread) && threads.length < threadLimit) {
			threads.push(thread);
			thread = reader.word(thread + fields.nextThread);
		}

		// The order of the dumps, and of later releases: the oldest first.
		return thread === 0 && reader.word(fields.firstThread) === first ? threads.reverse() : fail();
	});
}
