import {wordOf, isAligned} from '../target/memory.js';
import {has} from '../hotspot/layout.js';
import {Ranges} from '../target/ranges.js';
import {fail, ifReadable} from '../target/memory-reader.js';
import {type Vm} from '../hotspot/vm.js';

/** Maximum threads of a JVM; kernels allow 32,768 in all by default (pid_max). */
const threadLimit = 65_536;

const maxAttempts = 5;

/** Reads the JVM's list of its threads. */
export class ThreadList {
	readonly #vm: Vm;
	#addresses: readonly number[] = [];
	#bytes = new Uint8Array();
	#nextBytes = new Uint8Array();
	/** Each thread's pointer to the next (8 and 11). */
	readonly #links: Ranges;

	constructor(vm: Vm) {
		this.#vm = vm;
		this.#links = new Ranges(vm.reader.memory);
	}

	/**
	Returns the addresses of all JavaThreads, oldest first; the same array as before if unchanged. Throws `Unreadable`
	if the list changes during each attempt.
	*/
	read(): readonly number[] {
		return has(this.#vm.layout.fields.threadsList) ? this.#readArray() : this.#readChain();
	}

	/** 17 and later: reads an array, which is replaced and freed at each change (threadSMR.hpp). */
	#readArray(): readonly number[] {
		const {reader, layout: {fields}} = this.#vm;
		return withRetries(() => {
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
				this.#addresses = decodeAddresses(bytes);
			}

			return this.#addresses;
		});
	}

	/**
	8 and 11: reads a linked list, newest first. New threads are prepended, so if its head is unchanged afterwards, it
	is consistent, unless a thread ended.
	*/
	#readChain(): readonly number[] {
		const {reader, layout: {fields}} = this.#vm;
		return withRetries(() => {
			const first = reader.word(fields.firstThread);
			if (this.#isUnchanged(first)) {
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

			// Oldest first, as in thread dumps and later releases.
			this.#addresses = threads.reverse();
			this.#links.clear();
			for (const address of this.#addresses) {
				this.#links.add(address + fields.nextThread, 8);
			}

			return this.#addresses;
		});
	}

	/** Whether the linked list that begins with this thread is still the one read last. */
	#isUnchanged(first: number): boolean {
		const addresses = this.#addresses;
		if (addresses.length === 0 || addresses.at(-1) !== first) {
			return false;
		}

		this.#links.read();
		for (let at = 0; at < addresses.length; at++) {
			if (!this.#links.isRead(at) || this.#links.word(at, 0) !== (at === 0 ? 0 : addresses[at - 1])) {
				return false;
			}
		}

		return true;
	}
}

/** Retries `attempt`, which fails if the list changes during it: a freed list contains garbage. */
function withRetries<T>(attempt: () => T): T {
	for (let failures = 1; failures < maxAttempts; failures++) {
		const result = ifReadable<T | undefined>(attempt, undefined);
		if (result !== undefined) {
			return result;
		}
	}

	return attempt();
}

function decodeAddresses(bytes: Uint8Array): number[] {
	const words = new Uint32Array(bytes.buffer, 0, bytes.length / 4);
	return Array.from({length: words.length / 2}, (_, index) => wordOf(words[index * 2], words[(index * 2) + 1]))
		.filter(address => isAligned(address));
}
