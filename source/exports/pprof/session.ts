import type * as crypto from 'node:crypto';
import {createRequire} from 'node:module';
import {sumUpTo} from '../../model/sum.js';
import {
	fromNames, makeArrays, namesOf, newArray, units, type Arrays, type ColumnArray, type Columns,
} from '../../model/column-types.js';
import {aboutOf, taskReports, bounds, list, record, valueOrNone, targetOf, text, within, type Document, type Sizes} from '../../model/saved-values.js';
import {
	contentionColumns, counterColumns, frameColumns, nodeColumns, sessionFigures, threadNumbers,
} from '../../model/schema.js';
import type {SessionStats, Snapshot} from '../../model/snapshot.js';
import {printable} from '../../model/text.js';
import type {TaskReport} from '../../model/task-report.js';
import type {TraceReport} from '../../model/trace-report.js';
import {parseReport} from '../../model/report-bytes.js';
import {VarintWriter} from '../../model/varints.js';
import {
	checkStacks, depthsOf, ExcessError, maxContention, maxNodes, maxOwnFrames, maxSamples, maxThreads, tooMany,
} from './limits.js';

/** Start of the comment: pprof tools print none that starts with `#`. No name, and no text in JSON, has a line end. */
const prefix = '#tprof-top-session\n';

/** Readers refuse other versions. */
const sessionSchema = 1;

/** Field 6 of profile.proto, string_table: length-delimited. */
const stringTag = (6 << 3) + 2;

/**
Returns the profile with the whole snapshot as its last string: the digest of all bytes before it, and JSON. If a tool
rewrites the profile it keeps the string, but the digest no longer matches.
*/
export function withSession(profile: Uint8Array, snapshot: Snapshot): Uint8Array {
	const json = Buffer.from(JSON.stringify(documentOf(snapshot)));
	const length = new VarintWriter();
	length.number(prefix.length + digestLength + json.length);
	const before = Buffer.concat([profile, Uint8Array.of(stringTag), length.take()]);
	return Buffer.concat([before, Buffer.from(prefix + digestOf(before)), json]);
}

/**
Returns the snapshot that `withSession` wrote; undefined if there is none, or the profile was changed. Throws RangeError
or SyntaxError if it is malformed.
*/
export function sessionIn(profile: Uint8Array): Snapshot | undefined {
	const bytes = Buffer.from(profile.buffer, profile.byteOffset, profile.length);
	const at = bytes.lastIndexOf(prefix);
	const jsonAt = at + prefix.length + digestLength;
	return at !== -1 && bytes.toString('latin1', at + prefix.length, jsonAt) === digestOf(bytes.subarray(0, at)) ? snapshotOf(bytes.subarray(jsonAt)) : undefined;
}

/** SHA-256, hex. */
const digestLength = 64;

function digestOf(bytes: Uint8Array): string {
	const {createHash} = createRequire(import.meta.url)('node:crypto') as typeof crypto;
	return createHash('sha256').update(bytes).digest('hex');
}

/** Returns the saved form of a snapshot: an array for each column; ids index the saved dictionary. */
function documentOf({target, session, dictionary, threads, counters, contention, traces, tasks}: Snapshot) {
	const sizes: Sizes = {strings: dictionary.strings.length, frames: dictionary.frameCount, nodes: dictionary.nodeCount, threads: threads.count};
	const saved = (columns: Columns, arrays: Readonly<Record<string, unknown>>, count: number) => fromNames(namesOf(columns), name => {
		const {unit} = columns[name];
		return Array.from((arrays[name] as ColumnArray).subarray(0, count), value => valueOrNone(unit, value, sizes));
	});
	return {
		schema: sessionSchema,
		target,
		session: {...session, ...fromNames(namesOf(sessionFigures), name => valueOrNone(sessionFigures[name].unit, session[name], sizes))},
		strings: dictionary.strings,
		frames: saved(frameColumns, dictionary, sizes.frames),
		nodes: saved(nodeColumns, dictionary, sizes.nodes),
		threads: {...saved(threadNumbers, threads, threads.count), name: threads.name.slice(0, threads.count)},
		counters: saved(counterColumns, counters, counters.count),
		contention: saved(contentionColumns, contention, contention.count),
		...(traces && hasRoomFor(traces) ? {traces: reportsOf(traces)} : {}),
		...(tasks && hasRoomFor(tasks) ? {tasks: {...reportsOf(tasks), ...aboutOf(tasks)}} : {}),
	};
}

/** More than the agent reports. */
const maxReportBytes = 12 * 1024 * 1024;

function hasRoomFor({bytes, since}: TraceReport | TaskReport): boolean {
	return bytes.length + (since?.bytes.length ?? 0) <= maxReportBytes;
}

