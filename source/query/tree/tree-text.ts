import type {Snapshot} from '../../model/snapshot.js';
import type {Query, TreeRow} from '../types/rows.js';
import type {OpenRow} from './open-row.js';
import type {OrderedTree} from './ordered-tree.js';
import {openTree} from './tree.js';

type Texts<Row> = {readonly top?: number; readonly head: (row: Row) => object};

/** The whole tree as JSON, a text for each root, see `rowTexts`. */
export function treeTexts(snapshot: Snapshot, since: Snapshot | undefined, query: Query, texts: Texts<TreeRow>): Generator<string> {
	const {rows} = openTree(snapshot, since, query);
	return rowTexts(rows, rows.below(0), texts);
}

/** A row that is not closed yet: what is left of its children. */
type Unfinished = {readonly children: readonly number[]; at: number};

/**
The rows of some nodes as JSON: what `head` says of each, with the rows below it as `children`; of each list `top` at most.
Without recursion: stacks may be deep.
*/
export function * rowTexts<Row extends OpenRow>(tree: OrderedTree<Row>, roots: readonly number[], {top = Infinity, head}: Texts<Row>): Generator<string> {
	const firstOf = (nodes: readonly number[]) => Number.isFinite(top) ? nodes.slice(0, top) : nodes;
	for (const root of firstOf(roots)) {
		const pieces: string[] = [];
		const open: Unfinished[] = [];
		const begin = (node: number) => {
			pieces.push(`${JSON.stringify(head(tree.rowOf(node))).slice(0, -1)},"children":[`);
			open.push({children: firstOf(tree.below(node)), at: 0});
		};

		begin(root);
		for (let last = open.at(-1); last; last = open.at(-1)) {
			const child = last.children.at(last.at);
			if (child === undefined) {
				pieces.push(']}');
				open.pop();
			} else {
				pieces.push(last.at > 0 ? ',' : '');
				last.at++;
				begin(child);
			}
		}

		yield pieces.join('');
	}
}
