import {mkdir, readdir, stat, unlink} from 'node:fs/promises';
import {homedir} from 'node:os';
import path from 'node:path';
import process from 'node:process';
import {nearestFolder} from '../exports/files/files.js';
import type {Snapshot} from '../model/snapshot.js';
import {UserError} from '../runtime/errors.js';
import {byText} from '../query/columns/sort.js';
import {addToRing, usualBounds, type Ring} from '../query/past/ring.js';
import {recordRing} from './save.js';

/** File names of kept sessions: the pid, and the time to a millisecond. */
const keptName = /^tprof-\d+-(\d{8}T\d{9}Z)(?:-\d+)?\.(?:tprof|pb\.gz)$/;

/** Returns the folder of sessions kept when the screen closes, by the XDG base directory specification. */
export function keptFolder({XDG_STATE_HOME = '', HOME = ''}: NodeJS.ProcessEnv = process.env): string {
	return path.join(path.isAbsolute(XDG_STATE_HOME) ? XDG_STATE_HOME : path.join(path.isAbsolute(HOME) ? HOME : homedir(), '.local', 'state'), 'tprof-top');
}

/** Keeps a session for `open --last`; deletes all but the newest `count`. Returns its path; throws UserError. */
export async function keepSession(snapshot: Snapshot, past: Ring, count: number, now: number, folder = keptFolder()): Promise<string | undefined> {
	if (count === 0) {
		return undefined;
	}

	await ownFolder(folder);
	// The last second may not be a window of its own yet.
	const ring = addToRing(past, snapshot, {}, {...usualBounds, leastMs: 0});
	const {file} = await recordRing(ring, path.join(folder, `tprof-${snapshot.target.pid}-${new Date(now).toISOString().replaceAll(/[-:.]/g, '')}.tprof`));
	const all = await keptIn(folder);
	for (const old of all.slice(0, -count)) {
		await unlink(path.join(folder, old));
	}

	return file;
}

/** Returns the path of the session kept last. Throws UserError if there is none. */
export async function lastKept(folder = keptFolder()): Promise<string> {
	const all = await keptIn(folder);
	const last = all.at(-1);
	if (last === undefined) {
		throw new UserError('no session is kept yet', {hint: `the live view keeps the last ones in ${folder} when it is left (--keep-sessions)`});
	}

	return path.join(folder, last);
}

/** Returns the file names of kept sessions, the oldest first. */
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

/** Makes the folder. Throws if it or its parent belongs to another user: sudo may keep the user's HOME. */
async function ownFolder(folder: string): Promise<void> {
	const existing = await nearestFolder(folder);
	if (existing.uid !== process.geteuid?.()) {
		throw new UserError(`${existing.path} belongs to another user`);
	}

	await mkdir(folder, {recursive: true, mode: 0o700});
	const {uid, mode} = await stat(folder);
	if (uid !== process.geteuid?.() || (mode & 0o022) !== 0) {
		throw new UserError(`others may write to ${folder}`);
	}
}
