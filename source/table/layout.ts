/*
Where everything lies in the shared table. One growable SharedArrayBuffer: a header page, then slabs that are all alike. Each slab holds the same share of every region;
record i of a region lies in slab floor(i / share) at index i % share. Growing adds a slab; nothing ever moves. Pages of a slab that were never touched cost no memory.

Owner of every word and record: the writer (the sampler's worker). The lock word alone is written by both sides. Three ways of sharing:
- dictionary (strings, frames, nodes) and the keys of facts and contention are append-only: written beyond the published count without the lock, never changed afterwards,
  so that a reader that knows a count may copy below it at any time;
- counts, counters, thread records and session figures change under the lock only, once a sample;
- the shape of the slabs is written once, by `createTable`.
*/

/** Int32 words of the header, by index. */
export const word = Object.freeze({
	/** The lock: 0 free, 1 held, 2 held with waiters. Both sides. */
	lock: 0,
	/** Layout version; 0 before `createTable` is done. */
	version: 1,
	/** Slabs that lie in the buffer. */
	slabs: 2,
	/** Raised with everything that is published: unchanged means that there is nothing new to read. */
	generation: 3,
	/** Published number of records of each region, in the order of `regionNames`. */
	counts: 8,
	/** Share of each region in a slab, in the order of `regionNames`. */
	shares: 24,
});

/** Raised with every change of this file, so that two sides that differ do not read each other's words. */
export const layoutVersion = 2;
/** Four KiB, the page size of x86-64. */
export const headerBytes = 4096;
/** Where the session figures begin in the header. */
const figuresOffset = 1024;

/** Session figures: Float64 in the header, in this order; units in the names, meaning in model's SessionStats. */
export const figureNames = [
	'requestedIntervalMs',
	'intervalMs',
	'startedAtMs',
	'durationMs',
	// When `durationMs` was so long, on the clock that the threads of our process share; 0 while it does not grow.
	'countedAtMs',
	// When the next sample is due, on the same clock; 0 while none is.
	'nextAtMs',
	'sampledMs',
	'lastSampleAtMs',
	'samples',
	'late',
	'failed',
	'threadSamples',
	'incompleteStacks',
	'refusedThreads',
	'lateThreads',
	'otherTicks',
	'targetStoppedMs',
	'pauseP50Us',
	'pauseP99Us',
	'pauseWorstUs',
] as const;
export type FigureName = (typeof figureNames)[number];
export type Figures = Record<FigureName, number>;

const columnBytes = {f64: 8, i32: 4, u8: 1} as const;
type ColumnType = keyof typeof columnBytes;
/** The typed array of a column. */
export type ColumnArray<T extends ColumnType> = {f64: Float64Array; i32: Int32Array; u8: Uint8Array}[T];

/** Columns of every region, widest first so that each begins aligned. Ids, units and sentinels are those of model/snapshot.ts. */
export const regions = {
	/** Where a string's bytes begin (byte index) and how many there are. */
	strings: {start: 'i32', length: 'i32'},
	/** UTF-8; a string never crosses from one slab to the next. */
	bytes: {value: 'u8'},
	frames: {class: 'i32', method: 'i32', file: 'i32', line: 'i32'},
	nodes: {parent: 'i32', frame: 'i32'},
	threads: {
		key: 'f64', sinceMs: 'f64', cpuNs: 'f64',
		nativeId: 'i32', name: 'i32', node: 'i32', lockClass: 'i32', lockOwner: 'i32', lockOwnerFrame: 'i32', carrier: 'i32',
		flags: 'u8', alive: 'u8', state: 'u8', lockKind: 'u8',
	},
	facts: {cpuNs: 'f64', ticks: 'i32', thread: 'i32', node: 'i32', state: 'u8'},
	contention: {thread: 'i32', node: 'i32', lockClass: 'i32', owner: 'i32', ownerNode: 'i32', ownerFrame: 'i32', ticks: 'i32', lockKind: 'u8'},
} as const satisfies Record<string, Record<string, ColumnType>>;

