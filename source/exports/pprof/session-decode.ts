import {
	fromNames, namesOf, type MixedColumns, type Unit,
} from '../../model/column-types.js';
import {contentionColumns, sessionFigures, threadColumns} from '../../model/schema.js';
import type {SessionStats, TargetInfo} from '../../model/snapshot.js';
import {printable} from '../../model/text.js';
import {
	list, moment, pair, record, text, whole, checkedCell, missingCell, type Cell, type CellSizes,
} from './saved-cells.js';
import {
	ExcessError, maxContention, maxDepth, maxThreads,
} from './limits.js';
import {
	savedContentionColumns, savedThreadColumns, sessionCommentPrefix, sessionSchema, type SavedContention, type SavedSession, type SavedThread,
} from './session-comment.js';

/**
Longest comment that is parsed, in UTF-16 units: 65,536 threads with names of 60 characters and as many rows of
contention take two thirds of it.
*/
const maxCommentLength = 24 * 1024 * 1024;

/** Most that a comment may become in memory, about: the same takes two thirds of it. */
const maxParsedBytes = 96 * 1024 * 1024;

/**
What JSON costs in memory, bytes, about (V8, 64 bit): an array or object, an item, a field of an object, and each quote of a
string.
*/
const parsedBytes: Readonly<Partial<Record<string, number>>> = {
	'[': 64, '{': 64, ',': 8, ':': 64, '"': 16,
};

/**
The comment's data, every value checked against the sizes of the profile that it came with; undefined when it was
written with another profile. Throws RangeError or SyntaxError with what is wrong.
*/
export function decodeSession(comment: string, digest: string, sizes: {readonly samples: number; readonly locations: number; readonly functions: number}): SavedSession | undefined {
	if (comment.length > maxCommentLength) {
		throw new ExcessError('more session data than a session can have');
	}

	checkParsedSize(comment);
	const root = record(JSON.parse(comment.slice(sessionCommentPrefix.length)));
	if (root.schema !== sessionSchema) {
		throw new RangeError(`its session data has schema ${printable(String(root.schema), 20)}; this version reads ${sessionSchema}`);
	}

	if (root.digest !== digest) {
		return undefined;
	}

	const location = (value: unknown) => whole(value, 1, sizes.locations);
	const stacks = list(root.stacks, maxStacks).map(stack => list(stack, maxDepth).map(item => location(item)));
	const threadRows = list(root.threads, maxThreads);
	const cellSizes: CellSizes = {stacks: sizes.samples + stacks.length, locations: sizes.locations, threads: threadRows.length};
	const rowOf = (columns: MixedColumns, names: readonly string[], row: unknown) => {
		const cells = list(row, maxRowLength);
		return fromNames(names, (name, at) => checked(columns[name], cells[at], cellSizes));
	};

	return {
		digest,
		target: targetOf(record(root.target)),
		session: statsOf(record(root.session)),
		lines: list(root.lines, sizes.locations).map(item => pair(item, location, value => whole(value, -2, 0))),
		classLengths: list(root.classLengths, sizes.functions).map(item => pair(item, value => whole(value, 1, sizes.functions), value => whole(value, 0, maxInt))),
		noFrames: list(root.noFrames, sizes.locations).map(item => location(item)),
		stacks,
		threads: threadRows.map(row => rowOf(threadColumns, savedThreadColumns, row) as SavedThread),
		contention: list(root.contention, maxContention).map(row => rowOf(contentionColumns, savedContentionColumns, row) as SavedContention),
	};
}

/** A value of a column, checked; what an earlier version did not save gets the unit's none. */
function checked(column: {readonly unit: Unit; readonly saved?: string}, value: unknown, sizes: CellSizes): Cell {
	return value === undefined && column.saved === 'newer' ? missingCell(column.unit) : checkedCell(column.unit, value, sizes);
}

/** Throws RangeError for a text that JSON.parse would make too much of: a text of 30 MB can take 1.5 GB. */
function checkParsedSize(json: string): void {
	let sum = 0;
	for (const character of json) {
		sum += parsedBytes[character] ?? 0;
	}

	if (sum > maxParsedBytes) {
		throw new ExcessError('more session data than a session can have');
	}
}

const noSizes: CellSizes = {stacks: 0, locations: 0, threads: 0};
const maxInt = 2_147_483_647;
/** Each thread and each contention row may add its own. */
const maxStacks = maxThreads + (2 * maxContention);
const maxRowLength = 32;
/** Command lines are longer than names; PATH_MAX is a fair bound. */
const maxCommandLength = 4096;

function targetOf(from: Record<string, unknown>): TargetInfo {
	return {
		pid: whole(from.pid, 0, maxInt), mainClass: text(from.mainClass), command: text(from.command, maxCommandLength), jvmVersion: text(from.jvmVersion), vm: text(from.vm), user: text(from.user),
		startedAtMs: moment(from.startedAtMs),
	};
}

function statsOf(from: Record<string, unknown>): SessionStats {
	// Files without `sampledMs` come from a version that did not tell the two times apart.
	const figures: Record<string, unknown> = {...from, sampledMs: from.sampledMs ?? from.durationMs};
	return {engine: text(from.engine), timer: text(from.timer ?? ''), ...fromNames(namesOf(sessionFigures), name => checked(sessionFigures[name], figures[name], noSizes) as number)};
}
