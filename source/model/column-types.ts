import {unknownLine} from './frame.js';
import {stateCode} from './thread-state.js';

export const arrayTypes = {f64: Float64Array, i32: Int32Array, u8: Uint8Array} as const;
export type ArrayType = keyof typeof arrayTypes;
export type ColumnArray<T extends ArrayType = ArrayType> = {f64: Float64Array; i32: Int32Array; u8: Uint8Array}[T];

/** Kinds of values in a column: the type of the array that holds them, and the value that means "none". */
export const units = {
	key: {type: 'f64', none: 0},
	/** Linux thread id in our own PID namespace. */
	nativeId: {type: 'i32', none: 0},
	string: {type: 'i32', none: 0},
	/** Text kept outside the dictionary, because it may change at any time. */
	text: {type: 'text', none: ''},
	/** Line of a frame; below 0: `unknownLine`, `nativeLine` or `nativeCodeLine`. */
	line: {type: 'i32', none: unknownLine},
	frame: {type: 'i32', none: 0},
	/** Stack node; none is the empty stack. */
	stack: {type: 'i32', none: 0},
	/** Index of a thread's row in a snapshot, or in a sample. */
	thread: {type: 'i32', none: 0},
	/** Index of a thread's row, or -1. */
	threadOrNone: {type: 'i32', none: -1},
	state: {type: 'u8', none: stateCode.RUNNABLE},
	lockKind: {type: 'u8', none: 0},
	eventKind: {type: 'u8', none: 0},
	flags: {type: 'u8', none: 0},
	yesNo: {type: 'u8', none: 0},
	/** Index into another array of the sample, or a number of its entries. */
	index: {type: 'i32', none: 0},
	ticks: {type: 'f64', none: 0},
	ns: {type: 'f64', none: 0},
	us: {type: 'f64', none: 0},
	ms: {type: 'f64', none: 0},
	/** Epoch milliseconds. */
	moment: {type: 'f64', none: 0},
	count: {type: 'f64', none: 0},
	bytes: {type: 'f64', none: 0},
} as const satisfies Readonly<
	Record<string, {readonly type: ArrayType; readonly none: number} | {readonly type: 'text'; readonly none: string}>
>;
export type Unit = keyof typeof units;

/** A column of numbers, kept in a typed array. */
export type Column = {readonly unit: Exclude<Unit, 'text'>};
export type Columns = Readonly<Record<string, Column>>;

type MixedColumns = Readonly<Record<string, {readonly unit: Unit}>>;

/** Names of the columns with these fields: `Select<typeof threadColumns, {sampled: 'sum'}>`. */
export type Select<C extends MixedColumns, Fields> = {
	[Name in keyof C & string]: C[Name] extends Fields ? Name : never;
}[keyof C & string];

export type TypeOf<C extends Column> = (typeof units)[C['unit']]['type'];

export type Arrays<C extends Columns> = {[Name in keyof C]: ColumnArray<TypeOf<C[Name]>>};

/** Returns the names of the columns with these fields, in the schema's order. */
export function select<C extends MixedColumns, const Fields extends Readonly<Record<string, unknown>>>(
	columns: C,
	fields: Fields,
): ReadonlyArray<Select<C, Fields>> {
	const has = (column: Readonly<Record<string, unknown>>) =>
		Object.entries(fields).every(([field, value]) => column[field] === value);
	return namesOf(columns).filter(name => has(columns[name])) as Array<Select<C, Fields>>;
}

/** Returns an object's keys; for columns, their names in the schema's order. */
export function namesOf<T extends object>(columns: T): ReadonlyArray<keyof T & string> {
	return Object.keys(columns) as Array<keyof T & string>;
}

/** Returns an object with a value for each name. */
export function fromNames<Name extends string, Value>(
	names: readonly Name[],
	valueOf: (name: Name, index: number) => Value,
): Record<Name, Value> {
	const object: Partial<Record<Name, Value>> = {};
	// Called for each sample and row: an iterator would make garbage.
	const {length} = names;
	for (let index = 0; index < length; index++) {
		object[names[index]] = valueOf(names[index], index);
	}

	return object as Record<Name, Value>;
}

export function pick<C extends Columns, Name extends keyof C & string>(
	columns: C,
	names: readonly Name[],
): Pick<C, Name> {
	return fromNames(names, name => columns[name]) as Pick<C, Name>;
}

/** Returns the columns that hold numbers. */
export function numbersOf<C extends MixedColumns>(columns: C): Pick<C, Select<C, Column>> {
	return fromNames(
		namesOf(columns).filter((name): name is Select<C, Column> => columns[name].unit !== 'text'),
		name => columns[name],
	) as Pick<C, Select<C, Column>>;
}

/** Returns an array for each of these columns. */
export function makeArrays<C extends Columns, Name extends keyof C & string>(
	columns: C,
	names: readonly Name[],
	make: (column: C[Name], name: Name) => ColumnArray,
): Pick<Arrays<C>, Name> {
	return fromNames(names, name => make(columns[name], name)) as Pick<Arrays<C>, Name>;
}

/** Returns a zeroed array for values of a column. */
export function newArray<C extends Column>(column: C, length: number): ColumnArray<TypeOf<C>> {
	return new arrayTypes[units[column.unit].type](length) as ColumnArray<TypeOf<C>>;
}

/** Returns the values as an array of the column's type. */
export function arrayFrom<C extends Column>(column: C, values: ArrayLike<number>): ColumnArray<TypeOf<C>> {
	return arrayTypes[units[column.unit].type].from(values) as ColumnArray<TypeOf<C>>;
}

/** Returns `table[index]` for the first `count` indexes. A loop, as `map` of a typed array is several times slower. */
export function lookUp(table: Int32Array, indexes: Int32Array, count = indexes.length): Int32Array {
	const found = new Int32Array(count);
	for (let at = 0; at < count; at++) {
		found[at] = table[indexes[at]];
	}

	return found;
}