export type Regions = typeof regions;
export type RegionName = keyof Regions;
export const regionNames = Object.keys(regions) as RegionName[];
/** Header word of each region's published count. */
export const countWord = Object.freeze(Object.fromEntries(regionNames.map((region, index) => [region, word.counts + index])) as Record<RegionName, number>);

/** Records of each region in one slab (powers of two), and the most slabs there may be. */
export type TableShape = Record<RegionName, number> & {readonly maxSlabs: number};

/**
Chosen from real services: about 16 bytes of text a name, a few frames a name, a few stacks a frame, a fact or two a stack. One slab (1.4 MiB) is what a service of 200 threads
fills in some minutes; sixteen hold 524,288 facts, beyond which queries would no longer be done between two refreshes.
*/
export const defaultShape: TableShape = Object.freeze({
	strings: 4096, bytes: 131_072, frames: 8192, nodes: 32_768, threads: 1024, facts: 32_768, contention: 4096, maxSlabs: 16,
});

/** A name has at most 512 UTF-16 units, each at most three bytes of UTF-8: it must fit into the bytes of one slab. */
const minBytesShare = 2048;

/** Ids that every table begins with, as with `otherFrame`: the "(other)" string and stack, under which is counted what found no room. */
export const otherString = 1;
export const otherNode = 1;

/** Byte offsets of all columns inside a slab, and the slab's size. */
export type SlabLayout = {readonly offsets: Record<string, number>; readonly byteLength: number};

/** Lays the columns of one slab out; throws when a share is not a power of two from 8 on. */
export function slabLayout(shape: TableShape): SlabLayout {
	const offsets: Record<string, number> = {};
	let offset = 0;
	for (const region of regionNames) {
		const share = shape[region];
		if (share < 8 || (share & (share - 1)) !== 0 || share > 1 << 26) {
			throw new Error(`share of ${region} must be a power of two from 8 on, not ${share}`);
		}

		for (const [column, type] of Object.entries(regions[region])) {
			const size = columnBytes[type];
			if (offset % size !== 0) {
				throw new Error(`${region}.${column} is not aligned`);
			}

			offsets[`${region}.${column}`] = offset;
			offset += share * size;
		}

		offset = Math.ceil(offset / 8) * 8;
	}

	if (shape.bytes < minBytesShare) {
		throw new Error(`share of bytes must hold the longest name: ${minBytesShare}`);
	}

	return {offsets, byteLength: offset};
}

/** Makes an empty table of one slab that can grow to `shape.maxSlabs`. */
export function createTable(shape: TableShape = defaultShape): SharedArrayBuffer {
	const slab = slabLayout(shape);
	const buffer = new SharedArrayBuffer(headerBytes + slab.byteLength, {maxByteLength: headerBytes + (slab.byteLength * shape.maxSlabs)});
	const words = headerWords(buffer);
	for (const [index, region] of regionNames.entries()) {
		words[word.shares + index] = shape[region];
	}

	words[word.slabs] = 1;
	words[word.version] = layoutVersion;
	return buffer;
}

/** The header's Int32 words. */
export function headerWords(buffer: SharedArrayBuffer): Int32Array {
	return new Int32Array(buffer, 0, figuresOffset / 4);
}

/** The header's session figures, in the order of `figureNames`. */
export function headerFigures(buffer: SharedArrayBuffer): Float64Array {
	return new Float64Array(buffer, figuresOffset, figureNames.length);
}

/** The shape of an existing table; throws when the buffer is none of this version. */
export function shapeOf(buffer: SharedArrayBuffer): TableShape {
	const words = headerWords(buffer);
	if (words[word.version] !== layoutVersion) {
		throw new Error(`not a table of layout ${layoutVersion}`);
	}

	const shape = Object.fromEntries(regionNames.map((region, index) => [region, words[word.shares + index]])) as Record<RegionName, number>;
	return {...shape, maxSlabs: Math.floor((buffer.maxByteLength - headerBytes) / slabLayout({...shape, maxSlabs: 1}).byteLength)};
}
