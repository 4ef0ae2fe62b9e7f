import {Buffer} from 'node:buffer';
import {deflateRawSync, inflateRawSync} from 'node:zlib';
import {newArray, type Column, type ColumnArray} from '../../model/column-types.js';
import {contentionColumns, counterColumns, threadNumbers} from '../../model/schema.js';
import type {SessionStats, Snapshot} from '../../model/snapshot.js';
import {Bytes, Numbers} from '../../model/varints.js';
import {mergeNames, moveNames, writeNames} from './name-deltas.js';

/*
What changed from one snapshot of a session to the next, as bytes: for each column of the schema that changes, the rows
that did and by how much. A thread that only waits takes two bytes. The same bytes lead from the earlier snapshot to the
later one and back; names of threads come last, see name-deltas. Values are whole numbers: fractions of a nanosecond or a millisecond are rounded away.
*/

/** The parts of a snapshot that change: counters, and the threads' records. */
export type Counted = Pick<Snapshot, 'counters' | 'contention' | 'threads'>;
type Region = keyof Counted;

/** How many records there were of each. */
export type Counts = Readonly<Record<Region, number>>;

type Changing = {readonly region: Region; readonly name: string; readonly column: Column};

/** All columns: keys change where the place of an ended thread's is used again. */
const changing: readonly Changing[] = Object.entries({counters: counterColumns, contention: contentionColumns, threads: threadNumbers})
	.flatMap(([region, columns]) => Object.entries<Column>(columns).map(([name, column]) => ({region: region as Region, name, column})));

function arrayOf(counted: Counted, {region, name}: Changing): ColumnArray {
	return (counted[region] as unknown as Readonly<Record<string, ColumnArray>>)[name];
}

/** The number of records of each region. */
export function countsOf({counters, contention, threads}: Counted): Counts {
	return {counters: counters.count, contention: contention.count, threads: threads.count};
}

const writer = new Bytes();

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
			if (values[index] !== old) {
				const change = Math.round(values[index]) - Math.round(old);
				if (change !== 0) {
					writer.number(index - last);
					writer.signed(change);
					last = index;
				}
			}
		}

		writer.number(0);
	}

	writeNames(writer, then?.threads.name ?? [], now.threads.name);
	return writer.take();
}

/** Whether two arrays of a column begin with the same values. */
function isSame(a: ColumnArray, b: ColumnArray, count: number): boolean {
	const [first, second] = [a, b].map(({buffer, byteOffset, BYTES_PER_ELEMENT: size}) => new Uint8Array(buffer, byteOffset, count * size));
	return Buffer.compare(first, second) === 0;
}

/** What two changes, one after the other, come to. */
export function merged(first: Uint8Array, second: Uint8Array): Uint8Array {
	const readers = [first, second].map(bytes => new Numbers(bytes));
	const [a, b] = readers.map(reader => new Entries(reader));
	for (const _ of changing) {
		a.next();
		b.next();
		let last = -1;
		while (a.index < Infinity || b.index < Infinity) {
			const index = Math.min(a.index, b.index);
			let change = 0;
			for (const entries of [a, b]) {
				if (entries.index === index) {
					change += entries.change;
					entries.next();
				}
			}

			if (change !== 0) {
				writer.number(index - last);
				writer.signed(change);
				last = index;
			}
		}

		writer.number(0);
		a.endPart();
		b.endPart();
	}

	mergeNames(writer, readers[0], readers[1]);

	return writer.take();
}

/** The rows that changed, column after column. */
class Entries {
	/** Infinity behind the last one of a column. */
	index = -1;
	change = 0;
	readonly #reader: Numbers;

	constructor(reader: Numbers) {
		this.#reader = reader;
	}

	next(): void {
		const gap = this.#reader.number();
		if (gap === 0) {
			this.index = Infinity;
			return;
		}

		this.index += gap;
		this.change = this.#reader.signed();
	}

	endPart(): void {
		this.index = -1;
	}
}

/** A moment of a session that is led to others by what changed between them. */
export class MovingMoment {
	readonly #arrays: readonly ColumnArray[];
	readonly #names: string[];

	/** Begins at a snapshot; there is room for as many records as `room` says. */
	constructor(from: Counted, room: Counts) {
		this.#names = from.threads.name.slice(0, from.threads.count);
		this.#arrays = changing.map(part => {
			const array = newArray(part.column, room[part.region]);
			const values = arrayOf(from, part);
			const count = Math.min(from[part.region].count, array.length);
			if (array instanceof Float64Array) {
				for (let index = 0; index < count; index++) {
					array[index] = Math.round(values[index]);
				}
			} else {
				array.set(values.subarray(0, count));
			}

			return array;
		});
	}

	/** Goes on by a change, or back. */
	move(bytes: Uint8Array, direction: 1 | -1): void {
		const reader = new Numbers(bytes);
		for (const array of this.#arrays) {
			let index = -1;
			for (let gap = reader.number(); gap !== 0; gap = reader.number()) {
				index += gap;
				array[index] += direction * reader.signed();
			}
		}

		moveNames(this.#names, reader, direction);
	}

	/**
	The moment as a snapshot: what never changes is that of a later one of the same session. It has the arrays from here
	on: nothing may be moved any more.
	*/
	snapshot({target, dictionary, ...later}: Snapshot, session: SessionStats, counts: Counts): Snapshot {
		const ownOf = (region: Region) => Object.fromEntries(changing.flatMap((part, index) => part.region === region ? [[part.name, this.#arrays[index]]] : []));
		return {
			target,
			session,
			dictionary,
			threads: {
				...later.threads, ...ownOf('threads'), name: this.#names, count: counts.threads,
			},
			counters: {...later.counters, ...ownOf('counters'), count: counts.counters},
			contention: {...later.contention, ...ownOf('contention'), count: counts.contention},
		};
	}
}

/** What led from one moment to the next (deltas.ts), deflated where it is kept for long. */
export type KeptChanges = {readonly changes: Uint8Array; readonly isDeflated: boolean};

/** A window with 4 KB to look back in and little memory while it deflates: what changes is some kilobytes at most. */
const deflating = {windowBits: 12, memLevel: 5};

/** Changes that are not deflated yet in fewer bytes; as they are where there would be more. */
export function deflated<Kept extends KeptChanges>(kept: Kept): Kept {
	const bytes = deflateRawSync(kept.changes, deflating);
	// What zlib gives is a part of a buffer of 16 KB.
	return bytes.length < kept.changes.length ? {...kept, changes: new Uint8Array(bytes), isDeflated: true} : kept;
}

/** The changes as deltas.ts made them. */
export function changesOf({changes, isDeflated}: KeptChanges): Uint8Array {
	return isDeflated ? inflateRawSync(changes) : changes;
}
