import {createReadStream} from 'node:fs';
import {readFile, stat} from 'node:fs/promises';
import {UserError} from '../runtime/errors.js';
import type {Snapshot} from '../model/snapshot.js';
import type {SnapshotSource} from '../model/source.js';
import {printable} from '../model/text.js';
import {codeOf} from '../exports/files/files.js';
import {isRecording} from '../exports/recording/members.js';
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
		const bytes = await bytesOf(file, maxProfileBytes);
		if (!isRecording(bytes)) {
			return {snapshot: readPprof(bytes, name)};
		}

		const {openRecording} = await import('../exports/recording/reader.js');
		const recording = openRecording(bytes, name);
		return {snapshot: recording.last.snapshot, recording};
	} catch (error) {
		throw error instanceof UserError ? error : new UserError(`cannot read ${name}: ${readProblems[codeOf(error)] ?? printable((error as Error).message)}`, {hint});
	}
}

/** Most bytes of a recording: more than --max-size may be, with what is written before the older half is merged. */
const maxRecordingBytes = 1280 * 1024 * 1024;

/** Returns all bytes of a file or a pipe. Throws UserError if there are more than `maxBytes`, or a recording may have. */
async function bytesOf(file: string, maxBytes: number): Promise<Buffer> {
	const found = await stat(file);
	if (!found.isFile() && !found.isFIFO()) {
		throw new UserError(`cannot open ${printable(file)}: it is ${found.isDirectory() ? 'a folder' : 'a device or a socket'}, not a file`, {hint});
	}

	const chunks: Uint8Array[] = [];
	let [length, limit] = [0, 0];
	for await (const chunk of createReadStream(file, {highWaterMark: 2 ** 20}) as AsyncIterable<Uint8Array>) {
		limit ||= isRecording(chunk) ? maxRecordingBytes : maxBytes;
		chunks.push(chunk);
		length += chunk.length;
		if (Math.max(length, found.size) > limit) {
			throw new UserError(`cannot open ${printable(file)}: it is larger than ${limit / 1024 / 1024} MB`, {hint});
		}

		// Without a copy of what may be large.
		if (found.isFile()) {
			return readFile(file);
		}
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
