import {
	arrayTypes, fromNames, type ArrayType, type ColumnArray,
} from '../model/column-types.js';
import {
	headerBytes, headerFigures, headerWords, nameBytes, regionNames, regions, shapeOf, slabLayout, word, type RegionName, type Regions, type SlabLayout, type TableShape,
} from './layout.js';

/** A column of a region, an array in each slab; a share of it is a power of two. */
export class SlabColumn {
	readonly slabs: ColumnArray[] = [];
	readonly #shift: number;
	readonly #mask: number;

	constructor(share: number) {
		this.#shift = Math.log2(share);
		this.#mask = share - 1;
	}

	get(record: number): number {
		return this.slabs[record >> this.#shift][record & this.#mask];
	}

	set(record: number, value: number): void {
		this.slabs[record >> this.#shift][record & this.#mask] = value;
	}

	add(record: number, value: number): void {
		this.slabs[record >> this.#shift][record & this.#mask] += value;
	}

	/** The values of so many records from one on, which must lie in one slab. */
	part(record: number, count: number): ColumnArray {
		const at = record & this.#mask;
		return this.slabs[record >> this.#shift].subarray(at, at + count);
	}

	/** The first record from one on at which so many lie in one slab. */
	startFor(record: number, count: number): number {
		const at = record & this.#mask;
		return at + count > this.#mask + 1 ? record + this.#mask + 1 - at : record;
	}

	/** Copies records `from` to `to` to the same indexes of a private array. */
	copy(from: number, to: number, into: ColumnArray): void {
		for (let at = from; at < to;) {
			const count = Math.min(this.#mask + 1 - (at & this.#mask), to - at);
			into.set(this.part(at, count), at);
			at += count;
		}
	}
}

type RegionViews<R extends RegionName> = Readonly<Record<Column<R>, SlabColumn>>;

const viewTypes: Readonly<Record<ArrayType, new (buffer: SharedArrayBuffer, byteOffset: number, length: number) => ColumnArray>> = arrayTypes;

/** Typed views of a shared table, as far as it has grown: of fixed length, which is faster in V8. */
export class TableViews {
	readonly words: Int32Array;
	readonly figures: Float64Array;
	readonly shape: TableShape;
	readonly regions: {readonly [R in RegionName]: RegionViews<R>};

	/** Slabs that have views. */
	slabs = 0;
	readonly #slab: SlabLayout;
	/** The names of threads in each slab. */
	readonly #names: Buffer[] = [];

	/** Looks at an existing table; throws if the buffer is not one. */
	constructor(readonly buffer: SharedArrayBuffer) {
		this.shape = shapeOf(buffer);
		this.words = headerWords(buffer);
		this.figures = headerFigures(buffer);
		this.#slab = slabLayout(this.shape);
		this.regions = fromNames(regionNames, region => fromNames(Object.keys(regions[region]), () => new SlabColumn(this.shape[region]))) as typeof this.regions;
		this.follow();
	}

	/** Adds views of the slabs that were added to the buffer since. */
	follow(): void {
		for (const slabs = this.words[word.slabs]; this.slabs < slabs; this.slabs++) {
			const base = headerBytes + (this.slabs * this.#slab.byteLength);
			for (const region of regionNames) {
				const columns: Readonly<Record<string, SlabColumn>> = this.regions[region];
				for (const [column, type] of Object.entries(regions[region])) {
					columns[column].slabs.push(new viewTypes[type](this.buffer, base + this.#slab.offsets[`${region}.${column}`], this.shape[region]));
				}
			}

			this.#names.push(Buffer.from(this.buffer, base + this.#slab.namesOffset, this.shape.threads * nameBytes));
		}
	}

	/** The name of a thread's record, of so many bytes. The lock is held. */
	nameOf(record: number, length: number): string {
		const {threads} = this.shape;
		const at = (record % threads) * nameBytes;
		return this.#names[Math.floor(record / threads)].toString('utf16le', at, at + length);
	}

	/** Writes the name of a thread's record, as much as there is room for; returns its bytes. The lock is held. */
	setName(record: number, name: string): number {
		const {threads} = this.shape;
		return this.#names[Math.floor(record / threads)].write(name, (record % threads) * nameBytes, nameBytes, 'utf16le');
	}

	/** Adds slabs, for the writer only, until record `index` of a region has room; false if the table may not grow so far. */
	growFor(region: RegionName, index: number): boolean {
		while (index >= this.slabs * this.shape[region]) {
			if (this.slabs >= this.shape.maxSlabs) {
				return false;
			}

			try {
				this.buffer.grow(headerBytes + ((this.slabs + 1) * this.#slab.byteLength));
			} catch {
				// No memory for another slab: the table is full where it is.
				return false;
			}

			this.words[word.slabs] = this.slabs + 1;
			this.follow();
		}

		return true;
	}
}

type Column<R extends RegionName> = keyof Regions[R] & string;
type Arrays<R extends RegionName, C extends Column<R>> = {readonly [K in C]: Regions[R][K] extends ArrayType ? ColumnArray<Regions[R][K]> : never};

/**
The reader's private copy of columns of a region that are append-only below its published count. Only what is new is
copied; what was copied stays where it is, so that snapshots share it. When an array is too short, a longer one takes
its place; older snapshots keep theirs.
*/
export class AppendOnlyCopy<R extends RegionName, C extends Column<R>> {
	count = 0;
	readonly #columns: readonly C[];
	#arrays: Arrays<R, C>;
	#capacity = 1024;
	/** What `view` gave last; undefined since more was copied. */
	#view: Arrays<R, C> | undefined;

	constructor(readonly region: R, columns: readonly C[]) {
		this.#columns = columns;
		this.#arrays = this.#allocate();
	}

	/** Copies all records anew into arrays of its own with the next `extend`: some have changed. */
	restart(): void {
		this.count = 0;
		this.#arrays = this.#allocate();
		this.#view = undefined;
	}

	/** Copies the records from its count up to `count`. */
	extend(views: RegionViews<R>, count: number): void {
		if (count === this.count) {
			return;
		}

		if (count > this.#capacity) {
			this.#capacity = 2 ** Math.ceil(Math.log2(count));
			const old = this.#arrays;
			this.#arrays = this.#allocate();
			for (const column of this.#columns) {
				this.#arrays[column].set(old[column].subarray(0, this.count));
			}
		}

		for (const column of this.#columns) {
			views[column].copy(this.count, count, this.#arrays[column]);
		}

		this.count = count;
		this.#view = undefined;
	}

	/** The copied records, without any that come later: the same arrays as long as there are none. */
	view(): Arrays<R, C> {
		this.#view ??= Object.fromEntries(this.#columns.map(column => [column, this.#arrays[column].subarray(0, this.count)])) as unknown as Arrays<R, C>;
		return this.#view;
	}

	#allocate(): Arrays<R, C> {
		const types = regions[this.region] as Record<string, ArrayType>;
		return Object.fromEntries(this.#columns.map(column => [column, new arrayTypes[types[column]](this.#capacity)])) as unknown as Arrays<R, C>;
	}
}
