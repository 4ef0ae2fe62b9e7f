import {randomBytes} from 'node:crypto';
import {constants, createReadStream} from 'node:fs';
import {
	type FileHandle, link, open, unlink, writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import {codeOf} from './file-errors.js';

/** A new file of a temporary name in the folder, for its owner alone. */
export async function createPartial(folder: string): Promise<{readonly file: string; readonly handle: FileHandle}> {
	const file = path.join(folder, `.tprof-${process.pid}-${randomBytes(8).toString('hex')}.partial`);
	// The umask can only take rights away from 0600: no chmod is needed.
	const handle = await open(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
	return {file, handle};
}

/**
Gives a complete file its name, beside the temporary one. link(2) never replaces, unlike rename(2). FAT and some network
file systems have no links: there the file is created under its name, which is just as exclusive, but the file may not
be whole after a power cut.
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
export async function fill(handle: FileHandle, bytes: string | Uint8Array | Iterable<string> | AsyncIterable<Uint8Array>): Promise<void> {
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
