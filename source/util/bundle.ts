import {
	closeSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	openSync,
	readFileSync,
	realpathSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import {createRequire} from 'node:module';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import sea from 'node:sea';
import {fileURLToPath} from 'node:url';
import {compileFunction} from 'node:vm';

/** Whether the program is one executable file: a Node whose assets are the files of dist/, see build/release.js. */
export const isSingleFile = sea.isSea();

/** Path from here to dist/, or to the project if run from source; never a folder above, which anyone might own. */
const folder = import.meta.url.endsWith('.ts') ? '../../' : (/\/chunks\/[^/]*$/.test(import.meta.url) ? '../' : './');

/** Said where other users could replace what we write. */
const noFolder = 'no folder for files is out of the reach of other users; set TMPDIR to one that is';

/** Said where code may be loaded from none of those out of their reach, as they are read-only or mounted noexec. */
const noFolderForCode = 'no folder for files permits loading code from it; set TMPDIR to one that does';

/** Where a single file may write what the kernel reads only from files. */
let written: string | undefined;

/**
Returns the path of a file or folder of dist/ or the project, such as `demo/shop.jar`; undefined if it is missing. A
single file writes it to a folder of its own, until it ends. Throws if it cannot.
*/
export function bundledFile(name: string): string | undefined {
	if (isSingleFile) {
		return writtenFile(name);
	}

	const file = fileURLToPath(new URL(folder + name, import.meta.url));
	return existsSync(file) ? file : undefined;
}

/** Returns the bytes of such a file; undefined if it is missing. */
export function readBundled(name: string): Buffer | undefined {
	if (!isSingleFile) {
		const file = bundledFile(name);
		return file === undefined ? undefined : readFileSync(file);
	}

	return sea.getAssetKeys().includes(name) ? Buffer.from(sea.getRawAsset(name)) : undefined;
}

function writtenFile(name: string): string | undefined {
	const names = sea.getAssetKeys().filter(key => key === name || key.startsWith(`${name}/`));
	if (names.length === 0) {
		return undefined;
	}

	if (written === undefined) {
		const [parent] = foldersForFiles();
		if (parent === undefined) {
			throw new Error(noFolder);
		}

		const made = mkdtempSync(path.join(parent, 'tprof-top-'));
		process.on('exit', () => {
			rmSync(made, {recursive: true, force: true});
		});
		written = made;
	}

	for (const each of names) {
		const file = path.join(written, each);
		mkdirSync(path.dirname(file), {recursive: true, mode: 0o700});
		writeFileSync(file, readBundled(each)!, {mode: 0o600});
	}

	return path.join(written, name);
}

/** Loads a CommonJS module of dist/, which needs no other. Throws if it is missing. */
export function requireBundled(name: string): unknown {
	if (!isSingleFile) {
		return createRequire(import.meta.url)(folder + name) as unknown;
	}

	const module = {exports: {}};
	compileFunction(readBundled(name)!.toString(), ['module', 'exports'])(module, module.exports);
	return module.exports;
}

/**
Loads a native library of dist/. A single file writes it for that moment, to the first folder from which code may be
loaded: another mount may be read-only or noexec. Throws if there is none.
*/
export function loadAddon(name: string): unknown {
	if (!isSingleFile) {
		return createRequire(import.meta.url)(folder + name) as unknown;
	}

	const folders = foldersForFiles();
	let cause: unknown;
	for (const parent of folders) {
		try {
			return loadFrom(parent, name);
		} catch (error) {
			cause = error;
		}
	}

	throw new Error(folders.length === 0 ? noFolder : noFolderForCode, {cause});
}

/** Loads a native library from a file that is removed before it is written: what is loaded has no name. */
function loadFrom(parent: string, name: string): unknown {
	const own = mkdtempSync(path.join(parent, '.tprof-top-'));
	let fd: number;
	try {
		fd = openSync(path.join(own, name), 'wx', 0o600);
	} finally {
		rmSync(own, {recursive: true, force: true});
	}

	try {
		writeFileSync(fd, readBundled(name)!);
		const module = {exports: {}};
		process.dlopen(module, `/proc/self/fd/${fd}`);
		return module.exports;
	} finally {
		closeSync(fd);
	}
}

/** Returns the folders that may hold files of ours for a moment: those in which no other user can replace them. */
function foldersForFiles(): string[] {
	const {XDG_RUNTIME_DIR: runtime, HOME: home} = process.env;
	return [runtime, os.tmpdir(), '/dev/shm', '/var/tmp', '/run', home].filter(each => each !== undefined).filter(each =>
		path.isAbsolute(each) && isOutOfReach(each));
}

/** Whether no other user but root can replace what is in a folder: neither there nor by replacing a folder above. */
function isOutOfReach(folder: string): boolean {
	try {
		for (let at = realpathSync(folder); ; at = path.dirname(at)) {
			const {uid, mode} = statSync(at);
			const othersMayRename = (mode & 0o022) !== 0 && (mode & 0o1000) === 0;
			if ((uid !== 0 && uid !== process.geteuid?.()) || othersMayRename) {
				return false;
			}

			if (at === '/') {
				return true;
			}
		}
	} catch {
		return false;
	}
}