function reportsOf({bytes, since}: TraceReport | TaskReport) {
	return {report: base64(bytes), ...(since ? {since: base64(since.bytes)} : {})};
}

function base64(bytes: Uint8Array): string {
	return Buffer.from(bytes).toString('base64');
}

/** Maximum bytes of JSON, and of its estimated size in memory. */
const maxJsonBytes = 32 * 1024 * 1024;
const maxParsedBytes = 96 * 1024 * 1024;

/** Estimated memory by character of JSON (V8, 64 bit): of an array or object, an item, a field, a string's quotes. */
const parsedBytes = new Uint8Array(256);
for (const [character, bytes] of Object.entries({'[': 64, '{': 64, ',': 8, ':': 64, '"': 16})) {
	parsedBytes[character.codePointAt(0)!] = bytes;
}

function snapshotOf(json: Buffer): Snapshot {
	if (json.length > maxJsonBytes || sumUpTo(json.length, at => parsedBytes[json[at]]) > maxParsedBytes) {
		throw new ExcessError('more session data than a session can have');
	}

	const root = record(JSON.parse(json.toString()));
	if (root.schema !== sessionSchema) {
		throw new RangeError(`its session data has schema ${printable(String(root.schema), 20)}; this version reads ${sessionSchema}`);
	}

	const [frames, nodes, threads] = [record(root.frames), record(root.nodes), record(root.threads)];
	const strings = list(root.strings).map(name => text(name));
	const sizes: Sizes = {strings: strings.length, frames: list(frames.frameClass).length, nodes: list(nodes.nodeParent).length, threads: list(threads.key).length};
	const counters = columnsOf(counterColumns, record(root.counters), sizes, [maxSamples, 'samples']);
	const contention = columnsOf(contentionColumns, record(root.contention), sizes, [maxContention, 'waits']);
	const snapshot: Snapshot = {
		target: targetOf(record(root.target)),
		session: statsOf(record(root.session)),
		dictionary: {
			strings, frameCount: sizes.frames, ...columnsOf(frameColumns, frames, sizes, [maxOwnFrames, 'frames']), nodeCount: sizes.nodes, ...columnsOf(nodeColumns, nodes, sizes, [maxNodes, 'distinct stacks']),
		},
		threads: {count: sizes.threads, ...columnsOf(threadNumbers, threads, sizes, [maxThreads, 'threads']), name: list(threads.name).map(name => text(name))},
		counters: {count: counters.ticks.length, ...counters},
		contention: {count: contention.ticks.length, ...contention},
		...(root.traces === undefined ? {} : {traces: readReports(record(root.traces), bytes => parseReport(bytes))}),
		...(root.tasks === undefined ? {} : {tasks: readReports(record(root.tasks), taskReports(record(root.tasks)))}),
	};
	if (snapshot.threads.name.length !== sizes.threads) {
		throw new RangeError('names are missing');
	}

	checkStacks(depthsOf(snapshot.dictionary), snapshot.counters);
	return snapshot;
}

/** Returns the columns after checking each value and the number of rows. */
function columnsOf<C extends Columns>(columns: C, from: Document, sizes: Sizes, [limit, plural]: readonly [number, string]): Readonly<Pick<Arrays<C>, keyof C & string>> {
	const names = namesOf(columns);
	const count = list(from[names[0]]).length;
	if (count > limit) {
		throw tooMany(limit, plural);
	}

	return makeArrays(columns, names, ({unit}, name) => {
		const array = newArray({unit}, count);
		if (from[name] === undefined && 'isAdded' in columns[name]) {
			return array.fill(units[unit].none);
		}

		const [values, [min, max]] = [list(from[name]), bounds[unit](sizes)];
		if (values.length !== count) {
			throw new RangeError('a column in the session data is too short or too long');
		}

		for (let index = 0; index < count; index++) {
			array[index] = within(values[index], min, max);
		}

		return array;
	});
}

const noSizes: Sizes = {
	strings: 0, frames: 0, nodes: 0, threads: 0,
};

function statsOf(from: Document): SessionStats {
	return {engine: text(from.engine), timer: text(from.timer), ...fromNames(namesOf(sessionFigures), name => 'isAdded' in sessionFigures[name] && from[name] === undefined ? 0 : within(from[name], ...bounds[sessionFigures[name].unit](noSizes)))};
}

/** Returns a report, with the one at the start of its window. */
function readReports<Report>({report, since}: Document, read: (bytes: Uint8Array) => Report): Report & {readonly since?: Report} {
	const reportOf = (value: unknown) => read(Buffer.from(typeof value === 'string' ? value : '', 'base64'));
	return {...reportOf(report), ...(since === undefined ? {} : {since: reportOf(since)})};
}
