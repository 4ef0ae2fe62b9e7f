import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {attempt} from './proc.js';

/** The part of the koffi package (https://koffi.dev) that we use. */
type Koffi = {
	/** Loads a library by name; null: what the process has loaded. */
	load(name: string | null): {
		func(prototype: string): (...args: unknown[]) => number;
		func(name: string, result: string, args: string[]): (...args: unknown[]) => number;
	};
	errno(): number;
	/** Returns memory at an address as an ArrayBuffer, without a copy; never touch it once it is unmapped. */
	view(address: unknown, bytes: number): ArrayBuffer;
};

const {url} = import.meta;

/** The bundle's folder: the module's own, or the one above its chunks; never one above dist/, which anyone might own. */
const bundle = /\/chunks\/[^/]*$/.test(url) ? '..' : '.';

/**
Loads the FFI library: the binary for Linux on x86-64 that the build puts beside the bundle, or the whole package if the
sources run unbundled. Throws if it does not load.
*/
export function loadKoffi(): Koffi {
	return createRequire(url)(url.endsWith('.ts') ? 'koffi' : `${bundle}/koffi-${libcOf(readFileSync('/proc/self/maps', 'latin1'))}.node`) as Koffi;
}

/** Returns the C library of a process, by its /proc/PID/maps. musl's dynamic loader is the library itself. */
export function libcOf(maps: string): 'glibc' | 'musl' {
	return /\/ld-musl-[^/\n]*$/m.test(maps) ? 'musl' : 'glibc';
}

/** Functions of the C library by their prototypes. */
type Libc = ReturnType<Koffi['load']>;

let libc: Libc | false | undefined;

/** Returns the C library of this process; undefined if the FFI library does not load. */
export function loadLibc(): Libc | undefined {
	libc ??= attempt<Libc | false>(() => loadKoffi().load(null), false);
	return libc || undefined;
}
