import type {Printable} from '../util/printable.js';
import {arrayTypes, fromNames, type ArrayType, type ColumnArray} from '../model/column-types.js';
import {
	headerBytes,
	headerFigures,
	tableHeader,
	nameBytes,
	regionNames,
	regions,
	shapeOf,
	slabLayout,
	word,
	type RegionName,
	type Regions,
	type SlabLayout,
	type TableShape,
} from './table-layout.js';

/** A column of a region, with an array of `share` values (a power of two) in each slab, addressed by row. */
export class SlabColumn {
	readonly slabs: ColumnArray[] = [];
	readonly #shift: number;
	readonly #mask: number;

	constructor(share: number) {
		this.#shift = Math.log2(share);
		this.#mask = share - 1;
	}

	get(row: number): number {
		return this.slabs[row >> this.#shift][row & this.#mask];
	}

	set(row: number, value: number): void {
		this.slabs[row >> this.#shift][row & this.#mask] = value;
	}

	add(row: number, value: number): void {
		this.slabs[row >> this.#shift][row & this.#mask] += value;
	}

	/** Returns the values of `count` rows from `row` on, which must be in one slab. */
	part(row: number, count: number): ColumnArray {
		const at = row & this.#mask;
		return this.slabs[row >> this.#shift].subarray(at, at + count);
	}

	/** Returns the first index from `row` on at which `count` rows fit in one slab. */
	startFor(row: number, count: number): number {
		const at = row & this.#mask;
		return at + count > this.#mask + 1 ? row + this.#mask + 1 - at : row;
	}

	/** Copies rows `from` to `to` to the same indexes of a private array. */
	copy(from: number, to: number, into: ColumnArray): void {
		for (let at = from; at < to;) {
			const count = Math.min(this.#mask + 1 - (at & this.#mask), to - at);
			into.set(this.part(at, count), at);
			at += count;
		}
	}
}

type RegionViews<R extends RegionName> = Readonly<Record<Column<R>, SlabColumn>>;

const viewTypes: Readonly<
	Record<ArrayType, new(buffer: SharedArrayBuffer, byteOffset: number, length: number) => ColumnArray>
> = arrayTypes;

/** Typed arrays over a shared table's slabs, of fixed length, which is faster in V8. */
export class TableViews {
	readonly words: Int32Array;
	readonly figures: Float64Array;
	readonly shape: TableShape;
	readonly regions: {readonly [R in RegionName]: RegionViews<R>};

	/** Number of slabs with views. */
	slabs = 0;
	readonly #layout: SlabLayout;
	readonly #namesBySlab: Buffer[] = [];

	/** Opens an existing table; throws if the buffer is not one. */
	constructor(readonly buffer: SharedArrayBuffer) {
		this.shape = shapeOf(buffer);
		this.words = tableHeader(buffer);
		this.figures = headerFigures(buffer);
		this.#layout = slabLayout(this.shape);
		this.regions = fromNames(
			regionNames,
			region => fromNames(Object.keys(regions[region]), () => new SlabColumn(this.shape[region])),
		) as typeof this.regions;
		this.mapNewSlabs();
	}

	/** Adds views of slabs that were added to the buffer. */
	mapNewSlabs(): void {
		for (const slabs = this.words[word.slabs]; this.slabs < slabs; this.slabs++) {
			const base = headerBytes + (this.slabs * this.#layout.byteLength);
			for (const region of regionNames) {
				const columns: Readonly<Record<string, SlabColumn>> = this.regions[region];
				for (const [column, type] of Object.entries(regions[region])) {
					columns[column].slabs
						.push(new viewTypes[type](
							this.buffer,
							base + this.#layout.offsets[`${region}.${column}`],
							this.shape[region],
						));
				}
			}

			this.#namesBySlab
				.push(Buffer.from(this.buffer, base + this.#layout.namesOffset, this.shape.threads * nameBytes));
		}
	}

	/** Returns the name, of `length` bytes, of a thread's row. The lock is held. */
	nameOf(row: number, length: number): Printable {
		const {threads} = this.shape;
		const at = (row % threads) * nameBytes;
		return this.#namesBySlab[Math.floor(row / threads)].toString('utf16le', at, at + length) as Printable;
	}

	/** Writes the name of a thread's row, truncated if needed; returns the bytes written. The lock is held. */
	setName(row: number, name: string): number {
		const {threads} = this.shape;
		return this.#namesBySlab[Math.floor(row / threads)].write(
			name,
			(row % threads) * nameBytes,
			nameBytes,
			'utf16le',
		);
	}

	/**
	Grows the table until a region has row `index`; returns false if it cannot grow so far. For the writer only.
	*/
	growFor(region: RegionName, index: number): boolean {
		while (index >= this.slabs * this.shape[region]) {
			if (this.slabs >= this.shape.maxSlabs) {
				return false;
			}

			try {
				this.buffer.grow(headerBytes + ((this.slabs + 1) * this.#layout.byteLength));
			} catch {
				// No memory for another slab: the table is full.
				return false;
			}

			this.words[word.slabs] = this.slabs + 1;
			this.mapNewSlabs();
		}

		return true;
	}
}

type Column<R extends RegionName> = keyof Regions[R] & string;
type Arrays<R extends RegionName, C extends Column<R>> = {
	readonly [K in C]: Regions[R][K] extends ArrayType ? ColumnArray<Regions[R][K]>
		: never;
};

/**
The reader's private copy of a region's append-only columns. Only new rows are copied, so snapshots share the arrays.
When an array is too short a longer one replaces it, and older snapshots keep theirs.
*/
export class AppendOnlyCopy<R extends RegionName, C extends Column<R>> {
	count = 0;
	readonly #columns: readonly C[];
	#arrays: Arrays<R, C>;
	#capacity = 1024;
	/** Last result of `view`; undefined after more was copied. */
	#view: Arrays<R, C> | undefined;

	constructor(readonly region: R, columns: readonly C[]) {
		this.#columns = columns;
		this.#arrays = this.#allocate();
	}

	/** Makes the next `extend` copy all rows into new arrays: call it when copied rows have changed. */
	restart(): void {
		this.count = 0;
		this.#arrays = this.#allocate();
		this.#view = undefined;
	}

	/** Copies the new rows up to `count`. */
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

	/** Returns the rows copied so far; the same arrays until more are copied. */
	view(): Arrays<R, C> {
		if (!this.#view) {
			const copied = this.#columns.map(column => [column, this.#arrays[column].subarray(0, this.count)] as const);
			this.#view = Object.fromEntries(copied) as unknown as Arrays<R, C>;
		}

		return this.#view;
	}

	#allocate(): Arrays<R, C> {
		const types = regions[this.region] as Record<string, ArrayType>;
		const arrays = this.#columns.map(column => [column, new arrayTypes[types[column]](this.#capacity)] as const);
		return Object.fromEntries(arrays) as unknown as Arrays<R, C>;
	}
}
