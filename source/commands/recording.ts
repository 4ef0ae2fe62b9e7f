import {createReadStream} from 'node:fs';
import {readFile, stat} from 'node:fs/promises';
import {UserError, usage} from '../runtime/errors.js';
import type {Snapshot} from '../model/snapshot.js';
import type {SnapshotSource} from '../model/source.js';
import {joined, printable, safe, type Printable} from '../util/printable.js';
import {windowSnapshot} from '../exports/common/window-snapshot.js';
import {codeOf} from '../exports/files/write-files.js';
import {isRecording} from '../exports/recording/blocks.js';
import type {Recording} from '../exports/recording/recording-reader.js';
import {isBackend} from '../fleet/backend-address.js';
import {LookBack} from '../query/past/look-back.js';
import type {Ring} from '../query/past/past-ring.js';
import {intervalEnd, indexAt, usualSpanMs} from '../query/past/steps.js';
import {dayAndTime} from '../query/columns/format.js';

const hint = 'tprof-top open reads the .pb.gz files that the s key saves, and recordings';

const readProblems: Readonly<Record<string, string | undefined>> = {
	ENOENT: 'no such file',
	EACCES: 'permission denied',
	EISDIR: 'it is a folder',
	ENOTDIR: 'part of its path is not a folder',
};

/**
Reads a saved snapshot from a file or a pipe, opens a recording, or asks a Pyroscope by its address; devices are
refused.
`headers` names a file of headers, which go to no other backend than the one at the address `opened`, if given.
Throws UserError.
*/
export async function openSaved(
	file: string,
	headers?: string,
	opened?: string,
): Promise<{readonly snapshot: Snapshot; readonly recording?: Recording}> {
	if (isBackend(file)) {
		const [{backendQuery, fetchMergedSnapshot}, {headersFrom, warnIfReadable}] = [
			await import('../fleet/querier.js'),
			await import('../fleet/http-headers.js'),
		];
		const query = backendQuery(file);
		const sent = opened === undefined || backendQuery(opened).url.origin === query.url.origin
			? headersFrom(headers)()
			: {};
		if (opened === undefined) {
			warnIfReadable(sent, query.url);
		}

		return {snapshot: await fetchMergedSnapshot(query, {headers: sent, signal: new AbortController().signal})};
	}

	const {maxProfileBytes, readPprof} = await import('../exports/pprof/read.js');
	const name = printable(file);
	try {
		const bytes = await bytesOf(file, maxProfileBytes);
		if (!isRecording(bytes)) {
			return {snapshot: readPprof(bytes, name)};
		}

		const {openRecording} = await import('../exports/recording/recording-reader.js');
		const recording = openRecording(bytes, name);
		return {snapshot: recording.last.snapshot, recording};
	} catch (error) {
		throw error instanceof UserError
			? error
			: new UserError(
				`cannot read ${name}: ${readProblems[codeOf(error)] ?? printable((error as Error).message)}`,
				{hint},
			);
	}
}

/** The largest --max-size. */
const maxRecordingBytes = 1024 * 1024 * 1024;

/**
Returns all bytes of a file or a pipe. Throws UserError above `maxBytes` or, for a recording, `maxRecordingBytes`.
*/
async function bytesOf(file: string, maxBytes: number): Promise<Buffer> {
	const found = await stat(file);
	if (!found.isFile() && !found.isFIFO()) {
		throw new UserError(
			`cannot open ${printable(file)}: it is ${found.isDirectory() ? 'a folder' : 'a device or a socket'}, not a file`,
			{hint},
		);
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

		// Read a file whole: joining its chunks would need the memory twice.
		if (found.isFile()) {
			return readFile(file);
		}
	}

	return Buffer.concat(chunks);
}

/** Does something with an opened recording. Throws UserError if what it reads of it is malformed. */
export async function reading<T>(file: string, action: () => Promise<T>): Promise<T> {
	try {
		return await action();
	} catch (error) {
		const isMalformed = error instanceof RangeError || error instanceof SyntaxError;
		throw isMalformed
			? new UserError(`cannot show ${printable(file)}: it is not a valid recording (${printable(error.message)})`)
			: error;
	}
}

/** What was opened, and what to know about its figures. */
type Saved = {
	readonly snapshot: Snapshot;
	readonly recording?: Pick<Recording, 'last' | 'problem'>;
	readonly note?: Printable;
};

/** Returns an opened file as a source that never changes. */
export function savedSource({snapshot, recording, note: noteOnAll}: Saved): SnapshotSource {
	const {note, ...otherNotes} = recording?.last.sourceNotes ?? {};
	const notes = [recording?.problem, note, noteOnAll].filter(text => text !== undefined);
	return {
		status: () => ({
			phase: 'recording', stale: false, ...otherNotes, ...(notes.length > 0 ? {note: joined(notes, safe`; `)} : {}),
		}),
		read: () => snapshot,
		setPaused: () => undefined,
		close: async () => undefined,
		onChange: () => () => undefined,
	};
}

const timeForms = '"10m ago" (before the recording\'s end), 14:02:30, "2026-11-23 14:02"';
const unitMs: Readonly<Record<string, number>> = {s: 1000, m: 60_000, h: 3_600_000};
const dayMs = 24 * 3_600_000;

