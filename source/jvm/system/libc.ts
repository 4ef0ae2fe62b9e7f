import {type Koffi, loadKoffi} from './koffi.js';

/** Functions of the C library by their prototypes. */
export type Libc = ReturnType<Koffi['load']>;

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
