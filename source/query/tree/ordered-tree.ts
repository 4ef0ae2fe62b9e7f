import {inOrder, type Sortable} from '../columns/sort.js';
import type {SortOrder} from '../types/rows.js';
import type {OpenRow, Standing} from './open-row.js';
import type {PathTree} from './path-tree.js';

type Making<Row extends OpenRow> = {
	readonly columns: ReadonlyArray<Sortable<Row>>;
	readonly sort: SortOrder;
	readonly make: (node: number, standing?: Standing) => Row;
	/** Before the keys of rows. */
	readonly keyPrefix?: string;
	/** Rows that are there; all when left out. */
	readonly isKept?: (row: Row) => boolean;
};

/** A tree whose nodes are kept or not, and stand in the order that rows are sorted by. */
export class OrderedTree<Row extends OpenRow> {
	readonly rowOf: (node: number, standing?: Standing) => Row;
	readonly #making: Making<Row>;
	readonly #compare: (a: Row, b: Row) => number;

	constructor(readonly tree: PathTree, making: Making<Row>) {
		this.rowOf = making.make;
		this.#making = making;
		this.#compare = inOrder(making.columns, making.sort);
	}

	/** The nodes below one, sorted; 0 is above all. Rows are made of those that must be looked at for that. */
	below(node: number): readonly number[] {
		const nodes = this.tree.childrenOf(node);
		const {isKept} = this.#making;
		if (nodes.length === 0 || (nodes.length === 1 && !isKept)) {
			return nodes;
		}

		const rows = nodes.map(below => this.rowOf(below));
		return (isKept ? rows.filter(row => isKept(row)) : rows).sort(this.#compare).map(row => row.node);
	}

	/** The node of the row with a key; undefined where no sample came by it. */
	nodeOf(key: string): number | undefined {
		const {keyPrefix = ''} = this.#making;
		return key.startsWith(keyPrefix) ? this.tree.nodeOf(key.slice(keyPrefix.length)) : undefined;
	}
}