type Range = readonly [beginMs: number, endMs: number];

function rangeOf({windows, base}: Ring): Range {
	return [base?.atMs ?? windows[0].atMs - windows[0].sampledMs, windows.at(-1)!.atMs];
}

/** Returns the moment of a recording that an option's text names, epoch milliseconds. Throws UserError (2). */
export function momentOf(text: string, option: string, ring: Ring): number {
	const range = rangeOf(ring);
	const found = timeOf(text, option, range);
	checkWithin(found, option, range);
	return Math.max(range[0], Math.min(range[1], found));
}

/** Returns the moments of a span; it may begin before the recording, and end after it. Throws UserError (2). */
export function spanMoments(
	{from, to}: {readonly from?: string; readonly to?: string},
	ring: Ring,
): readonly [fromMs: number, toMs: number] {
	const range = rangeOf(ring);
	const [beginMs, endMs] = range;
	const fromMs = from === undefined ? -Infinity : timeOf(from, '--from', range);
	const nearestMs = to === undefined ? Infinity : timeOf(to, '--to', range, fromMs);
	// A span never ends before the recording: a time of day is then the first one after the recording's start.
	const toMs = to !== undefined && nearestMs < beginMs ? timeOf(to, '--to', range, beginMs) : nearestMs;
	checkWithin(Math.max(fromMs, beginMs), '--from', range);
	checkWithin(Math.min(toMs, endMs), '--to', range);
	if (toMs <= fromMs) {
		throw usage('the span ends before it begins', 'give the earlier moment first');
	}

	return [fromMs, toMs];
}

/** Throws UserError (2) for a moment that is more than a minute outside the recording, which may begin within 14:02. */
function checkWithin(ms: number, option: string, [beginMs, endMs]: Range): void {
	if (ms < beginMs - unitMs.m || ms > endMs + unitMs.m) {
		throw usage(
			`${option}: the recording has nothing of ${dayAndTime(ms)}`,
			`it is from ${dayAndTime(beginMs)} to ${dayAndTime(endMs)}`,
		);
	}
}

/** Returns the time that a text names: for a time of day, the first after `afterMs`, if given. Throws UserError (2). */
function timeOf(text: string, option: string, [beginMs, endMs]: Range, afterMs = -Infinity): number {
	const [, amount, unit] = /^(\d+(?:\.\d+)?)\s*([smh]) ago$/.exec(text.trim()) ?? [];
	const found = amount === undefined
		? timeOfDay(text, beginMs, endMs, afterMs)
		?? (/^\d{4}-\d\d-\d\d[ T]\d\d:\d\d/.test(text) ? Date.parse(text.replace(' ', 'T')) : Number.NaN)
		: endMs - (Number(amount) * unitMs[unit]);
	if (Number.isNaN(new Date(found).getTime())) {
		throw usage(`${option}: "${text}" is not a time`, timeForms);
	}

	return found;
}

/** Returns the first moment after `afterMs` at a time of day; without it the recording's last, or the nearest to it. */
function timeOfDay(text: string, beginMs: number, endMs: number, afterMs: number): number | undefined {
	const [, hours, minutes, seconds = '0'] = /^(\d{1,2}):(\d\d)(?::(\d\d))?$/.exec(text.trim()) ?? [];
	if (hours === undefined || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) {
		return undefined;
	}

	const ofDay = (ms: number) => new Date(ms).setHours(Number(hours), Number(minutes), Number(seconds), 0);
	if (afterMs > -Infinity) {
		return [ofDay(afterMs), ofDay(afterMs + dayMs)].find(ms => ms > afterMs);
	}

	const distance = (ms: number) => Math.max(0, beginMs - ms, ms - endMs);
	// The latest first: sorting keeps the order of those within the recording.
	const times = [ofDay(endMs), ofDay(endMs - dayMs), ofDay(beginMs)];
	return times.toSorted((a, b) => distance(a) - distance(b))[0];
}

/** Returns what was counted between two moments, which may be infinite. */
export function spanOf(ring: Ring, fromMs: number, toMs: number): Snapshot {
	const lookBack = new LookBack();
	const end = Math.max(0, nearestEnd(ring, toMs));
	const begin = Math.min(end - 1, nearestEnd(ring, fromMs));
	return windowSnapshot(lookBack.at(ring, end)!.snapshot, lookBack.at(ring, begin)?.snapshot);
}

/** Returns the index of the window whose end is nearest to a moment; -1: the recording's start is nearer. */
function nearestEnd(ring: Ring, ms: number): number {
	const before = indexAt(ring, ms);
	const next = ring.windows.at(before + 1);
	const beforeMs = before < 0 ? rangeOf(ring)[0] : ring.windows[before].atMs;
	return next && next.atMs - ms < ms - beforeMs ? before + 1 : before;
}

/** Returns what was counted in the clock's ten seconds around a moment. */
export function windowAt(ring: Ring, atMs: number): Snapshot {
	const {snapshot, since} = new LookBack().window(ring, intervalEnd(atMs, usualSpanMs), usualSpanMs)!;
	return windowSnapshot(snapshot, since);
}
