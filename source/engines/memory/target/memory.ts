import {closeSync, openSync, readSync} from 'node:fs';
import {constants} from 'node:os';
import {loadKoffi} from '../../../jvm/system/koffi.js';
import {attempt} from '../../../jvm/system/proc.js';
import {getOrCreate} from '../../../util/get-or-create.js';

/** Bytes of struct iovec: a pointer and a length. */
export const bytesPerVector = 16;

/** Maximum number of ranges in one call (UIO_MAXIOV, include/uapi/linux/uio.h). */
export const maxVectors = 1024;

/**
Copies ranges of another process, one after the other, into a buffer; returns the bytes up to the first unreadable
range, -1 if the call is refused. `vectors`: iovecs, of which `count` are read from `first` on; `length`: their bytes.
*/
// eslint-disable-next-line max-params -- It is called for each read: an object of arguments would be made each time.
type VmReads = (
	vectors: Uint8Array,
	first: number,
	count: number,
	into: Uint8Array,
	offset: number,
	length: number,
) => number;

/** Binds process_vm_readv(2), which seccomp profiles of containers may refuse. Throws if koffi does not load. */
function bindVmReads(pid: number): VmReads {
	const koffi = loadKoffi();
	const libc = koffi.load(null);
	const readv = libc.func('process_vm_readv', 'long', ['int', 'uint8_t *', 'ulong', 'intptr_t', 'ulong', 'ulong']);
	// memmove returns its first argument, here the buffer's address, which does not change.
	const move = libc.func('memmove', 'intptr_t', ['uint8_t *', 'uint8_t *', 'size_t']);
	const addresses = new WeakMap<Uint8Array, number>();
	const addressOf = (bytes: Uint8Array) => getOrCreate(addresses, bytes, () => Number(move(bytes, bytes, 0)));
	// The local iovec: address and length of the destination.
	const words = new BigUint64Array(bytesPerVector / 8);
	const localBytes = new Uint8Array(words.buffer);
	// eslint-disable-next-line max-params -- As the type.
	return (vectors, first, count, into, offset, length) => {
		words[0] = BigInt(addressOf(into) + offset);
		words[1] = BigInt(length);
		const got = readv(pid, localBytes, 1, addressOf(vectors) + (first * bytesPerVector), count, 0);
		// EFAULT: the first range is unreadable.
		return got >= 0 ? got : (koffi.errno() === constants.errno.EFAULT ? 0 : -1);
	};
}

/** The target's memory: a live process, or a recorded image of one. */
export type Memory = {
	/** Reads many ranges in one call; undefined if only single reads are possible. */
	readonly readMany?: VmReads;
	/** Copies bytes from `address` to `into` at `offset`; returns their number, 0 on failure. */
	read(address: number, into: Uint8Array, offset: number, length: number): number;
};

/** End of user address spaces with four levels of page tables: 2^47 on x86-64, 2^48 on arm64 (Documentation/arch). */
const addressEnd = 2 ** 48;

/** Lowest address that can be mapped: mmap_min_addr is at least a page. */
const addressStart = 4096;

/** Whether a word from the target can be an address; words above 2^53, which are inexact, never are. */
export function isAddress(word: number): boolean {
	return word >= addressStart && word < addressEnd;
}

/** Whether a word can be a pointer to a HotSpot structure, which is aligned to words. */
export function isAligned(word: number): boolean {
	return word % 8 === 0 && isAddress(word);
}

/** The address space of a process, through /proc/PID/mem. After the process's end or an exec, reads return 0. */
export class ProcessMemory implements Memory {
	/** Uses the process id, so after an exec it reads the new program; see `Ranges`. */
	readonly readMany: VmReads;
	readonly #fd: number;

	/** Opens the memory; throws a system error if not permitted (ptrace access). */
	constructor(pid: number) {
		this.readMany = bindVmReads(pid);
		this.#fd = openSync(`/proc/${pid}/mem`, 'r');
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

	/** Whether the process has ended or called exec: in a live one, reading an unmapped page is an error (mem_rw). */
	get isGone(): boolean {
		return attempt(() => readSync(this.#fd, new Uint8Array(1), 0, 1, addressStart) === 0, false);
	}

	close(): void {
		closeSync(this.#fd);
	}
}

/** Returns a 64-bit word given its halves, exact below 2^53, as all addresses are. */
export function wordOf(low: number, high: number): number {
	return low + (high * 0x1_00_00_00_00);
}

/**
Returns the address in the little-endian word at an offset, without the upper 16 bits, in which arm64 signs return
addresses. Throws a RangeError past the end.
*/
export function addressAt(view: DataView, offset: number): number {
	return wordOf(view.getUint32(offset, true), view.getUint16(offset + 4, true));
}

/** Returns the little-endian word at an offset, as in `wordOf`. Throws a RangeError past the end. */
export function wordAt(view: DataView, offset: number): number {
	return wordOf(view.getUint32(offset, true), view.getUint32(offset + 4, true));
}
