import path from 'node:path';
import process from 'node:process';
import {constants, createReadStream, existsSync} from 'node:fs';
import {type FileHandle, link, open, unlink, writeFile, chmod, mkdir, realpath, rename, stat} from 'node:fs/promises';
import type {Written} from '../common/export-format.js';
import {UserError} from '../../runtime/errors.js';
import {printable} from '../../model/text.js';

/** Names with -2, -3, ... tried before giving up: two saves within a second are common, a hundred mean a loop. */
const maxSuffix = 100;

/** Bytes of one file of a set that belongs together. */
type FilePart = {readonly extension: string; readonly bytes: Written};

/**
Writes a file whole or not at all, with mode 0600, synced, never in place of another. `suffix`: a name that is taken
gets -2, -3 and so on before its extension. Gives back the path; throws UserError.
*/
export async function writeWhole(file: string, bytes: Written, options: {readonly taken?: 'refuse' | 'suffix'} = {}): Promise<string> {
	const extension = extensionOf(file);
	const [written] = await writeTogether(file.slice(0, file.length - extension.length), [{extension, bytes}], options);
	return written;
}

/** As `writeWhole`, for files that differ in their extension: all get one stem, or none is there. Gives back their paths. */
export async function writeTogether(stem: string, parts: readonly FilePart[], {taken = 'refuse'}: {readonly taken?: 'refuse' | 'suffix'} = {}): Promise<string[]> {
	const folder = path.dirname(stem + parts[0].extension);
	const temporaries: string[] = [];
	try {
		for (const {bytes} of parts) {
			const {file, handle} = await createPartial(folder);
			temporaries.push(file);
			await fill(handle, bytes);
		}

		for (let suffix = 1; suffix <= (taken === 'suffix' ? maxSuffix : 1); suffix++) {
			const names = parts.map(({extension}) => stem + (suffix === 1 ? '' : `-${suffix}`) + extension);
			if (await publish(temporaries, names)) {
				await syncFolder(folder);
				return names;
			}
		}

		throw Object.assign(new Error('taken'), {code: 'EEXIST'});
	} catch (error) {
		throw writeErrorOf(error, stem + parts[0].extension);
	} finally {
		await removeAll(temporaries);
	}
}

/** Gives the complete files their names; false, and none of them there, when a name is taken. */
async function publish(temporaries: readonly string[], names: readonly string[]): Promise<boolean> {
	const published: string[] = [];
	try {
		for (const [index, name] of names.entries()) {
			await giveName(temporaries[index], name);
			published.push(name);
		}

		return true;
	} catch (error) {
		await removeAll(published);
		if (codeOf(error) === 'EEXIST') {
			return false;
		}

		throw error;
	}
}

/** `.pb.gz` as one; otherwise what Node calls the extension. */
function extensionOf(file: string): string {
	return file.endsWith('.pb.gz') && path.basename(file) !== '.pb.gz' ? '.pb.gz' : path.extname(file);
}

