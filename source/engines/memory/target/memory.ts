import {closeSync, openSync, readSync} from 'node:fs';
import {loadVmReads, type VmReads} from './vm-reads.js';

/** The target's memory: a live process, or a recorded image of one. */
export type Memory = {
	/**
	Reads many ranges in one call (see `VmReads`), up to the first unreadable one; returns the bytes read, -1 if the
	call is not available.
	*/
	readonly readMany?: VmReads;
	/**
	Copies up to `length` bytes at `address` to `into` at `offset`; returns the number of bytes read, 0 if none. Never
	throws.
	*/
	read(address: number, into: Uint8Array, offset: number, length: number): number;
};

/**
End of the user address space on x86-64 with four page-table levels (kernel Documentation/arch/x86/x86_64/mm.rst).
*/
const addressEnd = 2 ** 47;

/** Lowest address that can be mapped: mmap_min_addr is at least a page. */
const addressStart = 4096;

/** Failed calls in a row after which process_vm_readv counts as forbidden. */
const refusalLimit = 16;

/** Whether a word from the target can be an address; an inexact one above 2^53 never is. */
export function isAddress(word: number): boolean {
	return word >= addressStart && word < addressEnd;
}

/** Whether a word can be a pointer to something that HotSpot aligns to words. */
export function isAligned(word: number): boolean {
	return word % 8 === 0 && isAddress(word);
}

/**
Memory of a live process through /proc/PID/mem. Bound to the address space it was opened on: after an exec or the
process's end, reads return 0.
*/
export class ProcessMemory implements Memory {
	readonly #fd: number;
	readonly #vmReads: VmReads | undefined;
	/** Failed calls in a row. */
	#refusals = 0;

	/** Opens it; throws the system's error if not permitted (ptrace access). */
	constructor(pid: number) {
		this.#fd = openSync(`/proc/${pid}/mem`, 'r');
		this.#vmReads = loadVmReads(pid);
	}

	/** By process id, so it would read another program after an exec; see `Ranges`. */
	readMany(vectors: Uint8Array, first: number, count: number, into: Uint8Array, offset: number, length: number): number {
		if (!this.#vmReads || this.#refusals >= refusalLimit) {
			return -1;
		}

		const got = this.#vmReads(vectors, first, count, into, offset, length);
		this.#refusals = got < 0 ? this.#refusals + 1 : 0;
		return Math.max(0, got);
	}

	read(address: number, into: Uint8Array, offset: number, length: number): number {
		if (!isAddress(address) || length <= 0) {
			return 0;
		}

		try {
			return readSync(this.#fd, into, offset, length, address);
		} catch {
			return 0;
		}
	}

	/**
	Whether the address space is gone: the process has ended or called exec. In a live one, an unmapped page is an error
	(fs/proc/base.c, mem_rw).
	*/
	get isGone(): boolean {
		try {
			return readSync(this.#fd, new Uint8Array(1), 0, 1, addressStart) === 0;
		} catch {
			return false;
		}
	}

	close(): void {
		closeSync(this.#fd);
	}
}
