import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import process from 'node:process';
import {loadAddon} from '../../util/bundle.js';
import {attempt} from './proc.js';

/** The part of the koffi package (https://koffi.dev) that we use. */
type Koffi = {
	/** Loads a library by name; null: the process's own functions. */
	load(name: string | null): {
		func(prototype: string): (...args: unknown[]) => number;
		func(name: string, result: string, args: string[]): (...args: unknown[]) => number;
	};
	errno(): number;
	/** Returns memory at an address as an ArrayBuffer, without copying it; it must not be used once it is unmapped. */
	view(address: unknown, bytes: number): ArrayBuffer;
};

/**
Loads the library that calls C functions: the binary for this Linux that the build puts beside the bundle, or the whole
package if the sources run unbundled. Throws if it does not load.
*/
export function loadKoffi(): Koffi {
	const {url} = import.meta;
	return (url.endsWith('.ts')
		? createRequire(url)('koffi')
		: loadAddon(`koffi-${libcOf(readFileSync('/proc/self/maps', 'latin1'))}-${process.arch}.node`)) as Koffi;
}

/** Returns which C library a process has, by its /proc/PID/maps; musl's dynamic loader is the library itself. */
export function libcOf(maps: string): 'glibc' | 'musl' {
	return /\/ld-musl-[^/\n]*$/m.test(maps) ? 'musl' : 'glibc';
}

type Libc = ReturnType<Koffi['load']>;

/** False if it cannot be loaded; undefined before the first call. */
let libc: Libc | false | undefined;

/** Returns the C library of this process; undefined if koffi does not load. */
export function loadLibc(): Libc | undefined {
	libc ??= attempt<Libc | false>(() => loadKoffi().load(null), false);
	return libc || undefined;
}
