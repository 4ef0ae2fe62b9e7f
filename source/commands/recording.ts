import {createReadStream} from 'node:fs';
import {open, stat} from 'node:fs/promises';
import {UserError} from '../runtime/errors.js';
import type {Snapshot} from '../model/snapshot.js';
import type {SnapshotSource} from '../model/source.js';
import {printable} from '../model/text.js';
import {codeOf} from '../exports/files/files.js';
import {firstLine, isRecording} from '../exports/recording/members.js';
import type {Recording} from '../exports/recording/reader.js';

const hint = 'tprof-top open reads the .pb.gz files that the s key saves, and recordings';

/** Why a file cannot be read, by the error's code. */
const readProblems: Readonly<Record<string, string | undefined>> = {
	ENOENT: 'no such file', EACCES: 'permission denied', EISDIR: 'it is a folder', ENOTDIR: 'part of its path is not a folder',
};

/** Reads a saved snapshot from a file or a pipe, or opens a recording; devices are refused. Throws UserError. */
export async function openSaved(file: string): Promise<{readonly snapshot: Snapshot; readonly recording?: Recording}> {
	const {maxProfileBytes, readPprof} = await import('../exports/pprof/read.js');
	const name = printable(file);
	try {
		if (await beginsAsRecording(file)) {
			const {openRecording} = await import('../exports/recording/reader.js');
			const recording = openRecording(file);
			return {snapshot: recording.last.snapshot, recording};
		}

		return {snapshot: readPprof(await bytesOf(file, maxProfileBytes), name)};
	} catch (error) {
		throw error instanceof UserError ? error : new UserError(`cannot read ${name}: ${readProblems[codeOf(error)] ?? printable((error as Error).message)}`, {hint});
	}
}

/** Whether it is a recording: only of a file, as what is read of a pipe is gone. */
async function beginsAsRecording(file: string): Promise<boolean> {
	const found = await stat(file);
	if (!found.isFile()) {
		return false;
	}

	const handle = await open(file);
	try {
		const {buffer} = await handle.read(Buffer.alloc(firstLine.length), 0, firstLine.length, 0);
		return isRecording(buffer);
	} finally {
		await handle.close();
	}
}

/** Returns all bytes of a file or a pipe. Throws UserError if there are more than `maxBytes`. */
async function bytesOf(file: string, maxBytes: number): Promise<Uint8Array> {
	const found = await stat(file);
	if (!found.isFile() && !found.isFIFO()) {
		throw new UserError(`cannot open ${printable(file)}: it is ${found.isDirectory() ? 'a folder' : 'a device or a socket'}, not a file`, {hint});
	}

	const chunks: Uint8Array[] = [];
	let length = 0;
	if (found.size <= maxBytes) {
		for await (const chunk of createReadStream(file, {end: maxBytes, highWaterMark: 2 ** 20}) as AsyncIterable<Uint8Array>) {
			chunks.push(chunk);
			length += chunk.length;
		}
	}

	if (found.size > maxBytes || length > maxBytes) {
		throw new UserError(`cannot open ${printable(file)}: it is larger than ${maxBytes / 1024 / 1024} MB`, {hint});
	}

	return Buffer.concat(chunks);
}

/** Returns an opened file as a source that never changes. */
export function savedSource({snapshot, recording}: {readonly snapshot: Snapshot; readonly recording?: Pick<Recording, 'last' | 'problem'>}): SnapshotSource {
	const {note, ...said} = recording?.last.said ?? {};
	const notes = [recording?.problem, note].filter(text => text !== undefined);
	return {
		status: () => ({
			phase: 'recording', stale: false, ...said, ...(notes.length > 0 ? {note: notes.join('; ')} : {}),
		}),
		read: () => snapshot,
		setPaused() {
			// There is nothing to pause.
		},
		async close() {
			// There is nothing to release.
		},
		onChange: () => () => {
			// It never changes.
		},
	};
}
