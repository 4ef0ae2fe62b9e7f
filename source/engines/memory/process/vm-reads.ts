import {loadLibc} from '../../../jvm/system/libc.js';

/** Bytes of struct iovec on x86-64: a pointer and a length. */
export const vectorBytes = 16;

/** Most places of one call (UIO_MAXIOV, Linux include/uapi/linux/uio.h). */
export const placesAtOnce = 1024;

/**
Copies places of another process, one after the other, to a piece of memory of ours; gives the number of bytes copied up
to the first place that cannot be read, -1 where that is the first one of all or the kernel refuses the call. `vectors`:
an iovec a place, of which `count` are read from the `first` one on; `length`: bytes in all.
*/
export type VmReads = (vectors: Uint8Array, first: number, count: number, into: Uint8Array, offset: number, length: number) => number;

/**
process_vm_readv(2), for one process. Needs the rights that /proc/PID/mem needs; the seccomp profile of a container may
refuse it all the same. Undefined where the FFI package does not load or this C library lacks the call.
*/
export function loadVmReads(pid: number): VmReads | undefined {
	const libc = loadLibc();
	if (!libc) {
		return undefined;
	}

	try {
		const readv = libc.func('process_vm_readv', 'long', ['int', 'uint8_t *', 'ulong', 'intptr_t', 'ulong', 'ulong']);
		// What it returns is its first argument: the address of a buffer, which stays where it is as long as it lives.
		const move = libc.func('memmove', 'intptr_t', ['uint8_t *', 'uint8_t *', 'size_t']);
		const addresses = new WeakMap<Uint8Array, number>();
		const addressOf = (bytes: Uint8Array) => {
			let address = addresses.get(bytes);
			if (address === undefined) {
				address = Number(move(bytes, bytes, 0));
				addresses.set(bytes, address);
			}

			return address;
		};

		const local = new Float64Array(vectorBytes / 8);
		const localBytes = new Uint8Array(local.buffer);
		const words = new BigUint64Array(local.buffer);
		return (vectors, first, count, into, offset, length) => {
			words[0] = BigInt(addressOf(into) + offset);
			words[1] = BigInt(length);
			return readv(pid, localBytes, 1, addressOf(vectors) + (first * vectorBytes), count, 0);
		};
	} catch {
		return undefined;
	}
}
