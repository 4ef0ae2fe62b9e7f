import {
	chmod, mkdir, realpath, rename, stat,
} from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import {UserError} from '../../process/errors.js';
import {codeOf, explained} from './file-errors.js';
import {
	createPartial, fill, removeAll, syncFolder,
} from './partial-file.js';

/**
Writes a file of the user's own whole or not at all, in place of the one there is, if any: with its mode, at the end of
symbolic links, and not where it or its folder belongs to another user. Folders above it are made. Throws UserError.
*/
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
		throw error instanceof UserError ? error : explained(error, file);
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
async function nearestFolder(folder: string): Promise<{readonly uid: number}> {
	return await present(folder) ?? nearestFolder(path.dirname(folder));
}
