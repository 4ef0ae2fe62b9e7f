import path from 'node:path';
import process from 'node:process';
import {constants, existsSync, lstatSync} from 'node:fs';
import {
	chmod, copyFile, link, lstat, mkdir, open, readlink, realpath, rename, stat, unlink, writeFile, type FileHandle,
} from 'node:fs/promises';
import type {Written} from '../common/export-format.js';
import {UserError} from '../../runtime/errors.js';
import {printable, safe, type Printable} from '../../util/printable.js';

/** Highest of the suffixes -2, -3, ... to try: two saves within a second are common, a hundred mean a loop. */
const maxSuffix = 100;

/** Returns the stem, with -2, -3 and so on if it exists with one of the extensions; without a number if all exist. */
export function freeStem(stem: string, extensions: readonly string[]): string {
	const stems = [stem, ...Array.from({length: maxSuffix - 1}, (_, index) => `${stem}-${index + 2}`)];
	return stems.find(candidate => !extensions.some(extension => existsSync(candidate + extension))) ?? stem;
}

type Part = {readonly file: string; readonly bytes: Written};

/**
Writes files into one folder: all or none of them, for their owner alone, synced, and never replacing another file.
Throws UserError.
*/
export async function writeTogether(parts: readonly Part[]): Promise<void> {
	const [{file: first}] = parts;
	const temporaries: string[] = [];
	const published: string[] = [];
	try {
		for (const {bytes} of parts) {
			const {file, handle} = await createPartial(path.dirname(first));
			temporaries.push(file);
			await writeSynced(handle, bytes);
		}

		for (const [index, {file}] of parts.entries()) {
			await giveName(temporaries[index], file);
			published.push(file);
		}

		await syncFolder(path.dirname(first));
	} catch (error) {
		await removeAll(published);
		throw writeErrorOf(error, first);
	} finally {
		await removeAll(temporaries);
	}
}

/** Throws, as creating a file would, if the name is taken or impossible. */
export function throwIfTaken(name: string): void {
	if (lstatSync(name, {throwIfNoEntry: false})) {
		throw Object.assign(new Error('taken'), {code: 'EEXIST'});
	}
}

/** Creates a file with a temporary name in the folder, for its owner alone. Throws the system's error. */
export async function createPartial(
	folder: string,
	extension = '.partial',
): Promise<{readonly file: string; readonly handle: FileHandle}> {
	const {randomBytes} = await import('node:crypto');
	const file = path.join(folder, `.tprof-${process.pid}-${randomBytes(8).toString('hex')}${extension}`);
	// The umask can only remove permissions: no chmod is needed.
	const handle = await open(
		file,
		constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
		0o600,
	);
	return {file, handle};
}

/**
Gives a complete file its name. link(2) never replaces another file; on a file system without links the file is copied,
which never replaces one either, but is not atomic. Throws the system's error.
*/
export async function giveName(temporary: string, name: string): Promise<void> {
	try {
		await link(temporary, name);
	} catch (error) {
		if (!linklessCodes.has(codeOf(error))) {
			throw error;
		}

		await copyFile(temporary, name, constants.COPYFILE_EXCL);
	}
}

const linklessCodes = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

async function writeSynced(handle: FileHandle, bytes: Written): Promise<void> {
	try {
		await writeFile(handle, bytes);
		await handle.sync();
	} finally {
		await handle.close();
	}
}

/** Syncs the folder's entries, if the file system can; the files are safe even if not. */
export async function syncFolder(folder: string): Promise<void> {
	await ignoringErrors(async () => {
		const handle = await open(folder, 'r');
		try {
			await handle.sync();
		} finally {
			await handle.close();
		}
	});
}

/** Removes the files that exist. */
export async function removeAll(files: readonly string[]): Promise<void> {
	for (const file of files) {
		await ignoringErrors(async () => unlink(file));
	}
}

/** Runs an action that may fail. */
export async function ignoringErrors(action: () => Promise<void>): Promise<void> {
	try {
		await action();
	} catch {}
}

/** Writes or replaces a file of the user, whole or not at all, keeping its mode. Throws UserError. */
export async function replaceWhole(file: string, bytes: string): Promise<void> {
	const temporaries: string[] = [];
	try {
		await throwIfForeign(file, 'follow');
		const existing = await statOf(file);
		const target = existing?.path ?? file;
		const owner = existing?.uid ?? process.geteuid?.();
		const folder = await nearestFolder(path.dirname(target));
		if (owner !== process.geteuid?.() || folder.uid !== owner) {
			throw new UserError(`${target} belongs to another user`, {hint: 'it was left as it is'});
		}

		await mkdir(path.dirname(target), {recursive: true, mode: 0o700});
		const {file: partial, handle} = await createPartial(path.dirname(target));
		temporaries.push(partial);
		await writeSynced(handle, bytes);
		if (existing) {
			await chmod(partial, existing.mode);
		}

		await rename(partial, target);
		await syncFolder(path.dirname(target));
	} catch (error) {
		throw error instanceof UserError ? error : writeErrorOf(error, file);
	} finally {
		await removeAll(temporaries);
	}
}

