import {units, type Unit} from '../../model/column-types.js';
import {noFrame} from '../../model/frame.js';
import {lockKinds, type LockKind} from '../../model/sample.js';
import {threadStates} from '../../model/thread-state.js';
import {printable} from '../../model/text.js';

/*
How a value of each unit stands in the session data of a saved file: strings and texts, states and lock kinds by their names; a
stack as an index into the profile's samples followed by the stacks that no sample has, -1 for no Java
frames; a frame as a location id, 0 for none; a thread as an index, -1 for none.
*/

/** A value in a file. */
export type Cell = number | string;

/** How the writer numbers what it refers to. */
export type CellContext = {
	readonly strings: readonly string[];
	stackOf(node: number): number;
	locationOf(frame: number): number;
};

/** How many of what a value may refer to there are in the file. */
export type CellSizes = {readonly stacks: number; readonly locations: number; readonly threads: number};

/** How a value of a unit is saved, and how a saved one is checked. */
type Saved = {
	readonly save: (value: number, context: CellContext) => Cell;
	readonly check: (value: unknown, sizes: CellSizes) => Cell;
};

const asIs = (value: number) => value;
const within = (min: number, max: number, save: Saved['save'] = asIs): Saved => ({save, check: value => whole(value, min, max)});
const measured: Saved = {save: sane, check: amount};
const id = within(0, 2_147_483_647, sane);

const savedAs: Readonly<Record<Exclude<Unit, 'text'>, Saved>> = {
	string: {save: (value, {strings}) => strings[value], check: value => text(value)},
	state: {save: value => threadStates[value], check: value => oneOf(threadStates, value)},
	lockKind: {save: value => lockKinds[value], check: value => oneOf<LockKind>(lockKinds, value)},
	stack: {save: (value, {stackOf}) => stackOf(value), check: (value, {stacks}) => whole(value, -1, stacks - 1)},
	frame: {save: (value, {locationOf}) => value === noFrame ? 0 : locationOf(value), check: (value, {locations}) => whole(value, 0, locations)},
	thread: {save: asIs, check: (value, {threads}) => whole(value, 0, threads - 1)},
	threadOrNone: {save: asIs, check: (value, {threads}) => whole(value, -1, threads - 1)},
	key: within(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
	flags: within(0, 255),
	yesNo: within(0, 1),
	nativeId: id,
	index: id,
	ticks: within(0, Number.MAX_SAFE_INTEGER, sane),
	moment: {save: sane, check: moment},
	ns: measured,
	us: measured,
	ms: measured,
	count: measured,
	bytes: measured,
};

/** The value as it is saved. Numbers that could not be measured (NaN) must not make a file that cannot be opened again. */
export function cellOf(unit: Exclude<Unit, 'text'>, value: number, context: CellContext): Cell {
	return savedAs[unit].save(value, context);
}

/** The saved value, checked: strings printable, states and lock kinds as codes, references within the sizes. Throws RangeError. */
export function checkedCell(unit: Unit, value: unknown, sizes: CellSizes): Cell {
	return unit === 'text' ? text(value) : savedAs[unit].check(value, sizes);
}

/** The value where a file of an earlier version has none. */
export function missingCell(unit: Unit): Cell {
	if (unit === 'string') {
		return '';
	}

	return unit === 'stack' ? -1 : units[unit].none;
}

/** The id or code of a checked cell, given how the reader numbers what it refers to. */
export function valueOf(unit: Unit, cell: Cell, {internString, nodeAt, frameAt}: {internString(text: string): number; nodeAt(stack: number): number; frameAt(location: number): number}): number {
	if (typeof cell === 'string') {
		return internString(cell);
	}

	return unit === 'stack' ? nodeAt(cell) : (unit === 'frame' ? frameAt(cell) : cell);
}

/** The number, or 0 for a negative one, an infinite one or none. */
export function sane(value: number): number {
	return value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : 0;
}

/*
Values of a JSON document from a file, checked one by one: each function returns the value with its type, or throws
RangeError.
*/

/** An object. */
export function record(value: unknown): Record<string, unknown> {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) {
		throw new RangeError('an object is missing from the session data');
	}

	return value as Record<string, unknown>;
}

/** The value as an array of at most `maxLength` items. Throws for anything else. */
export function list(value: unknown, maxLength: number): unknown[] {
	if (!Array.isArray(value) || value.length > maxLength) {
		throw new RangeError('a list in the session data is missing or too long');
	}

	return value;
}

/** An array of two numbers, each checked by its own function. */
export function pair(value: unknown, first: (value: unknown) => number, second: (value: unknown) => number): readonly [number, number] {
	const items = list(value, 2);
	return [first(items[0]), second(items[1])];
}

/** A whole number from `min` to `max`. */
export function whole(value: unknown, min: number, max: number): number {
	if (!Number.isSafeInteger(value) || (value as number) < min || (value as number) > max) {
		throw new RangeError('a number in the session data is missing or out of range');
	}

	return value as number;
}

/** A number of 0 or more. */
function amount(value: unknown): number {
	if (typeof value !== 'number' || !(value >= 0 && value <= Number.MAX_SAFE_INTEGER)) {
		throw new RangeError('a count in the session data is missing or out of range');
	}

	return value;
}

/** Epoch milliseconds that Date can hold (ECMAScript, time values). */
export function moment(value: unknown): number {
	if (amount(value) > 8.64e15) {
		throw new RangeError('a time in the session data is out of range');
	}

	return value as number;
}

/** A string, made printable and cut to `maxLength` (of a name if left out). */
export function text(value: unknown, maxLength?: number): string {
	if (typeof value !== 'string') {
		throw new RangeError('a name is missing from the session data');
	}

	return printable(value, maxLength);
}

/** The code of a name: its index in the list. */
function oneOf<Name extends string>(names: readonly Name[], value: unknown): number {
	const code = names.indexOf(value as Name);
	if (code === -1) {
		throw new RangeError('the session data has an unknown thread state or lock kind');
	}

	return code;
}
