import {existsSync} from 'node:fs';
import {copyFile} from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';

/** What npm installs on Linux on x86-64, the one platform of the memory engine: a folder for each C library. */
const installed = 'node_modules/@koromix/koffi-linux-x64';
const folders = {glibc: 'linux_x64', musl: 'musl_x64'};

/** Copies koffi's binaries to where source/jvm/system/koffi.ts finds them: beside the bundle. */
export async function copyKoffi(bundle) {
	if (!existsSync(installed)) {
		process.stderr.write(`no ${installed}: the memory engine will be missing\n`);
		return;
	}

	await Promise.all(Object.entries(folders).map(async ([libc, folder]) =>
		copyFile(path.join(installed, folder, 'koffi.node'), path.join(bundle, `koffi-${libc}.node`))));
}
