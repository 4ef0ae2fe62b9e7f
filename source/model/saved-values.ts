import {printable, type Printable} from '../util/printable.js';
import {fromNames, units, type Unit} from './column-types.js';
import {nativeCodeLine} from './frame.js';
import {lockKinds} from './sample.js';
import {eventKinds} from './schema.js';
import type {TargetInfo} from './snapshot.js';
import {parseReport, parseTaskReport} from './report-bytes.js';
import {counterRoots, stateKinds} from './task-probe.js';
import type {TaskReport} from './task-report.js';
import {stateCount} from './thread-state.js';
import type {TraceReport} from './trace-report.js';

/*
Checks values of saved sessions, which are untrusted. All functions but `valueOrNone` throw RangeError for wrong ones.
*/

export type Document = Readonly<Record<string, unknown>>;

/** Numbers of rows, below which ids and indexes must be. */
export type Sizes = {
	readonly strings: number;
	readonly frames: number;
	readonly nodes: number;
	readonly threads: number;
};

const maxInt = 2_147_483_647;
/** The latest time that a Date can have (ECMAScript, time values). */
export const maxDateMs = 8.64e15;

/** Minimum and maximum of a unit. */
export const bounds: Readonly<Record<Exclude<Unit, 'text'>, (sizes: Sizes) => readonly [min: number, max: number]>> = {
	key: () => [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
	string: ({strings}) => [0, strings - 1],
	frame: ({frames}) => [0, frames - 1],
	stack: ({nodes}) => [0, nodes - 1],
	thread: ({threads}) => [0, threads - 1],
	threadOrNone: ({threads}) => [-1, threads - 1],
	state: () => [0, stateCount - 1],
	lockKind: () => [0, lockKinds.length - 1],
	eventKind: () => [0, eventKinds.length - 1],
	flags: () => [0, 255],
	yesNo: () => [0, 1],
	line: () => [nativeCodeLine, maxInt],
	nativeId: () => [0, maxInt],
	index: () => [0, maxInt],
	moment: () => [0, maxDateMs],
	...fromNames(['ticks', 'ns', 'us', 'ms', 'count', 'bytes'], () => () => [0, Number.MAX_SAFE_INTEGER] as const),
};

/** Returns the value, or the unit's `none` if it is NaN or out of bounds: a file with such a value would not open. */
export function valueOrNone(unit: Exclude<Unit, 'text'>, value: number, sizes: Sizes): number {
	const [min, max] = bounds[unit](sizes);
	return value >= min && value <= max ? value : units[unit].none;
}

/** Returns a value that must be an object. */
export function savedObject(value: unknown): Document {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) {
		throw new RangeError('an object is missing from the session data');
	}

	return value as Document;
}

function list(value: unknown): readonly unknown[] {
	if (!Array.isArray(value)) {
		throw new RangeError('a list is missing from the session data');
	}

	return value;
}

/** Returns a value that must be a number from `min` to `max`. */
export function within(value: unknown, min: number, max: number): number {
	if (typeof value !== 'number' || !(value >= min && value <= max)) {
		throw new RangeError('a number in the session data is missing or out of range');
	}

	return value;
}

/** Returns a value that must be a string, printable and truncated at `maxLength` (by default that of names). */
export function savedText(value: unknown, maxLength?: number): Printable {
	if (typeof value !== 'string') {
		throw new RangeError('a name is missing from the session data');
	}

	return printable(value, maxLength);
}

function oneOf<Name extends string>(names: readonly Name[], value: unknown): Name {
	if (!names.includes(value as Name)) {
		throw new RangeError('the session data has an unknown word');
	}

	return value as Name;
}

/** Command lines are longer than names: as PATH_MAX. */
const maxCommandLength = 4096;

/** Returns the facts of the target. */
export function targetOf({pid, mainClass, command, jvmVersion, vm, user, startedAtMs}: Document): TargetInfo {
	return {
		pid: within(pid, 0, maxInt),
		mainClass: savedText(mainClass),
		command: savedText(command, maxCommandLength),
		jvmVersion: savedText(jvmVersion),
		vm: savedText(vm),
		user: savedText(user),
		startedAtMs: within(startedAtMs, 0, maxDateMs),
	};
}

/** Returns what is saved of a report of tasks beside the agent's own bytes. */
export function aboutOf({probe, states, counters, notes, history}: TaskReport) {
	return {probe, states, counters, notes, history};
}

/** Returns saved reports from the agent's bytes, which are empty if there is none; `about`: the result of `aboutOf`. */
export function withReports(
	traces: Uint8Array,
	tasks: Uint8Array,
	about: unknown,
): {readonly traces?: TraceReport; readonly tasks?: TaskReport} {
	return {
		...(traces.length > 0 ? {traces: parseReport(traces)} : {}),
		...(tasks.length > 0 ? {tasks: taskReportOf(tasks, savedObject(about))} : {}),
	};
}

/** Bounds indexes of a probe's points, which are not saved: the notes already say what is wrong with them. */
const anyPoints = {length: 1000};

function taskReportOf(bytes: Uint8Array, saved: Document): TaskReport {
	const states = list(saved.states).map(state => savedObject(state)).map(({id, title, kind}) => ({
		id: savedText(id),
		title: savedText(title),
		kind: oneOf(stateKinds, kind),
	}));
	const counters = list(saved.counters).map(counter => savedObject(counter)).map(({name, root, className, path}) => ({
		name: savedText(name), root: oneOf(counterRoots, root), className: savedText(className), path: savedText(path),
	}));
	const notes = list(saved.notes).map(note => savedText(note));
	const history = list(saved.history).map(counts =>
		states.map((_, state) => within(list(counts)[state], 0, Number.MAX_SAFE_INTEGER)));
	return {
		...parseTaskReport(bytes, {states, counters, points: anyPoints}),
		probe: savedText(saved.probe),
		states,
		counters,
		notes,
		history,
	};
}
