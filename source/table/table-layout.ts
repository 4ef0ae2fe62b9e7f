import {
	arrayTypes, fromNames, namesOf, select, units, type ArrayType, type Columns, type Select, type TypeOf,
} from '../model/column-types.js';
import {
	readerFigures,
	contentionColumns,
	counterColumns,
	eventColumns,
	frameColumns,
	nodeColumns,
	sessionFigures,
	threadNumbers,
} from '../model/schema.js';
import {maxNameLength, safe} from '../util/printable.js';

/*
The layout of the shared table: one growable SharedArrayBuffer with a header page and slabs of equal layout. Each slab
holds the same number of rows (its share) of every region; row i of a region is in slab floor(i / share) at index
i % share. Growing adds a slab; nothing ever moves. Untouched pages of a slab use no memory.

Only the writer (the sampler's worker) writes, except for the lock word, which both sides write, and `rings`, which the
main thread writes. What the reader may see, and when:
- the dictionary (strings, frames, nodes) is append-only: written beyond the published count without the lock and never
  changed, so a reader that knows a count may copy below it at any time;
- keys of counters and contention are written beyond the published count without the lock, and below it only under the
  lock, when the slot of an ended thread's row is reused (`word.reused`);
- counts, counters, rows of threads, thread names and session figures change only under the lock, once a sample;
- `createTable` writes the shape of the slabs once.
*/

/** Int32 words of the header, by index. */
export const word = Object.freeze({
	/** The lock: 0 free, 1 held, 2 held with waiters. Both sides. */
	lock: 0,
	/** `layoutVersion`; 0 before `createTable` is done. */
	version: 1,
	slabs: 2,
	/** Incremented at each publication: if unchanged, there is nothing new to read. */
	generation: 3,
	/** Incremented by the main thread at each message to the sampler (`Bell`). */
	rings: 4,
	/** Incremented when keys of counters or contention change below the published counts, because slots are reused. */
	reused: 5,
	/** Published number of rows of each region, in the order of `regionNames`. */
	counts: 8,
	/** Share of each region in a slab, in the order of `regionNames`. */
	shares: 24,
});

/** A page of x86-64. */
export const headerBytes = 4096;

const figuresOffset = 1024;

/** The figures that may be in the table; those by the reader are not. */
const figures = {...sessionFigures, ...readerFigures};
type FigureName = Exclude<keyof typeof figures, Select<typeof figures, {by: 'reader'}>>;
export type Figures = Record<FigureName, number>;
export type SamplerFigures = Record<Select<typeof figures, {by: 'sampler'}>, number>;
export type OwnFigures = Record<Select<typeof figures, {by: 'table'}>, number>;
/** The figures in the header, each a Float64, in this order. */
export const figureNames = namesOf(figures).filter((name): name is FigureName => figures[name].by !== 'reader');
export const ownFigureNames = select(figures, {by: 'table'});

/** Columns of a thread's row: those of the schema, its name's length in bytes, and a number that changes with it. */
export const threadRowColumns = {...threadNumbers, nameLength: {unit: 'index'}, nameSerial: {unit: 'index'}} as const;

/** Columns of every region, the widest first, so that each begins aligned. */
export const regions = {
	/** Index of a string's first byte in the region `bytes`, and the number of bytes. */
	strings: {start: 'i32', length: 'i32'},
	/** UTF-8; a string never crosses from one slab to the next. */
	bytes: {value: 'u8'},
	frames: widestFirst(frameColumns),
	nodes: widestFirst(nodeColumns),
	threads: widestFirst(threadRowColumns),
	counters: widestFirst(counterColumns),
	contention: widestFirst(contentionColumns),
	events: widestFirst(eventColumns),
} as const satisfies Record<string, Record<string, ArrayType>>;

export type Regions = typeof regions;
export type RegionName = keyof Regions;
export const regionNames = Object.keys(regions) as RegionName[];

/** A hash of the layout, never 0: a reader and a writer built from different schemas refuse each other's tables. */
const layoutVersion = checksum(JSON.stringify([figureNames, regions]));

/** Header word of each region's published count. */
export const countWord = Object
	.freeze(Object.fromEntries(regionNames.map((region, index) => [region, word.counts + index])) as Record<
		RegionName,
		number
	>);

/** Rows of each region in one slab (powers of two), and the maximum number of slabs. */
export type TableShape = Record<RegionName, number> & {readonly maxSlabs: number};

