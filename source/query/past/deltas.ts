import {Buffer} from 'node:buffer';
import {newArray, type Column, type ColumnArray} from '../../model/column-types.js';
import {contentionColumns, counterColumns, threadNumbers} from '../../model/schema.js';
import type {SessionStats, Snapshot} from '../../model/snapshot.js';
import {maxNameLength} from '../../model/text.js';
import {VarintReader, VarintWriter} from '../../model/varints.js';

/* What changed between two snapshots, as bytes that lead both ways: rows and values by column, then names of threads. */

/** The parts of a snapshot that change: counters, and the threads' records. */
export type Counted = Pick<Snapshot, 'counters' | 'contention' | 'threads'>;
export type Region = keyof Counted;

/** How many records there were of each. */
export type Counts = Readonly<Record<Region, number>>;

/** A column whose changes are kept; `column` is undefined for one that only another version of tprof-top knows. */
export type Changing = {readonly region: Region; readonly name: string; readonly column: Column | undefined};

/** All columns: keys change where the place of an ended thread's is used again. */
export const changing: ReadonlyArray<Changing & {readonly column: Column}> = Object.entries({counters: counterColumns, contention: contentionColumns, threads: threadNumbers})
	.flatMap(([region, columns]) => Object.entries<Column>(columns).map(([name, column]) => ({region: region as Region, name, column})));

function arrayOf(counted: Counted, {region, name}: Changing): ColumnArray {
	return (counted[region] as unknown as Readonly<Record<string, ColumnArray>>)[name];
}

export function countsOf({counters, contention, threads}: Counted): Counts {
	return {counters: counters.count, contention: contention.count, threads: threads.count};
}

/** A change of a value: how it is kept, and what two of them come to, one after the other. */
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

const ofNames: Kind<{readonly before: string; readonly after: string}> = {
	write(to, {before, after}) {
		for (const characters of [[...before], [...after]]) {
			to.number(characters.length);
			for (const character of characters) {
				to.number(character.codePointAt(0)!);
			}
		}
	},
	read: from => ({before: readName(from), after: readName(from)}),
	sum: ({before}, {after}) => ({before, after}),
	isNone: ({before, after}) => before === after,
};

/** More than a printable name has, with what stands for characters left out. */
const mostOfName = 4 * maxNameLength;

function readName(from: VarintReader): string {
	return from.list(mostOfName, () => String.fromCodePoint(from.number())).join('');
}

const bytes = new VarintWriter();

/** Writes the rows of a column that changed, by how far each is from the one before. */
function writeColumn<Change>(changes: Iterable<readonly [index: number, change: Change]>, {write, isNone}: Kind<Change>): void {
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

function readColumn<Change>(from: VarintReader, kind: Kind<Change>, take: (index: number, change: Change) => void): void {
	let index = -1;
	for (let gap = from.number(); gap !== 0; gap = from.number()) {
		index += gap;
		take(index, kind.read(from));
	}
}

/** What led from `then` (undefined: nothing was counted yet) to `now`. */
export function deltas(then: Counted | undefined, now: Counted): Uint8Array {
	for (const part of changing) {
		const [values, before] = [arrayOf(now, part), then && arrayOf(then, part)];
		const {count} = now[part.region];
		const beforeCount = Math.min(count, then?.[part.region].count ?? 0);
		let last = -1;
		// Most columns stay as they are.
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

	writeColumn(now.threads.name.map((after, index) => [index, {before: then?.threads.name[index] ?? '', after}]), ofNames);
	return bytes.take();
}

/** Whether two arrays of a column begin with the same values. */
function isSame(a: ColumnArray, b: ColumnArray, count: number): boolean {
	const [first, second] = [a, b].map(({buffer, byteOffset, BYTES_PER_ELEMENT: size}) => new Uint8Array(buffer, byteOffset, count * size));
	return Buffer.compare(first, second) === 0;
}

/** What two changes, one after the other, come to. */
export function merged(...both: readonly [Uint8Array, Uint8Array]): Uint8Array {
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
		readColumn(reader, kind, (index, change) => {
			const before = changes.get(index);
			changes.set(index, before === undefined ? change : kind.sum(before, change));
		});
	}

	writeColumn([...changes].sort(([a], [b]) => a - b), kind);
}

/** Nothing counted yet: where a session starts. */
const nothing = {threads: {count: 0, name: []}, counters: {count: 0}, contention: {count: 0}} as unknown as Counted;

/** A moment of a session that is led to others by what changed between them. */
export class MovingMoment {
	readonly #columns: readonly Changing[];
	/** Undefined for a column that is not known. */
	readonly #arrays: ReadonlyArray<ColumnArray | undefined>;
	readonly #names: string[];
	readonly #room: Counts;

	/**
	Begins at a snapshot, undefined: where nothing was counted yet. There is room for as many records as `room` says.
	`columns` are those that changes have.
	*/
	constructor(from: Counted = nothing, room: Counts = countsOf(from), columns: readonly Changing[] = changing) {
		this.#columns = columns;
		this.#room = room;
		this.#names = Array.from({length: room.threads}, (_, thread) => thread < from.threads.count ? from.threads.name[thread] : '');
		this.#arrays = columns.map(part => {
			if (!part.column) {
				return undefined;
			}

			const array = newArray(part.column, room[part.region]);
			const count = Math.min(from[part.region].count, array.length);
			const values = count > 0 ? arrayOf(from, part) : [];
			for (let index = 0; index < count; index++) {
				array[index] = Math.round(values[index]);
			}

			return array;
		});
	}

	/** Goes on by a change, or back. Throws RangeError for one that does not fit. */
	move(changes: Uint8Array, direction: 1 | -1): void {
		const reader = new VarintReader(changes);
		for (const [part, array] of this.#arrays.entries()) {
			readColumn(reader, ofNumbers, (index, change) => {
				this.#check(index, this.#columns[part].region);
				if (array) {
					array[index] += direction * change;
				}
			});
		}

		readColumn(reader, ofNames, (index, {before, after}) => {
			this.#check(index, 'threads');
			this.#names[index] = direction === 1 ? after : before;
		});
	}

	/** The moment as a snapshot of the same session as another one. It takes the arrays: nothing may be moved any more. */
	snapshot({target, dictionary, ...other}: Snapshot, session: SessionStats, counts: Counts): Snapshot {
		const ownOf = (region: Region) => Object.fromEntries(this.#columns.flatMap((part, index) => part.column && part.region === region ? [[part.name, this.#arrays[index]]] : []));
		return {
			target,
			session,
			dictionary,
			threads: {
				...other.threads, ...ownOf('threads'), name: this.#names, count: counts.threads,
			},
			counters: {...other.counters, ...ownOf('counters'), count: counts.counters},
			contention: {...other.contention, ...ownOf('contention'), count: counts.contention},
		};
	}

	#check(index: number, region: Region): void {
		if (index >= this.#room[region]) {
			throw new RangeError('a record that is not there');
		}
	}
}