/** A new file of a temporary name in the folder, for its owner alone. */
export async function createPartial(folder: string): Promise<{readonly file: string; readonly handle: FileHandle}> {
	const {randomBytes} = await import('node:crypto');
	const file = path.join(folder, `.tprof-${process.pid}-${randomBytes(8).toString('hex')}.partial`);
	// The umask can only take rights away from 0600: no chmod is needed.
	const handle = await open(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
	return {file, handle};
}

/**
Gives a complete file its name. link(2) never replaces; where a file system has no links the file is copied, which is
as exclusive, but not whole after a power cut.
*/
export async function giveName(temporary: string, name: string): Promise<void> {
	try {
		await link(temporary, name);
	} catch (error) {
		if (!linklessCodes.has(codeOf(error))) {
			throw error;
		}

		const handle = await open(name, 'wx', 0o600);
		try {
			await fill(handle, createReadStream(temporary));
		} catch (error_) {
			await removeAll([name]);
			throw error_;
		}
	}
}

const linklessCodes = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** Writes all of a file, to the disk, and closes it. */
async function fill(handle: FileHandle, bytes: string | Uint8Array | Iterable<string> | AsyncIterable<Uint8Array>): Promise<void> {
	try {
		await writeFile(handle, bytes);
		await handle.sync();
	} finally {
		await handle.close();
	}
}

/** Puts the folder's names on the disk. Some file systems refuse to sync a folder; the file itself is safe then. */
export async function syncFolder(folder: string): Promise<void> {
	await settled(async () => {
		const handle = await open(folder, 'r');
		try {
			await handle.sync();
		} finally {
			await handle.close();
		}
	});
}

/** Removes those of the files that are there. */
export async function removeAll(files: readonly string[]): Promise<void> {
	for (const file of files) {
		await settled(async () => unlink(file));
	}
}

/** Does what may fail without harm. */
export async function settled(action: () => Promise<void>): Promise<void> {
	try {
		await action();
	} catch {}
}

/** Writes a file of the user's own whole or not at all, in place of the one there is, with its mode. Throws UserError. */
export async function replaceWhole(file: string, bytes: string): Promise<void> {
	let temporary: string | undefined;
	try {
		const before = await present(file);
		const place = before?.path ?? file;
		const folder = await nearestFolder(path.dirname(place));
		if ([before?.uid, folder.uid].some(uid => uid !== undefined && uid !== process.geteuid?.())) {
			throw new UserError(`${place} belongs to another user`, {hint: 'it was left as it is'});
		}

		await mkdir(path.dirname(place), {recursive: true, mode: 0o700});

		const {file: made, handle} = await createPartial(path.dirname(place));
		temporary = made;
		await fill(handle, bytes);
		if (before) {
			await chmod(made, before.mode);
		}

		await rename(made, place);
		await syncFolder(path.dirname(place));
	} catch (error) {
		throw error instanceof UserError ? error : writeErrorOf(error, file);
	} finally {
		await removeAll(temporary === undefined ? [] : [temporary]);
	}
}

async function present(file: string): Promise<{readonly path: string; readonly uid: number; readonly mode: number} | undefined> {
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

/** The folder, or the nearest one above it that is there. */
export async function nearestFolder(folder: string): Promise<{readonly path: string; readonly uid: number}> {
	return await present(folder) ?? nearestFolder(path.dirname(folder));
}

/** Longest path in a message: PATH_MAX of Linux. */
const maxPathLength = 4096;

/** The code of a system's error, such as ENOSPC; empty for any other. */
export function codeOf(error: unknown): string {
	return (error as NodeJS.ErrnoException).code ?? '';
}

/** A file that could not be written: `message` names it, `reason` alone does not. */
export class WriteError extends UserError {
	readonly reason: string;

	constructor(name: string, reason: string, hint: string) {
		super(`cannot write ${name}: ${reason}`, {hint});
		this.reason = reason;
	}
}

/** What is wrong with a file that could not be written and what to do, for the user. */
export function writeErrorOf(error: unknown, file: string): WriteError {
	const name = printable(file, maxPathLength);
	const folder = printable(path.dirname(file), maxPathLength);
	const [reason, hint] = explanations[codeOf(error)]?.(folder) ?? [printable((error as Error).message), 'choose another folder (--snapshot-dir, --output)'];
	return new WriteError(name, reason, hint);
}

const elsewhere = 'choose a folder that you may write to (--snapshot-dir, --output)';
const explanations: Readonly<Record<string, ((folder: string) => readonly [reason: string, hint: string]) | undefined>> = {
	ENOSPC: () => ['the disk is full', 'free some space, or choose a folder on another disk (--snapshot-dir, --output)'],
	EDQUOT: () => ['your disk quota is used up', 'free some space, or choose a folder on another disk (--snapshot-dir, --output)'],
	EFBIG: () => ['it would exceed the file size limit (ulimit -f)', 'raise the limit, or choose another format'],
	EACCES: folder => [`no permission to write in ${folder}`, elsewhere],
	EPERM: folder => [`no permission to write in ${folder}`, elsewhere],
	EROFS: folder => [`${folder} is on a read-only file system`, elsewhere],
	ENOENT: folder => existsSync(folder)
		? [`files cannot be created in ${folder}`, elsewhere]
		: [`there is no folder ${folder}`, 'create it, or choose another (--snapshot-dir, --output)'],
	ENOTDIR: folder => [`${folder} is not a folder`, 'choose another folder (--snapshot-dir, --output)'],
	ENAMETOOLONG: () => ['the name is too long', 'choose a shorter one'],
	EEXIST: () => ['it already exists', 'tprof-top never overwrites; choose another name, or remove the file first'],
	EISDIR: () => ['that is a folder', 'give a file name'],
	EMFILE: () => ['too many open files', 'raise the limit (ulimit -n)'],
	EIO: () => ['the disk reported an error', 'choose a folder on another disk (--snapshot-dir, --output)'],
};
