/** Rows in their order. An array is such a list, of rows that are all made already. */
export type RowList<Row> = Iterable<Row> & {
	readonly length: number;
	at(index: number): Row | undefined;
	slice(from: number, to?: number): readonly Row[];
};

/** Rows that are made when somebody asks for them: of tens of thousands a screen shows some dozen. */
export abstract class RowsOnDemand<Row> implements RowList<Row> {
	abstract readonly length: number;

	/** The rows from one index up to another, neither of them negative. */
	slice(from: number, to: number = this.length): readonly Row[] {
		return Array.from({length: Math.max(0, Math.min(to, this.length) - from)}, (_, index) => this.at(from + index)!);
	}

	* [Symbol.iterator](): Generator<Row> {
		for (let index = 0; index < this.length; index++) {
			yield this.at(index)!;
		}
	}

	/** Undefined beyond the last, and for negative indexes. */
	abstract at(index: number): Row | undefined;

	/** Where the row with this key is, -1 where there is none; no row is made for it. */
	abstract indexOfKey(key: string): number;
}

/** Two lists, one behind the other. */
export class RowsTogether<Row> extends RowsOnDemand<Row> {
	readonly length: number;

	constructor(readonly first: RowsOnDemand<Row>, readonly second: RowsOnDemand<Row>) {
		super();
		this.length = first.length + second.length;
	}

	at(index: number): Row | undefined {
		return index < this.first.length ? this.first.at(index) : this.second.at(index - this.first.length);
	}

	indexOfKey(key: string): number {
		const index = this.first.indexOfKey(key);
		const behind = index === -1 ? this.second.indexOfKey(key) : -1;
		return behind === -1 ? index : this.first.length + behind;
	}
}

/** Keys of rows, in their order; an array of them is such a list. */
export type RowKeys = Pick<readonly string[], 'length' | 'at' | 'indexOf'>;

/** The keys of a list of rows. */
export function keysOfRows(rows: RowList<{readonly key: string}>): RowKeys {
	return {
		length: rows.length,
		at: index => rows.at(index)?.key,
		indexOf: key => rows instanceof RowsOnDemand ? rows.indexOfKey(key) : (rows as ReadonlyArray<{readonly key: string}>).findIndex(row => row.key === key),
	};
}