type Stat = {readonly path: string; readonly uid: number; readonly mode: number};

/** Returns a file's path without links, its owner and mode; undefined if it does not exist. */
async function statOf(file: string): Promise<Stat | undefined> {
	try {
		const real = await realpath(file);
		const {uid, mode} = await stat(real);
		return {path: real, uid, mode: mode & 0o777};
	} catch (error) {
		if (codeOf(error) === 'ENOENT') {
			return undefined;
		}

		throw error;
	}
}

/** As many as the kernel follows in one path (MAXSYMLINKS). */
const maxLinks = 40;

/**
Throws a UserError if anything on the way to a file or folder, as far as it exists, belongs to another user than us and
root: that user could lead us elsewhere. `links`: whether our own and root's symbolic links are followed, or an error;
those in the root folder, such as /home on some systems, are followed in any case.
*/
export async function throwIfForeign(file: string, links: 'follow' | 'refuse'): Promise<void> {
	let at = '/';
	let linksLeft = maxLinks;
	const names = path.resolve(file).split('/').filter(Boolean);
	for (let name = names.shift(); name !== undefined; name = names.shift()) {
		const parent = at;
		at = path.join(parent, name);
		const found = await entryOf(at);
		if (found === undefined) {
			return;
		}

		if (found.uid !== 0 && found.uid !== process.geteuid?.()) {
			throw new UserError(`${printable(at, maxPathLength)} belongs to another user`);
		}

		if (found.isSymbolicLink()) {
			if ((links === 'refuse' && parent !== '/') || linksLeft-- === 0) {
				throw new UserError(`${printable(at, maxPathLength)} is a symbolic link`);
			}

			names.unshift(...path.resolve(parent, await readlink(at)).split('/').filter(Boolean));
			at = '/';
		}
	}
}

/** Returns what is at a path, links not followed; undefined if there is nothing. Throws the system's error. */
async function entryOf(file: string) {
	try {
		return await lstat(file);
	} catch (error) {
		if (codeOf(error) === 'ENOENT') {
			return undefined;
		}

		throw error;
	}
}

/** Returns the folder or, if it does not exist, its nearest ancestor that does. */
export async function nearestFolder(folder: string): Promise<{readonly path: string; readonly uid: number}> {
	return await statOf(folder) ?? nearestFolder(path.dirname(folder));
}

/** Linux's PATH_MAX. */
const maxPathLength = 4096;

/** Returns the code of a system error, such as ENOSPC; empty for other errors. */
export function codeOf(error: unknown): string {
	return (error as NodeJS.ErrnoException).code ?? '';
}

/** An error writing a file: `message` includes its name, `reason` does not. */
export class WriteError extends UserError {
	readonly reason: Printable;

	constructor(name: string, reason: Printable, hint: string) {
		super(`cannot write ${name}: ${reason}`, {hint});
		this.reason = reason;
	}
}

/** Returns the user's error for a file that could not be written. */
export function writeErrorOf(error: unknown, file: string): WriteError {
	const name = printable(file, maxPathLength);
	const folder = printable(path.dirname(file), maxPathLength);
	const [reason, hint] = explanations[codeOf(error)]?.(folder)
		?? [printable((error as Error).message), 'choose another folder (--snapshot-dir, --output)'];
	return new WriteError(name, reason, hint);
}

const elsewhere = safe`choose a folder that you may write to (--snapshot-dir, --output)`;
const explanations: Readonly<
	Record<string, ((folder: Printable) => readonly [reason: Printable, hint: Printable]) | undefined>
> = {
	ENOSPC:
		() => [safe`the disk is full`, safe`free some space, or choose a folder on another disk (--snapshot-dir, --output)`],
	EDQUOT:
		() => [
			safe`your disk quota is used up`,
			safe`free some space, or choose a folder on another disk (--snapshot-dir, --output)`,
		],
	EFBIG: () => [safe`it would exceed the file size limit (ulimit -f)`, safe`raise the limit, or choose another format`],
	EACCES: folder => [safe`no permission to write in ${folder}`, elsewhere],
	EPERM: folder => [safe`no permission to write in ${folder}`, elsewhere],
	EROFS: folder => [safe`${folder} is on a read-only file system`, elsewhere],
	ENOENT: folder => existsSync(folder)
		? [safe`files cannot be created in ${folder}`, elsewhere]
		: [safe`there is no folder ${folder}`, safe`create it, or choose another (--snapshot-dir, --output)`],
	ENOTDIR: folder => [safe`${folder} is not a folder`, safe`choose another folder (--snapshot-dir, --output)`],
	ENAMETOOLONG: () => [safe`the name is too long`, safe`choose a shorter one`],
	EEXIST: () => [
		safe`it already exists`,
		safe`tprof-top never overwrites; choose another name, or remove the file first`,
	],
	EISDIR: () => [safe`that is a folder`, safe`give a file name`],
	EMFILE: () => [safe`too many open files`, safe`raise the limit (ulimit -n)`],
	EIO: () => [safe`the disk reported an error`, safe`choose a folder on another disk (--snapshot-dir, --output)`],
};
