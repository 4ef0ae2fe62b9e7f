import {wordOf} from '../decode/word.js';
import {has} from '../hotspot/layout.js';
import {isAligned} from '../process/memory.js';
import {Places} from '../process/places.js';
import {fail, Unreadable} from '../process/reader.js';
import {type Vm} from '../hotspot/vm.js';

/** Most threads taken from a list; kernels allow 32,768 by default (pid_max). */
const threadLimit = 65_536;

/** How often the list is read again when it changed meanwhile. */
const tries = 5;

/** The JVM's list of its threads. */
export class ThreadList {
	readonly #vm: Vm;
	/** The list as it was last read, and its bytes. */
	#addresses: readonly number[] = [];
	#bytes = new Uint8Array();
	/** Where the next list is read to, and the list before is afterwards. */
	#nextBytes = new Uint8Array();
	/** Where each thread of a chain names the next one. */
	readonly #links: Places;

	constructor(vm: Vm) {
		this.#vm = vm;
		this.#links = new Places(vm.reader.memory, 8);
	}

	/**
	Addresses of all JavaThreads, the oldest first: the same array as the last time where they are the same. Throws
	`Unreadable` when no list could be read whole.
	*/
	read(): readonly number[] {
		return has(this.#vm.layout.fields.threadsList) ? this.#readArray() : this.#readChain();
	}

	/**
	17 and later: an array that is replaced when a thread comes or goes (threadSMR.hpp), freed only when no one inside
	the VM reads it. We are outside: it is read again when it was replaced meanwhile.
	*/
	#readArray(): readonly number[] {
		const {reader, layout: {fields}} = this.#vm;
		return repeated(() => {
			const list = reader.pointer(fields.threadsList);
			const length = reader.u32(list + fields.threadsListLength);
			if (length > threadLimit) {
				fail();
			}

			if (this.#nextBytes.length !== length * 8) {
				this.#nextBytes = new Uint8Array(length * 8);
			}

			const bytes = this.#nextBytes;
			if (length > 0) {
				reader.fill(reader.pointer(list + fields.threadsListThreads), bytes, 0, length * 8);
			}

			if (reader.word(fields.threadsList) !== list) {
				fail();
			}

			if (Buffer.compare(bytes, this.#bytes) !== 0) {
				this.#nextBytes = this.#bytes;
				this.#bytes = bytes;
				this.#addresses = addresses(bytes);
			}

			return this.#addresses;
		});
	}

	/**
	8 and 11: threads linked to one another, the newest first; a new one is put at the front, so a chain whose front is
	the same at its end was whole unless a thread ended.
	*/
	#readChain(): readonly number[] {
		const {reader, layout: {fields}} = this.#vm;
		return repeated(() => {
			const first = reader.word(fields.firstThread);
			if (this.#isChain(first)) {
				return this.#addresses;
			}

			const threads: number[] = [];
			let thread = first;
			while (isAligned(thread) && threads.length < threadLimit) {
				threads.push(thread);
				thread = reader.word(thread + fields.nextThread);
			}

			if (thread !== 0 || reader.word(fields.firstThread) !== first) {
				fail();
			}

			// The order of the dumps, and of later releases: the oldest first.
			this.#addresses = threads.reverse();
			this.#links.clear();
			for (const address of this.#addresses) {
				this.#links.add(address + fields.nextThread);
			}

			return this.#addresses;
		});
	}

	/** Whether the chain that begins with this thread is the one that was last read. */
	#isChain(first: number): boolean {
		const known = this.#addresses;
		if (known.length === 0 || known.at(-1) !== first) {
			return false;
		}

		this.#links.read();
		for (let at = 0; at < known.length; at++) {
			if (!this.#links.isRead(at) || this.#links.word(at, 0) !== (at === 0 ? 0 : known[at - 1])) {
				return false;
			}
		}

		return true;
	}
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
	return Array.from({length: words.length / 2}, (_, index) => wordOf(words[index * 2], words[(index * 2) + 1])).filter(address => isAligned(address));
}
