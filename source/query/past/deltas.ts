import {Buffer} from 'node:buffer';
import {fromNames, namesOf, newArray, type Column, type ColumnArray} from '../../model/column-types.js';
import {contentionColumns, counterColumns, eventColumns, threadNumbers} from '../../model/schema.js';
import type {Snapshot} from '../../model/snapshot.js';
import {maxNameLength, printable, safe, type Printable} from '../../util/printable.js';
import {VarintReader, VarintWriter} from '../../util/varints.js';

/*
The changes between two snapshots as bytes, which can be applied forwards and backwards: by column, rows and values;
then names of threads. docs/formats.md has the format.
*/

/** The columns of the bytes: all, even keys, because a new thread may take the row of an ended one. */
export const columnsOfRegion = {
	counters: counterColumns, contention: contentionColumns, events: eventColumns, threads: threadNumbers,
} as const;
export const windowRegions = namesOf(columnsOfRegion);

type Region = keyof typeof columnsOfRegion;
type Counted = Pick<Snapshot, Region>;
export type Counts = Readonly<Record<Region, number>>;

type Changing = {readonly region: Region; readonly name: string; readonly column: Column};
const changing: readonly Changing[] = windowRegions.flatMap(region =>
	Object.entries<Column>(columnsOfRegion[region]).map(([name, column]) => ({region, name, column})));

function arrayOf(counted: Counted, {region, name}: Changing): ColumnArray {
	return (counted[region] as unknown as Readonly<Record<string, ColumnArray>>)[name];
}

export function countsOf(counted: Counted): Counts {
	return fromNames(windowRegions, region => counted[region].count);
}

type Kind<Change> = {
	write(to: VarintWriter, change: Change): void;
	read(from: VarintReader): Change;
	sum(first: Change, second: Change): Change;
	isNone(change: Change): boolean;
};

const ofNumbers: Kind<number> = {
	write(to, change) {
		to.signed(change);
	},
	read: from => from.signed(),
	sum: (first, second) => first + second,
	isNone: change => change === 0,
};

const ofNames: Kind<{readonly before: Printable; readonly after: Printable}> = {
	write(to, {before, after}) {
		to.byteString(before);
		to.byteString(after);
	},
	read: from => ({
		before: printable(from.byteStringText(maxNameBytes)),
		after: printable(from.byteStringText(maxNameBytes)),
	}),
	sum: ({before}, {after}) => ({before, after}),
	isNone: ({before, after}) => before === after,
};

/** More bytes than a printable name has. */
const maxNameBytes = 8 * maxNameLength;

const bytes = new VarintWriter();

/** Writes the rows that changed, each as its distance from the previous one. */
function writeColumn<Change>(
	changes: Iterable<readonly [index: number, change: Change]>,
	{write, isNone}: Kind<Change>,
): void {
	let last = -1;
	for (const [index, change] of changes) {
		if (!isNone(change)) {
			bytes.number(index - last);
			write(bytes, change);
			last = index;
		}
	}

	bytes.number(0);
}

/** Reads the changes of rows below `limit`. Throws RangeError for others. */
function readColumn<Change>(
	from: VarintReader,
	kind: Kind<Change>,
	limit: number,
	take: (index: number, change: Change) => void,
): void {
	let index = -1;
	for (let gap = from.number(); gap !== 0; gap = from.number()) {
		index += gap;
		if (index >= limit) {
			throw new RangeError('a row that is not there');
		}

		take(index, kind.read(from));
	}
}

/** Returns the changes from `then` (undefined: from zeros) to `now`. */
export function deltas(then: Counted | undefined, now: Counted): Uint8Array {
	for (const part of changing) {
		const [values, before] = [arrayOf(now, part), then && arrayOf(then, part)];
		const {count} = now[part.region];
		const beforeCount = Math.min(count, then?.[part.region].count ?? 0);
		let last = -1;
		// Most columns do not change.
		for (let index = before && isSame(values, before, beforeCount) ? beforeCount : 0; index < count; index++) {
			const old = index < beforeCount ? before![index] : 0;
			const change = values[index] === old ? 0 : Math.round(values[index]) - Math.round(old);
			if (change !== 0) {
				bytes.number(index - last);
				bytes.signed(change);
				last = index;
			}
		}

		bytes.number(0);
	}

	writeColumn(
		now.threads.name.map((after, index) => [index, {before: then?.threads.name[index] ?? safe``, after}]),
		ofNames,
	);
	return bytes.take();
}

function isSame(a: ColumnArray, b: ColumnArray, count: number): boolean {
	const [first, second] = [a, b].map(({buffer, byteOffset, BYTES_PER_ELEMENT: size}) =>
		new Uint8Array(buffer, byteOffset, count * size));
	return Buffer.compare(first, second) === 0;
}

/** Returns the sum of the changes of two consecutive windows. */
export function mergedDeltas(...both: readonly [Uint8Array, Uint8Array]): Uint8Array {
	const readers = both.map(changes => new VarintReader(changes));
	for (const _ of changing) {
		mergeColumn(readers, ofNumbers);
	}

	mergeColumn(readers, ofNames);
	return bytes.take();
}

function mergeColumn<Change>(readers: readonly VarintReader[], kind: Kind<Change>): void {
	const changes = new Map<number, Change>();
	for (const reader of readers) {
		readColumn(reader, kind, Infinity, (index, change) => {
			const before = changes.get(index);
			changes.set(index, before === undefined ? change : kind.sum(before, change));
		});
	}

	writeColumn([...changes].sort(([a], [b]) => a - b), kind);
}

/** The counters and threads of a session at a moment, which changes move to another. */
export class MovingMoment {
	readonly #arrays: readonly ColumnArray[];
	readonly #names: Printable[];

	/** Begins at a snapshot, or at zeros. `room`: the most rows of each region that later moves may reach. */
	constructor(from: Counted | undefined, room: Counts) {
		this.#names = Array.from(
			{length: room.threads},
			(_, thread) => from && thread < from.threads.count ? from.threads.name[thread] : safe``,
		);
		this.#arrays = changing.map(part => {
			const array = newArray(part.column, room[part.region]);
			const values = from ? arrayOf(from, part) : [];
			const count = from ? Math.min(from[part.region].count, array.length) : 0;
			for (let index = 0; index < count; index++) {
				array[index] = Math.round(values[index]);
			}

			return array;
		});
	}

	/** Applies changes forwards or backwards. Throws RangeError for rows beyond the room. */
	move(changes: Uint8Array, direction: 1 | -1): void {
		const reader = new VarintReader(changes);
		for (const array of this.#arrays) {
			readColumn(reader, ofNumbers, array.length, (index, change) => {
				array[index] += direction * change;
			});
		}

		readColumn(reader, ofNames, this.#names.length, (index, {before, after}) => {
			this.#names[index] = direction === 1 ? after : before;
		});
	}

	/** Returns what is counted at the moment. Must be the last call: it shares its arrays. */
	counted(counts: Counts): Counted {
		const rowsOf = (region: Region) => ({
			count: counts[region],
			...Object.fromEntries(changing.map((part, index) => [part, this.#arrays[index]] as const).filter(([part]) =>
				part.region === region).map(([{name}, array]) => [name, array])),
		});
		return {
			counters: rowsOf('counters'),
			contention: rowsOf('contention'),
			events: rowsOf('events'),
			threads: {...rowsOf('threads'), name: this.#names},
		} as unknown as Counted;
	}
}