/**
Chosen from real services: about 16 bytes of text a name, a few frames a name, a few stacks a frame, a counter or two a
stack. A service of 200 threads fills one slab (3.1 MiB) in some minutes. Sixteen hold 524,288 counters; with more,
queries would take longer than the time between two refreshes.
*/
export const defaultShape: TableShape = Object.freeze({
	strings: 4096,
	bytes: 131_072,
	frames: 8192,
	nodes: 32_768,
	threads: 1024,
	counters: 32_768,
	contention: 4096,
	events: 4096,
	maxSlabs: 16,
});

/** A string of 512 UTF-16 units, each at most three bytes of UTF-8, must fit into the bytes of one slab. */
const minBytesShare = 2048;

/** Bytes for a thread's name, UTF-16. */
export const nameBytes = 2 * maxNameLength;

/** Name of the thread and frame that replace those for which the table has no room. */
export const otherName = safe`(other)`;

/** Ids of the "(other)" string and stack, in every table. */
export const otherString = 1;
export const otherNode = 1;

/** Byte offsets in a slab of all columns and of the thread names, and the slab's size. */
export type SlabLayout = {
	readonly offsets: Record<string, number>;
	readonly namesOffset: number;
	readonly byteLength: number;
};

/** Lays out the columns of a slab; throws if a share is not a power of two of at least 8. */
export function slabLayout(shape: TableShape): SlabLayout {
	const offsets: Record<string, number> = {};
	let offset = 0;
	for (const region of regionNames) {
		const share = shape[region];
		if (share < 8 || (share & (share - 1)) !== 0 || share > 1 << 26) {
			throw new Error(`share of ${region} must be a power of two from 8 on, not ${share}`);
		}

		for (const [column, type] of Object.entries(regions[region])) {
			offsets[`${region}.${column}`] = offset;
			offset += share * arrayTypes[type].BYTES_PER_ELEMENT;
		}

		offset = Math.ceil(offset / 8) * 8;
	}

	if (shape.bytes < minBytesShare) {
		throw new Error(`share of bytes must hold the longest string: ${minBytesShare}`);
	}

	return {offsets, namesOffset: offset, byteLength: offset + (shape.threads * nameBytes)};
}

function widestFirst<C extends Columns>(columns: C): {readonly [Name in keyof C]: TypeOf<C[Name]>} {
	const typeOf = (name: keyof C) => units[columns[name].unit].type;
	const bytesOf = (name: keyof C) => arrayTypes[typeOf(name)].BYTES_PER_ELEMENT;
	const names = namesOf(columns).toSorted((a, b) => bytesOf(b) - bytesOf(a));
	return fromNames(names, typeOf) as {[Name in keyof C]: TypeOf<C[Name]>};
}

/** Returns a 31-bit FNV-1a hash, never 0. */
function checksum(text: string): number {
	let hash = 0x81_1C_9D_C5;
	for (const byte of Buffer.from(text)) {
		hash = Math.imul(hash ^ byte, 0x01_00_01_93);
	}

	return (hash >>> 1) || 1;
}

/** Creates an empty table of one slab that can grow to `shape.maxSlabs`. */
export function createTable(shape: TableShape = defaultShape): SharedArrayBuffer {
	const slab = slabLayout(shape);
	const buffer = new SharedArrayBuffer(headerBytes + slab.byteLength, {
		maxByteLength: headerBytes + (slab.byteLength * shape.maxSlabs),
	});
	const words = tableHeader(buffer);
	for (const [index, region] of regionNames.entries()) {
		words[word.shares + index] = shape[region];
	}

	words[word.slabs] = 1;
	words[word.version] = layoutVersion;
	return buffer;
}

export function tableHeader(buffer: SharedArrayBuffer): Int32Array {
	return new Int32Array(buffer, 0, figuresOffset / 4);
}

/** Returns the header's session figures, in the order of `figureNames`. */
export function headerFigures(buffer: SharedArrayBuffer): Float64Array {
	return new Float64Array(buffer, figuresOffset, figureNames.length);
}

/** Returns the shape of an existing table; throws if the buffer is not a table of this version. */
export function shapeOf(buffer: SharedArrayBuffer): TableShape {
	const words = tableHeader(buffer);
	if (words[word.version] !== layoutVersion) {
		throw new Error('not a table of this version');
	}

	const shape = Object
		.fromEntries(regionNames.map((region, index) => [region, words[word.shares + index]])) as Record<
		RegionName,
		number
	>;
	return {
		...shape,
		maxSlabs: Math.floor((buffer.maxByteLength - headerBytes) / slabLayout({...shape, maxSlabs: 1}).byteLength),
	};
}
