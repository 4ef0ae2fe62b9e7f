import {arrayTypes, type ArrayType, type ColumnArray} from '../model/column-types.js';
import {regions, type RegionName, type Regions} from './layout.js';
import {copyColumn, type RegionViews} from './views.js';

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
