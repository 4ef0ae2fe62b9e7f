import {RowsOnDemand} from '../types/row-list.js';
import type {OpenRow} from './open-row.js';
import type {OrderedTree} from './ordered-tree.js';

/** The rows of an open tree, each before those below it: three numbers each, until somebody asks for the row. */
export class OpenRows<Row extends OpenRow> extends RowsOnDemand<Row> {
	readonly #tree: OrderedTree<Row>;
	readonly #node: number[] = [];
	/** Which row it hangs from, -1 for none. */
	readonly #parent: number[] = [];
	readonly #indent: number[] = [];

	constructor(tree: OrderedTree<Row>) {
		super();
		this.#tree = tree;
	}

	get length(): number {
		return this.#node.length;
	}

	/** Adds a row that hangs from the row `parent`; to be called for a row before those below it. Returns its index. */
	add(node: number, parent: number, indent: number): number {
		this.#parent.push(parent);
		this.#indent.push(indent);
		return this.#node.push(node) - 1;
	}

	at(index: number): Row | undefined {
		if (!(index >= 0 && index < this.length)) {
			return undefined;
		}

		const parent = this.#parent[index];
		return this.#tree.rowOf(this.#node[index], {
			indent: this.#indent[index], level: this.#levelOf(index), isOpen: this.#parent[index + 1] === index, parent: parent < 0 ? undefined : this.#node[parent],
		});
	}

	indexOfKey(key: string): number {
		const node = this.#tree.nodeOf(key);
		return node === undefined ? -1 : this.#node.indexOf(node);
	}

	#levelOf(index: number): number {
		let level = 0;
		for (let parent = this.#parent[index]; parent >= 0; parent = this.#parent[parent]) {
			level++;
		}

		return level;
	}
}
