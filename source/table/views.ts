import {arrayTypes, type ArrayType, type ColumnArray} from '../model/column-types.js';
import {
	headerBytes, headerFigures, headerWords, regionNames, regions, shapeOf, slabLayout, word, type RegionName, type Regions, type SlabLayout, type TableShape,
} from './layout.js';

/** A region's columns: for each, one array per slab. */
type RegionViews<R extends RegionName> = {[C in keyof Regions[R]]: Regions[R][C] extends ArrayType ? Array<ColumnArray<Regions[R][C]>> : never};

const viewTypes: Readonly<Record<ArrayType, new (buffer: SharedArrayBuffer, byteOffset: number, length: number) => ColumnArray>> = arrayTypes;

/**
Typed views of a shared table, as far as it has grown. They are of fixed length, since V8 is slower with arrays that
follow the growth of their buffer.
*/
export class TableViews {
	readonly words: Int32Array;
	readonly figures: Float64Array;
	readonly shape: TableShape;
	readonly regions = Object.fromEntries(regionNames.map(region => [
		region, Object.fromEntries(Object.keys(regions[region]).map(column => [column, []])),
	])) as unknown as {readonly [R in RegionName]: RegionViews<R>};

	/** Slabs that have views. */
	slabs = 0;
	readonly #slab: SlabLayout;

	/** Looks at an existing table; throws if the buffer is not one. */
	constructor(readonly buffer: SharedArrayBuffer) {
		this.shape = shapeOf(buffer);
		this.words = headerWords(buffer);
		this.figures = headerFigures(buffer);
		this.#slab = slabLayout(this.shape);
		this.follow();
	}

	/** Adds views of the slabs that were added to the buffer since. */
	follow(): void {
		for (const slabs = this.words[word.slabs]; this.slabs < slabs; this.slabs++) {
			const base = headerBytes + (this.slabs * this.#slab.byteLength);
			for (const region of regionNames) {
				const columns = this.regions[region] as Record<string, ColumnArray[]>;
				for (const [column, type] of Object.entries(regions[region])) {
					columns[column].push(new viewTypes[type](this.buffer, base + this.#slab.offsets[`${region}.${column}`], this.shape[region]));
				}
			}
		}
	}

	/**
	Adds slabs, for the writer only, until record `index` of a region has room. False if the table may not grow that
	far.
	*/
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

/** Copies records `from` to `to` of a column, spread over its slabs, to the same indexes of a private array. */
export function copyColumn<T extends ColumnArray>(column: readonly T[], from: number, to: number, into: T): void {
	const share = column[0].length;
	for (let at = from; at < to;) {
		const start = at % share;
		const length = Math.min(share - start, to - at);
		const slab = column[Math.floor(at / share)];
		into.set(length === share ? slab : slab.subarray(start, start + length), at);
		at += length;
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
			copyColumn(views[column] as Int32Array[], this.count, count, this.#arrays[column] as Int32Array);
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
