import {existsSync} from 'node:fs';
import path from 'node:path';
import {UserError} from '../../runtime/errors.js';
import {printable} from '../../model/text.js';

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
