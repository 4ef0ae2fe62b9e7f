import {loadLibc} from '../../../jvm/system/koffi.js';

/** Bytes of struct iovec on x86-64: a pointer and a length. */
export const vectorBytes = 16;

/** Maximum number of ranges in one call (UIO_MAXIOV, Linux include/uapi/linux/uio.h). */
export const placesAtOnce = 1024;

/**
Copies ranges of another process, one after the other, into a buffer; returns the bytes copied up to the first
unreadable range, -1 if that is the first one or the call is refused. `vectors`: one iovec per range, of which `count`
are read from `first` on; `length`: bytes of all.
*/
export type VmReads = (vectors: Uint8Array, first: number, count: number, into: Uint8Array, offset: number, length: number) => number;

/**
process_vm_readv(2) for one process. It needs the rights of /proc/PID/mem, but container seccomp profiles may refuse it.
Undefined if the FFI package does not load or the C library lacks the call.
*/
export function loadVmReads(pid: number): VmReads | undefined {
	const libc = loadLibc();
	if (!libc) {
		return undefined;
	}

	try {
		const readv = libc.func('process_vm_readv', 'long', ['int', 'uint8_t *', 'ulong', 'intptr_t', 'ulong', 'ulong']);
		// memmove returns its first argument, the address of a buffer, which does not change.
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
