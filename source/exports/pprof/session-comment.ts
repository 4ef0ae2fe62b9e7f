import type * as crypto from 'node:crypto';
import {createRequire} from 'node:module';
import type {FunctionInput, LocationInput, SampleInput} from 'pprof-format';
import {namesOf, type MixedColumns} from '../../model/column-types.js';
import {rootNode} from '../../model/frame.js';
import {contentionColumns, threadColumns, type ContentionColumns, type SavedThreadColumn, type ThreadColumns} from '../../model/schema.js';
import type {SessionStats, Snapshot, TargetInfo} from '../../model/snapshot.js';
import {parseSavedTasks, writeTaskReport} from '../../model/task-report-bytes.js';
import {parseReport, writeReport} from '../../model/trace-report-bytes.js';
import {cellOf, sane, type Cell, type CellContext} from './saved-cells.js';

/** How the comment begins: pprof tools print no comment that starts with `#`. */
export const sessionCommentPrefix = '#tprof-top-session ';

/** The comment's own version; a reader refuses a higher one. */
export const sessionSchema = 1;

/**
What the profile's tables cannot say: lines below 1 other than "unknown", class names that hold no dot split, locations
that stand for "no Java frames".
*/
export type Peculiarities = {
	/** Location id, line. */
	readonly lines: ReadonlyArray<readonly [number, number]>;
	/** Function id, length of the class name in the function's name. */
	readonly classLengths: ReadonlyArray<readonly [number, number]>;
	/** Location ids. */
	readonly noFrames: readonly number[];
};

/** Columns of a thread and of a contention record in a file, in the order of a row. */
export const savedThreadColumns = namesOf(threadColumns).filter((name): name is SavedThreadColumn => threadColumns[name].saved !== 'never');
export const savedContentionColumns = namesOf(contentionColumns);

/** A row as it was read, by column: a string as it is, codes, and references as in the file (see saved-cells). */
type SavedRow<C extends MixedColumns, Name extends keyof C> = {readonly [Key in Name]: C[Key]['unit'] extends 'string' | 'text' ? string : number};
export type SavedThread = SavedRow<ThreadColumns, SavedThreadColumn>;
export type SavedContention = SavedRow<ContentionColumns, keyof ContentionColumns>;

export type SavedSession = Peculiarities & {
	/** Of the profile that the comment was written with, see `profileDigest`. */
	readonly digest: string;
	readonly target: TargetInfo;
	readonly session: SessionStats;
	readonly threads: readonly SavedThread[];
	readonly contention: readonly SavedContention[];
	/** Stacks that no sample has, as location ids, innermost first. */
	readonly stacks: readonly number[][];
};

/** How the writer numbers samples, stacks and locations. */
export type FrameIndex = {
	readonly samples: number;
	readonly sampleOfNode: ReadonlyMap<number, number>;
	location(frame: number): number;
	stack(node: number): number[];
};

/** A session as it goes into a file: rows as cells in the order of the columns. */
type SessionCells = Omit<SavedSession, 'threads' | 'contention'> & {readonly threads: ReadonlyArray<readonly Cell[]>; readonly contention: ReadonlyArray<readonly Cell[]>};

/** The comment's data but for its digest, for a profile that is being written. */
export function savedSessionOf(snapshot: Snapshot, index: FrameIndex): Omit<SessionCells, keyof Peculiarities | 'digest'> {
	const {target, session, threads, contention, dictionary: {strings}} = snapshot;
	const stacks: number[][] = [];
	const extra = new Map<number, number>();
	const stackOf = (node: number): number => {
		if (node === rootNode) {
			return -1;
		}

		const known = index.sampleOfNode.get(node) ?? extra.get(node);
		if (known !== undefined) {
			return known;
		}

		const added = index.samples + stacks.push(index.stack(node)) - 1;
		extra.set(node, added);
		return added;
	};

	const context: CellContext = {strings, stackOf, locationOf: frame => index.location(frame)};
	return {
		target,
		session: saneStats(session),
		threads: rows(threads.count, i => savedThreadColumns.map(name => name === 'name' ? threads.name[i] : cellOf(threadColumns[name].unit, threads[name][i], context))),
		contention: rows(contention.count, i => savedContentionColumns.map(name => cellOf(contentionColumns[name].unit, contention[name][i], context))),
		stacks,
	};
}

