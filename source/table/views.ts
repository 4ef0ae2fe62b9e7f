import {arrayTypes, type ArrayType, type ColumnArray} from '../model/column-types.js';
import {
	headerBytes, headerFigures, headerWords, regionNames, regions, shapeOf, slabLayout, word,
	type RegionName, type Regions, type SlabLayout, type TableShape,
} from './layout.js';

/** A region's columns: for each, one array per slab. */
export type RegionViews<R extends RegionName> = {[C in keyof Regions[R]]: Regions[R][C] extends ArrayType ? Array<ColumnArray<Regions[R][C]>> : never};

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
