import {closeSync, openSync, readSync} from 'node:fs';
import {loadVmReads, type VmReads} from './vm-reads.js';

/** Somewhere to read the target's memory from: the live process, or a recorded image of one. */
export type Memory = {
	/**
	What `read` does, of many places in one call (see `VmReads`), up to the first that cannot be read; gives the bytes
	that were read, -1 where the call is not to be had.
	*/
	readonly readMany?: VmReads;
	/**
	Copies up to `length` bytes at `address` to `into` at `offset`; returns how many could be read, 0 where nothing can.
	Never throws.
	*/
	read(address: number, into: Uint8Array, offset: number, length: number): number;
};

/**
End of the user half of the address space on x86-64 with four page-table levels (kernel
Documentation/arch/x86/x86_64/mm.rst).
*/
export const addressEnd = 2 ** 47;

/** Lowest address that can be mapped: mmap_min_addr is never below one page. */
const addressStart = 4096;

/** Calls in a row that may give nothing before it counts as forbidden. */
const refusalLimit = 16;

/** Whether a word from the target can be an address at all; a copied word above 2^53 is not exact, and is never one. */
export function isAddress(word: number): boolean {
	return word >= addressStart && word < addressEnd;
}

/** Whether a word can be a pointer to something that HotSpot aligns to words. */
export function isAligned(word: number): boolean {
	return word % 8 === 0 && isAddress(word);
}

/**
Memory of a live process through /proc/PID/mem. Stays with the address space that it was opened on: after an exec or the
process's end reads give 0.
*/
export class ProcessMemory implements Memory {
	readonly #fd: number;
	readonly #vmReads: VmReads | undefined;
	/** Calls in a row that gave nothing. */
	#refusals = 0;

	/** Opens; throws the system's error where the kernel refuses (needs the rights of a ptrace attach). */
	constructor(pid: number) {
		this.#fd = openSync(`/proc/${pid}/mem`, 'r');
		this.#vmReads = loadVmReads(pid);
	}

	/** Goes by the process's id, and so would read another program after an exec; see `Places`. */
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
	Whether the address space is gone: the process has ended, or replaced itself by another program. Of one that is
	there, a page without memory is an error (fs/proc/base.c, mem_rw).
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
