import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';

/** What we use of the koffi package (https://koffi.dev): libraries by name or, with null, what the process has loaded. */
type Koffi = {
	load(name: string | null): {
		func(prototype: string): (...args: unknown[]) => number;
		func(name: string, result: string, args: string[]): (...args: unknown[]) => number;
	};
	errno(): number;
	/** Memory at an address as an ArrayBuffer, without a copy; not to be touched once it is unmapped. */
	view(address: unknown, bytes: number): ArrayBuffer;
};

const {url} = import.meta;

/** The bundle's folder: the module's own, or the one above its chunks. Never one above dist/, which may be anyone's. */
const bundle = /\/chunks\/[^/]*$/.test(url) ? '..' : '.';

/**
The FFI library: the binary for Linux on x86-64 that the build puts beside the bundle, which needs nothing of the
package's JavaScript; the package itself where the sources run unbundled. Throws where it does not load.
*/
export function loadKoffi(): Koffi {
	return createRequire(url)(url.endsWith('.ts') ? 'koffi' : `${bundle}/koffi-${libcOf(readFileSync('/proc/self/maps', 'latin1'))}.node`) as Koffi;
}

/** The C library of a process, by its /proc/PID/maps. musl's dynamic loader is the library itself, so it is mapped. */
export function libcOf(maps: string): 'glibc' | 'musl' {
	return /\/ld-musl-[^/\n]*$/m.test(maps) ? 'musl' : 'glibc';
}

/** Functions of the C library by their prototypes. */
type Libc = ReturnType<Koffi['load']>;

let libc: Libc | false | undefined;

/** The C library of this process, called directly; undefined if the FFI package does not load. */
export function loadLibc(): Libc | undefined {
	if (libc === undefined) {
		try {
			libc = loadKoffi().load(null);
		} catch {
			libc = false;
		}
	}

	return libc || undefined;
}
