import {units, type Unit} from './column-types.js';
import {nativeCodeLine} from './frame.js';
import {lockKinds} from './sample.js';
import type {TargetInfo} from './snapshot.js';
import {printable} from './text.js';
import {stateCount} from './thread-state.js';

/* Values of saved sessions, each checked: nothing in a file is trusted. What is wrong is a RangeError. */

/** An object of JSON. */
export type Document = Readonly<Record<string, unknown>>;

/** How many there are of what a value may refer to. */
export type Sizes = {readonly strings: number; readonly frames: number; readonly nodes: number; readonly threads: number};

const maxInt = 2_147_483_647;
const amount = () => [0, Number.MAX_SAFE_INTEGER] as const;

/** The least and the greatest value of a unit. */
export const bounds: Readonly<Record<Exclude<Unit, 'text'>, (sizes: Sizes) => readonly [min: number, max: number]>> = {
	key: () => [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
	string: ({strings}) => [0, strings - 1],
	frame: ({frames}) => [0, frames - 1],
	stack: ({nodes}) => [0, nodes - 1],
	thread: ({threads}) => [0, threads - 1],
	threadOrNone: ({threads}) => [-1, threads - 1],
	state: () => [0, stateCount - 1],
	lockKind: () => [0, lockKinds.length - 1],
	flags: () => [0, 255],
	yesNo: () => [0, 1],
	line: () => [nativeCodeLine, maxInt],
	nativeId: () => [0, maxInt],
	index: () => [0, maxInt],
	// What Date can hold (ECMAScript, time values).
	moment: () => [0, 8.64e15],
	ticks: amount,
	ns: amount,
	us: amount,
	ms: amount,
	count: amount,
	bytes: amount,
};

/** The value, or the unit's none for one that could not be measured (NaN) or is out of bounds: no such file opens again. */
export function valueOrNone(unit: Exclude<Unit, 'text'>, value: number, sizes: Sizes): number {
	const [min, max] = bounds[unit](sizes);
	return value >= min && value <= max ? value : units[unit].none;
}

/** The value as an object. */
export function record(value: unknown): Document {
	if (typeof value !== 'object' || value === null) {
		throw new RangeError('an object is missing from the session data');
	}

	return value as Document;
}

/** The value as a list. */
export function list(value: unknown): readonly unknown[] {
	if (!Array.isArray(value)) {
		throw new RangeError('a list is missing from the session data');
	}

	return value;
}

/** The value as a number between these. */
export function within(value: unknown, min: number, max: number): number {
	if (typeof value !== 'number' || !(value >= min && value <= max)) {
		throw new RangeError('a number in the session data is missing or out of range');
	}

	return value;
}

/** A string, made printable and cut to `maxLength` (of a name if left out). */
export function text(value: unknown, maxLength?: number): string {
	if (typeof value !== 'string') {
		throw new RangeError('a name is missing from the session data');
	}

	return printable(value, maxLength);
}

/** The value as one of these words. */
export function oneOf<Name extends string>(names: readonly Name[], value: unknown): Name {
	const name = names.find(candidate => candidate === value);
	if (name === undefined) {
		throw new RangeError('the session data has an unknown word');
	}

	return name;
}

/** Command lines are longer than names; PATH_MAX is a fair bound. */
const maxCommandLength = 4096;

/** What is known of the target. */
export function targetOf({pid, mainClass, command, jvmVersion, vm, user, startedAtMs}: Document): TargetInfo {
	return {
		pid: within(pid, 0, maxInt), mainClass: text(mainClass), command: text(command, maxCommandLength), jvmVersion: text(jvmVersion), vm: text(vm), user: text(user), startedAtMs: within(startedAtMs, 0, 8.64e15),
	};
}
