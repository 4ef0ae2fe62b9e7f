import path from 'node:path';
import type {Written} from '../formats/export-format.js';
import {codeOf, explained} from './file-errors.js';
import {createPartial, fill, giveName, removeAll, syncFolder} from './partial-file.js';

/** Names with -2, -3, ... tried before giving up: two saves within a second are common, a hundred mean a loop. */
const maxSuffix = 100;

/** Bytes of one file of a set that belongs together. */
export type FilePart = {readonly extension: string; readonly bytes: Written};

/**
Writes a file whole or not at all, with mode 0600, and never in place of another: gives back the path. A name that is
taken is an error, or with `taken: 'suffix'` gets -2, -3 and so on before its extension. On return the bytes are on the
disk (fsync of the file and its folder). Throws UserError that says what to do; nothing is left behind then.
*/
export async function writeWhole(file: string, bytes: Written, options: {readonly taken?: 'refuse' | 'suffix'} = {}): Promise<string> {
	const extension = extensionOf(file);
	const [written] = await writeTogether(file.slice(0, file.length - extension.length), [{extension, bytes}], options);
	return written;
}

/**
As `writeWhole`, for files that differ in their extension alone: all of them are there afterwards, with one stem, or
none. Gives back their paths in order.
*/
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
		throw explained(error, stem + parts[0].extension);
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
