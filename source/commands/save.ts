import {mkdir, readdir, stat, unlink} from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import {printable, safe, type Printable} from '../util/printable.js';
import {xdgFolder} from '../config/configure.js';
import {
	freeStem, ignoringErrors, nearestFolder, removeAll, throwIfForeign, writeTogether, WriteError,
} from '../exports/files/write-files.js';
import {queryFor} from '../exports/common/export-format.js';
import {formatOf, usualFormat} from '../exports/formats/format-registry.js';
import type {Options} from '../options/parse.js';
import {UserError} from '../runtime/errors.js';
import {version} from '../util/version.js';
import type {Save, SaveRequest} from '../ui/screens/session-effects.js';
import type {Snapshot} from '../model/snapshot.js';
import {text} from '../exports/formats/text.js';
import {Recorder} from '../exports/recording/recorder.js';
import {byText} from '../query/columns/sort.js';
import {addToRing, usualBounds, type Ring} from '../query/past/past-ring.js';
import type {Query} from '../query/types/query.js';

type SaveOptions = Pick<Options, 'depth' | 'snapshotDir'> & Partial<Pick<Options, 'withThreads' | 'withStates'>>;

/** Returns a function that saves a window in the chosen format, by default pprof and, unless a name is given, text. */
export function saver(options: SaveOptions): Save {
	return async (...request) => {
		try {
			return await save(options, ...request);
		} catch (error) {
			// The screen has one line for it: the reason comes first, without the file's name, which the user knows.
			throw error instanceof WriteError ? new UserError(`${error.reason}; ${error.hint}`) : error;
		}
	};
}

async function save(
	options: SaveOptions,
	snapshot: Snapshot,
	baseline: Snapshot | undefined,
	query: Query,
	{name, format, ring}: SaveRequest,
): Promise<Printable> {
	const {depth, snapshotDir = '.', withThreads, withStates} = options;
	if (format === recordingItem.id) {
		const recorder = await recordRing(
			ring!,
			name === undefined ? recordingName(snapshot.target.pid, snapshotDir) : path.resolve(snapshotDir, name),
		);
		return safe`saved ${recorder.name} (${recorder.windows} windows)`;
	}

	const chosen = format === undefined
		? [usualFormat('save'), ...(name === undefined ? [text] : [])]
		: [formatOf(format)];
	const stem = freeStem(
		path.join(snapshotDir, snapshotStem(snapshot.target.pid)),
		chosen.map(({extension}) => extension),
	);
	const files = chosen.map(one => ({
		file: name === undefined ? stem + one.extension : path.resolve(snapshotDir, name),
		bytes: one.write(snapshot, baseline, {query: queryFor(one, query), version, depth, withThreads, withStates}),
	}));
	await writeTogether(files);
	const [{file}, ...others] = files;
	const saved = others.length === 0 ? path.relative('', file) : `${path.basename(file)} and ${text.extension}`;
	return safe`saved ${printable(saved, 4096)} (${snapshot.session.samples - (baseline?.session.samples ?? 0)} samples)`;
}

/** An item of the save dialogue beside the formats. */
export const recordingItem = {id: 'recording', title: 'Recording: all of the past that is kept'};

/** Writes all windows of a ring to a file of their own, or none. Throws UserError. */
async function recordRing(ring: Ring, file: string): Promise<Recorder> {
	const recorder = await Recorder.create(file);
	await recorder.follow(ring, 0);
	await recorder.finish();
	if (recorder.problem !== undefined || recorder.windows === 0) {
		// Without windows there is no file, or it is another program's.
		if (recorder.windows > 0) {
			await removeAll([file]);
		}

		throw new UserError(recorder.problem ?? 'there is no past yet to save');
	}

	return recorder;
}

/** Returns a file name without extension, such as tprof-4711-20260914T140201Z. */
function snapshotStem(pid: number): string {
	return `tprof-${pid}-${utcStamp(Date.now())}`;
}

/** Returns a name for a new recording. */
export function recordingName(pid: number, folder = '.'): string {
	return `${freeStem(path.join(folder, snapshotStem(pid)), ['.tprof'])}.tprof`;
}

/** Returns a moment as it stands in file names, such as 20260914T140201Z. */
export function utcStamp(now: number): string {
	return new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '');
}

/** File names of kept sessions: the pid, and the time to a millisecond. */
const keptName = /^tprof-\d+-(\d{8}T\d{9}Z)(?:-\d+)?\.tprof$/;

/** Returns the folder of sessions kept when the screen closes. */
export const keptFolder = (environment?: NodeJS.ProcessEnv) => xdgFolder('XDG_STATE_HOME', '.local/state', environment);

/** Keeps a session for `open --last`; deletes all but the newest `count`. Returns its path; throws UserError. */
export async function keepSession(
	snapshot: Snapshot,
	past: Ring,
	count: number,
	now: number,
	folder = keptFolder(),
): Promise<string | undefined> {
	if (count === 0) {
		return undefined;
	}

	await makeFolder(folder);
	// The last second may not be a window of its own yet.
	const ring = addToRing(past, snapshot, {}, {...usualBounds, leastMs: 0});
	const {file} = await recordRing(
		ring,
		path.join(folder, `tprof-${snapshot.target.pid}-${new Date(now).toISOString().replaceAll(/[-:.]/g, '')}.tprof`),
	);
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
		throw new UserError('no session is kept yet', {
			hint: `the live view keeps the last ones in ${folder} when it is left (--keep-sessions)`,
		});
	}

	return path.join(folder, last);
}

/** Returns the file names of kept sessions, the oldest first. */
async function keptIn(folder: string): Promise<string[]> {
	let names: string[] = [];
	await ignoringErrors(async () => {
		names = await readdir(folder);
	});
	const timeOf = (name: string) => keptName.exec(name)?.[1] ?? '';
	return names.filter(name => keptName.test(name)).sort((a, b) => byText(timeOf(a), timeOf(b)));
}

/**
Makes the folder. Throws UserError if others may write to it, or if it or a folder on the way belongs to another user
(sudo may keep the user's HOME) or is a symbolic link. Of a missing folder, the nearest existing ancestor must be ours.
*/
async function makeFolder(folder: string): Promise<void> {
	await throwIfForeign(folder, 'refuse');
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
