import {randomBytes} from 'node:crypto';
import {constants, type FileHandle, link, open, unlink} from 'node:fs/promises';
import path from 'node:path';
import {UserError} from '../errors.js';
import {printable} from '../model/text.js';

/** Names with -2, -3, ... tried before giving up: two saves within a second are common, a hundred are a loop. */
const maxSuffix = 100;

/** Longest path in a message: PATH_MAX of Linux. */
const maxPathLength = 4096;

/** Bytes of one file of a set that belongs together. */
export type FilePart = {readonly extension: string; readonly bytes: string | Uint8Array};

/**
Writes a file whole or not at all, with mode 0600, and never in place of another: gives back the path.
A name that is taken is an error, or with `taken: 'suffix'` gets -2, -3 and so on before its extension.
On return the bytes are on the disk (fsync of the file and its folder). Throws UserError that says what to do; nothing is left behind then.
*/
export async function writeWhole(file: string, bytes: string | Uint8Array, options: {readonly taken?: 'refuse' | 'suffix'} = {}): Promise<string> {
	const extension = extensionOf(file);
	const [written] = await writeTogether(file.slice(0, file.length - extension.length), [{extension, bytes}], options);
	return written;
}

/**
As `writeWhole`, for files that differ in their extension alone: all of them are there afterwards, with one stem, or none. Gives back their paths in order.
*/
export async function writeTogether(stem: string, parts: readonly FilePart[], {taken = 'refuse'}: {readonly taken?: 'refuse' | 'suffix'} = {}): Promise<string[]> {
	const folder = path.dirname(stem + parts[0].extension);
	const temporaries: string[] = [];
	try {
		for (const {bytes} of parts) {
			const temporary = path.join(folder, `.tprof-${process.pid}-${randomBytes(8).toString('hex')}.partial`);
			const handle = await open(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
			temporaries.push(temporary);
			await fill(handle, bytes);
		}

		for (let suffix = 1; suffix <= (taken === 'suffix' ? maxSuffix : 1); suffix++) {
			const names = parts.map(({extension}) => stem + (suffix === 1 ? '' : `-${suffix}`) + extension);
			if (await publish(temporaries, parts, names)) {
				await syncFolder(folder);
				return names;
			}
		}

		throw Object.assign(new Error('taken'), {code: 'EEXIST'});
	} catch (error) {
		throw explained(error, stem + parts[0].extension);
	} finally {
		await removeAll(temporaries);
	}
}

/** Gives the complete files their names; false, and none of them there, when a name is taken. */
async function publish(temporaries: readonly string[], parts: readonly FilePart[], names: readonly string[]): Promise<boolean> {
	const published: string[] = [];
	try {
		for (const [index, name] of names.entries()) {
			await giveName(temporaries[index], name, parts[index].bytes);
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

/** link(2) never replaces, unlike rename(2). FAT and some network file systems have no links: there the file is created under its name, which is as exclusive but not whole after a power cut. */
async function giveName(temporary: string, name: string, bytes: string | Uint8Array): Promise<void> {
	try {
		await link(temporary, name);
	} catch (error) {
		if (!linklessCodes.has(codeOf(error))) {
			throw error;
		}

		const handle = await open(name, 'wx', 0o600);
		try {
			await fill(handle, bytes);
		} catch (error_) {
			await removeAll([name]);
			throw error_;
		}
	}
}

const linklessCodes = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

async function fill(handle: FileHandle, bytes: string | Uint8Array): Promise<void> {
	try {
		// The umask can only take rights away from 0600: no chmod is needed.
		await handle.writeFile(bytes);
		await handle.sync();
	} finally {
		await handle.close();
	}
}

/** Some file systems refuse to sync a folder; the file itself is safe then. */
async function syncFolder(folder: string): Promise<void> {
	await settled(async () => {
		const handle = await open(folder, 'r');
		try {
			await handle.sync();
		} finally {
			await handle.close();
		}
	});
}

async function removeAll(files: readonly string[]): Promise<void> {
	for (const file of files) {
		await settled(async () => unlink(file));
	}
}

/** Does what may fail without harm. */
async function settled(action: () => Promise<void>): Promise<void> {
	try {
		await action();
	} catch {}
}

/** `.pb.gz` as one; otherwise what Node calls the extension. */
function extensionOf(file: string): string {
	return file.endsWith('.pb.gz') && path.basename(file) !== '.pb.gz' ? '.pb.gz' : path.extname(file);
}

function codeOf(error: unknown): string {
	return (error as NodeJS.ErrnoException).code ?? '';
}

function explained(error: unknown, file: string): UserError {
	const name = printable(file, maxPathLength);
	const folder = printable(path.dirname(file), maxPathLength);
	const [reason, hint] = explanations[codeOf(error)]?.(folder) ?? [printable((error as Error).message), 'choose another folder (--snapshot-dir, --output)'];
	return new UserError(`cannot write ${name}: ${reason}`, {hint});
}

const elsewhere = 'choose a folder that you may write to (--snapshot-dir, --output)';
const explanations: Readonly<Record<string, ((folder: string) => readonly [reason: string, hint: string]) | undefined>> = {
	ENOSPC: () => ['the disk is full', 'free some space, or choose a folder on another disk (--snapshot-dir, --output)'],
	EDQUOT: () => ['your disk quota is used up', 'free some space, or choose a folder on another disk (--snapshot-dir, --output)'],
	EFBIG: () => ['it is larger than the file size limit (ulimit -f)', 'raise the limit, or choose another format'],
	EACCES: folder => [`no right to write in ${folder}`, elsewhere],
	EPERM: folder => [`no right to write in ${folder}`, elsewhere],
	EROFS: folder => [`${folder} is on a read-only file system`, elsewhere],
	ENOENT: folder => [`there is no folder ${folder}`, 'create it, or choose another (--snapshot-dir, --output)'],
	ENOTDIR: folder => [`${folder} is no folder`, 'choose another folder (--snapshot-dir, --output)'],
	ENAMETOOLONG: () => ['the name is too long', 'choose a shorter one'],
	EEXIST: () => ['there is a file of this name', 'files are never replaced: choose another name, or remove that file first'],
	EISDIR: () => ['that is a folder', 'give a file\'s name'],
	EMFILE: () => ['too many open files', 'raise the limit (ulimit -n)'],
	EIO: () => ['the disk reports an error', 'choose a folder on another disk (--snapshot-dir, --output)'],
};
