import {createRequire} from 'node:module';

/** What of the koffi package is used (its registry package has prebuilt binaries). */
export type Libc = {func(prototype: string): (...args: unknown[]) => number};

let libc: Libc | false | undefined;

/** The C library of this process, called directly; undefined where the optional koffi package does not load. */
export function loadLibc(): Libc | undefined {
	if (libc === undefined) {
		try {
			libc = (createRequire(import.meta.url)('koffi') as {load(path: null): Libc}).load(null);
		} catch {
			libc = false;
		}
	}

	return libc || undefined;
}
