import {type ColumnArray} from '../model/column-types.js';

/** The columns of a region that say what its counters are kept for, in slabs of equal size. */
export class KeyColumns {
	readonly #columns: ReadonlyArray<readonly ColumnArray[]>;

	constructor(columns: ReadonlyArray<readonly ColumnArray[]>) {
		this.#columns = columns;
	}

	/** Writes a tuple into record `id`, where a slab has `share` records. */
	write(tuple: Int32Array, id: number, share: number): void {
		const slab = Math.floor(id / share);
		const at = id % share;
		const width = tuple.length;
		for (let field = 0; field < width; field++) {
			this.#columns[field][slab][at] = tuple[field];
		}
	}
}
