import {mkdir, readdir, stat, unlink} from 'node:fs/promises';
import {homedir} from 'node:os';
import path from 'node:path';
import process from 'node:process';
import {nearestFolder, writeWhole} from '../exports/files/files.js';
import {pprof} from '../exports/pprof/write.js';
import type {Snapshot} from '../model/snapshot.js';
import {UserError} from '../runtime/errors.js';
import {version} from '../runtime/version.js';
import {byText} from '../query/columns/sort.js';
import {defaultQuery} from '../query/types/query.js';

/** The names that sessions are kept under: pid, and the time to a millisecond. */
const keptName = /^tprof-\d+-(\d{8}T\d{9}Z)(?:-\d+)?\.pb\.gz$/;

/** Where sessions are kept when the screen is left: as the XDG base directory specification has it. */
export function keptFolder({XDG_STATE_HOME = '', HOME = ''}: NodeJS.ProcessEnv = process.env): string {
	return path.join(path.isAbsolute(XDG_STATE_HOME) ? XDG_STATE_HOME : path.join(path.isAbsolute(HOME) ? HOME : homedir(), '.local', 'state'), 'tprof-top');
}

/** Keeps a session for `open --last`, and of all kept ones the newest `count`. Gives back its path; throws UserError. */
export async function keepSession(snapshot: Snapshot, count: number, now: number, folder = keptFolder()): Promise<string | undefined> {
	if (count === 0) {
		return undefined;
	}

	await ownFolder(folder);
	const file = await writeWhole(path.join(folder, `tprof-${snapshot.target.pid}-${new Date(now).toISOString().replaceAll(/[-:.]/g, '')}${pprof.extension}`), pprof.write(snapshot, undefined, {query: defaultQuery, version}), {taken: 'suffix'});
	const all = await keptIn(folder);
	for (const old of all.slice(0, -count)) {
		await unlink(path.join(folder, old));
	}

	return file;
}

/** The path of the session that was kept last. Throws UserError where there is none. */
export async function lastKept(folder = keptFolder()): Promise<string> {
	const all = await keptIn(folder);
	const last = all.at(-1);
	if (last === undefined) {
		throw new UserError('no session is kept yet', {hint: `the live view keeps the last ones in ${folder} when it is left (--keep-sessions)`});
	}

	return path.join(folder, last);
}

/** The names of kept sessions, the oldest first. */
async function keptIn(folder: string): Promise<string[]> {
	const names = await namesIn(folder);
	const timeOf = (name: string) => keptName.exec(name)?.[1] ?? '';
	return names.filter(name => keptName.test(name)).sort((a, b) => byText(timeOf(a), timeOf(b)));
}

async function namesIn(folder: string): Promise<string[]> {
	try {
		return await readdir(folder);
	} catch {
		return [];
	}
}

/** Makes the folder, unless it or the one above it belongs to somebody else, as with a home that sudo has left in place. */
async function ownFolder(folder: string): Promise<void> {
	const above = await nearestFolder(folder);
	if (above.uid !== process.geteuid?.()) {
		throw new UserError(`${above.path} belongs to another user`);
	}

	await mkdir(folder, {recursive: true, mode: 0o700});
	const {uid, mode} = await stat(folder);
	if (uid !== process.geteuid?.() || (mode & 0o022) !== 0) {
		throw new UserError(`others may write to ${folder}`);
	}
}