/** The comment as one line. */
export function encodeSession({digest, target, session, lines, classLengths, noFrames, stacks, threads, contention}: SessionCells): string {
	return sessionCommentPrefix + JSON.stringify({
		schema: sessionSchema, digest, target, session, lines, classLengths, noFrames, stacks, threads, contention,
	});
}

function rows<Row>(count: number, row: (index: number) => Row): Row[] {
	return Array.from({length: count}, (_, index) => row(index));
}

/** Figures that a reader accepts: what could not be measured (NaN) must not make a file that cannot be opened again. */
function saneStats(session: SessionStats): SessionStats {
	return Object.fromEntries(Object.entries(session).map(([name, value]) => [name, typeof value === 'number' ? sane(value) : value])) as SessionStats;
}

/** The parts of a profile that the session comment refers to by number. */
type Numbered = {
	readonly sample: Iterable<SampleInput>;
	readonly location: Iterable<LocationInput>;
	readonly function: Iterable<FunctionInput>;
};

/**
Digest (SHA-256, hex) of the numbering of samples, locations and functions. Tools that merge, filter or rewrite profiles
keep comments but number anew: a comment whose digest differs is not about these numbers.
*/
export function profileDigest(profile: Numbered): string {
	const {createHash} = createRequire(import.meta.url)('node:crypto') as typeof crypto;
	const hash = createHash('sha256');
	for (const {id} of profile.function) {
		hash.update(`f${id} `);
	}

	for (const {id, line = []} of profile.location) {
		hash.update(`l${id}:${line.map(item => `${item.functionId ?? 0}:${item.line ?? 0}`).join(',')} `);
	}

	for (const {locationId = [], value = []} of profile.sample) {
		hash.update(`s${locationId.join(',')}:${value.join(',')} `);
	}

	return hash.digest('hex');
}

/** Keys of the labels of a sample, see docs/formats.md. */
export const labelKey = Object.freeze({
	thread: 'thread', tid: 'tid', javaId: 'java_thread_id', state: 'state',
});

/**
Functions that stand for "no Java frames", so that tools show the CPU time of such threads: of the JVM itself, of its
compilers, others.
*/
export const placeholders = Object.freeze({vm: '[JVM]', jit: '[JIT compiler]', other: '[no Java frames]'});

/**
Length of the class name in `class.method`: up to the last dot, as no method's name has a dot (JVM specification,
4.2.2); 0 without a class.
*/
export function classLengthOf(functionName: string): number {
	return Math.max(functionName.lastIndexOf('.'), 0);
}

/** The greatest id of a thread. */
export const maxNativeId = 2_147_483_647;

/** The greatest sum of ticks that is exact. */
export const maxTicks = Number.MAX_SAFE_INTEGER;

/** How the comments with an agent's reports begin in a pprof file: tools print none that starts with `#`. */
const prefixes = {traces: '#tprof-top-traces ', tasks: '#tprof-top-tasks '} as const;
type Reports = Pick<Snapshot, keyof typeof prefixes>;

/** More than the agent reports, in base64. */
const mostCharacters = 2 ** 24;

/** What an agent reported, a line each; without those that are too long to be read again. */
export function encodeReports({traces, tasks}: Reports): string[] {
	return [
		...(traces ? [prefixes.traces + base64(writeReport(traces))] : []),
		...(tasks ? [prefixes.tasks + base64(writeTaskReport(tasks))] : []),
	].filter(({length}) => length <= mostCharacters);
}

/** What `encodeReports` wrote; `find` gives the comment that begins so. Throws RangeError for anything else. */
export function decodeReports(find: (prefix: string) => string | undefined): Reports {
	const [traces, tasks] = [find(prefixes.traces), find(prefixes.tasks)];
	return {
		...(traces === undefined ? {} : {traces: parseReport(bytesOf(traces, prefixes.traces))}),
		...(tasks === undefined ? {} : {tasks: parseSavedTasks(bytesOf(tasks, prefixes.tasks))}),
	};
}

function base64(bytes: Uint8Array): string {
	return Buffer.from(bytes).toString('base64');
}

function bytesOf(text: string, {length}: string): Uint8Array {
	if (text.length > mostCharacters) {
		throw new RangeError('a report that is too long');
	}

	return Buffer.from(text.slice(length), 'base64');
}
