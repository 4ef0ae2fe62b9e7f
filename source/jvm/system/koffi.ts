import {createRequire} from 'node:module';

/**
What we use of the koffi package (https://koffi.dev): libraries by name or, with null, what the process has loaded.
*/
export type Koffi = {
	load(name: string | null): {
		func(prototype: string): (...args: unknown[]) => number;
		func(name: string, result: string, args: string[]): (...args: unknown[]) => number;
	};
	errno(): number;
	/** Memory at an address as an ArrayBuffer, without a copy; not to be touched once it is unmapped. */
	view(address: unknown, bytes: number): ArrayBuffer;
};

/** For the bundle: its own folder, or the one above its chunks. Never a folder above dist/, which may be anyone's. */
const besideBundle = /\/chunks\/[^/]*$/.test(import.meta.url) ? '../koffi.node' : './koffi.node';

/**
The FFI package: its binary for Linux on x86-64 (glibc), which the build puts into dist/ so that the folder works alone
and which needs nothing of the package's JavaScript, or else the installed package. Throws if neither loads.
*/
export function loadKoffi(): Koffi {
	const require = createRequire(import.meta.url);
	try {
		return require(besideBundle) as Koffi;
	} catch {
		return require('koffi') as Koffi;
	}
}
